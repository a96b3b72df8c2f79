/** What an amount is worth, in a script that is loaded once there is something to value. */
import { useQuery } from "@tanstack/react-query"
import { createSweepClient } from "../../sdk/index.ts"
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

/** Says nothing where there is no price: the amount stands by itself. */
export function Worth({ chainId, decimals, token, value }: WorthProps) {
  const { data: served } = useQuery(deployment)
  const orchestratorUrl = served?.orchestratorUrl
  const { data: prices } = useQuery({
    queryKey: ["prices", orchestratorUrl],
    queryFn: ({ signal }) =>
      orchestratorUrl === undefined ? [] : createSweepClient({ orchestratorUrl }).prices({ signal }),
    staleTime: FRESH_MILLIS,
    retry: false
  })
  const price = prices?.find((each) => each.chainId === chainId && each.address === token)
  return price === undefined ? null : <>{worth(value, decimals, price.priceUsd)}</>
}
