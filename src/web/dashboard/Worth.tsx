/** Values of amounts in US dollars. Its script is loaded when the first amount is shown. */
import { usePriceOf } from "../api/prices.ts"
import { worth } from "../lib/usd.ts"

export interface WorthProps {
  readonly chainId: number | undefined
  readonly token: string
  readonly decimals: number
  /** In the token's smallest unit. */
  readonly value: bigint
}

/** Renders nothing without a price. */
export function Worth({ chainId, decimals, token, value }: WorthProps) {
  const price = usePriceOf()?.(chainId, token)
  return price === undefined ? null : <>{worth(value, decimals, price)}</>
}
