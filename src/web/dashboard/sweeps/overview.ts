/** The overview's query about sweeps, with a client for this query only. */
import { queryOptions } from "@tanstack/react-query"
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { MyOverview } from "../../../api/builder/OverviewApi.ts"
import { callsOf, contract } from "../../api/backend.ts"
import { baseUrl } from "../../api/baseUrl.ts"
import { MINE, RECENT_DAYS } from "../../api/queries.ts"

const call = callsOf(
  Effect.runSync(HttpApiClient.make(contract.add(MyOverview), { baseUrl }).pipe(Effect.provide(FetchHttpClient.layer)))
)

export const overview = queryOptions({
  queryKey: [MINE, "sweeps", "overview"],
  queryFn: ({ signal }) => call((api) => api.sweeps.overview({ query: { days: RECENT_DAYS } }), signal)
})
