/**
 * Prices of listed tokens in US dollars, from the orchestrator. Read by the client's parts for that alone: the whole client has the
 * reviews, which are larger than the page that shows the prices.
 */
import { useQuery } from "@tanstack/react-query"
import { makeHttp } from "../../sdk/client/Http.ts"
import { readPrices } from "../../sdk/wire/Catalog.ts"
import { askAgainAfterFailure } from "./askAgain.ts"
import { deployment } from "./queries.ts"

const pricesOf = (orchestratorUrl: string, signal: AbortSignal) =>
  makeHttp({ orchestratorUrl, fetch: (url, init) => fetch(url, init) }).get("/prices", readPrices, { signal })

const FRESH_MILLIS = 60_000

/** Price of a whole token as a decimal string. Undefined if it is not known. */
export type PriceOf = (chainId: number | undefined, token: string) => string | undefined

/** Undefined while the prices are loaded. Without an orchestrator, or if it fails, no price is known. */
export const usePriceOf = (): PriceOf | undefined => {
  const { data: served } = useQuery(deployment)
  const orchestratorUrl = served?.orchestratorUrl
  const { data: prices, isError } = useQuery({
    queryKey: ["prices", orchestratorUrl],
    queryFn: ({ signal }) => (orchestratorUrl === undefined ? [] : pricesOf(orchestratorUrl, signal)),
    staleTime: FRESH_MILLIS,
    refetchInterval: (query) => askAgainAfterFailure(query) || FRESH_MILLIS,
    retry: false
  })
  if (prices === undefined && !isError) return undefined
  return (chainId, token) => prices?.find((each) => each.chainId === chainId && each.address === token)?.priceUsd
}
