/** The overview's query about sweeps. */
import { queryOptions } from "@tanstack/react-query"
import { MINE, RECENT_DAYS } from "../../api/queries.ts"
import { call } from "./client.ts"

export const overview = queryOptions({
  queryKey: [MINE, "sweeps", "overview"],
  queryFn: ({ signal }) => call((api) => api.sweeps.overview({ query: { days: RECENT_DAYS } }), signal)
})
