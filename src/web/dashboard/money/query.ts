/** The query about earnings in dollars, with a client for this query only. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query"
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { MyMoney } from "../../../api/builder/MoneyApi.ts"
import type { Period } from "../../../domain/Money.ts"
import { callsOf, contract } from "../../api/backend.ts"
import { baseUrl } from "../../api/baseUrl.ts"
import { MINE } from "../../api/queries.ts"

const call = callsOf(
  Effect.runSync(HttpApiClient.make(contract.add(MyMoney), { baseUrl }).pipe(Effect.provide(FetchHttpClient.layer)))
)

export const money = (days: Period) =>
  queryOptions({
    queryKey: [MINE, "money", days],
    queryFn: ({ signal }) => call((api) => api.me.money({ query: { days: `${days}` } }), signal),
    placeholderData: keepPreviousData
  })
