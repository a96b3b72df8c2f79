/** The query about earnings in dollars. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query"
import type { Period } from "../../../domain/Money.ts"
import { call } from "../../api/client.ts"
import { MINE } from "../../api/queries.ts"

export const money = (days: Period) =>
  queryOptions({
    queryKey: [MINE, "money", days],
    queryFn: ({ signal }) => call((api) => api.me.money({ query: { days: `${days}` } }), signal),
    placeholderData: keepPreviousData
  })
