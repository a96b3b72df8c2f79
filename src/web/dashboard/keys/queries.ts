/** Queries about API keys and first steps. */
import { queryOptions } from "@tanstack/react-query"
import type { KeyView } from "../../../api/builder/KeysApi.ts"
import type { Milestones } from "../../../domain/Milestones.ts"
import { MINE } from "../../api/queries.ts"
import { call } from "./client.ts"

export type Key = typeof KeyView.Type

/** Prefix of the queries about keys, which a change of keys refreshes. */
export const KEYS: ReadonlyArray<string> = [MINE, "keys"]

export const keys = queryOptions({
  queryKey: [...KEYS, "list"],
  queryFn: ({ signal }) => call((api) => api.keys.list(), signal)
})

const SOON_MILLIS = 3_000

/** True once the builder has earned, after which nothing changes any more. */
export const isComplete = (steps: Milestones): boolean =>
  steps.firstQuoteAtMs !== undefined && steps.firstDeliveryAtMs !== undefined && steps.firstEarningAtMs !== undefined

/** Asked again until every step is done, so that the page ticks them by itself. */
export const milestones = queryOptions({
  queryKey: [...KEYS, "milestones"],
  queryFn: ({ signal }) => call((api) => api.keys.milestones(), signal),
  refetchInterval: ({ state: { data } }) => (data !== undefined && isComplete(data) ? false : SOON_MILLIS)
})
