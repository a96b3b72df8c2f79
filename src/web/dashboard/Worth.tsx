/** Value of an amount in US dollars. Its script is loaded when the first amount is shown. */
import { useQuery } from "@tanstack/react-query"
import { createSweepClient } from "../../sdk/index.ts"
import { askAgainAfterFailure } from "../api/askAgain.ts"
import { deployment } from "../api/queries.ts"
import { worth } from "../lib/usd.ts"

const FRESH_MILLIS = 60_000

export interface WorthProps {
  readonly chainId: number | undefined
  readonly token: string
  readonly decimals: number
  /** In the token's smallest unit. */
  readonly value: bigint
}

/** Renders nothing without a price. */
export function Worth({ chainId, decimals, token, value }: WorthProps) {
  const { data: served } = useQuery(deployment)
  const orchestratorUrl = served?.orchestratorUrl
  const { data: prices } = useQuery({
    queryKey: ["prices", orchestratorUrl],
    queryFn: ({ signal }) =>
      orchestratorUrl === undefined ? [] : createSweepClient({ orchestratorUrl }).prices({ signal }),
    staleTime: FRESH_MILLIS,
    refetchInterval: (query) => askAgainAfterFailure(query) || FRESH_MILLIS,
    retry: false
  })
  const price = prices?.find((each) => each.chainId === chainId && each.address === token)
  return price === undefined ? null : <>{worth(value, decimals, price.priceUsd)}</>
}
