/** Queries of the dashboard, for TanStack Query. */
import { queryOptions } from "@tanstack/react-query"
import type { Builder } from "../../domain/Builder.ts"
import type { Activity, EarningStatus } from "../../domain/LedgerEntry.ts"
import { call } from "./client.ts"
import { everyPage, type Rows } from "./everyPage.ts"
import { isFailure } from "./failures.ts"

const MINUTE = 60_000

export const deployment = queryOptions({
  queryKey: ["deployment"],
  queryFn: ({ signal }) => call((client) => client.deployment.deployment(), signal),
  staleTime: Infinity
})

/** The signed-in builder, or null. */
export const me = queryOptions({
  queryKey: ["me"],
  queryFn: async ({ client, queryKey, signal }) => {
    const builder = await call((api) => api.me.me(), signal).catch((error: unknown) => {
      if (isFailure(error, "Unauthorized")) return null
      throw error
    })
    // The session of the browser may have changed in another tab.
    const before = client.getQueryData<Builder | null>(queryKey)
    if (before != null && before.id !== builder?.id) client.removeQueries({ queryKey: [MINE] })
    return builder
  },
  staleTime: MINUTE
})

/** Prefix of the queries that belong to the signed-in builder. They are removed at sign-out. */
export const MINE = "mine"

export const accruals = queryOptions({
  queryKey: [MINE, "accruals"],
  queryFn: ({ signal }) => call((client) => client.me.accruals(), signal)
})

/** Conditions on listed accruals. */
export interface EarningFilter {
  readonly status?: EarningStatus
  readonly chainId?: number
  readonly token?: string
  readonly fromMs?: number
  readonly toMs?: number
  readonly q?: string
}

const page = (filter: EarningFilter, cursor: string | undefined, limit: number, signal?: AbortSignal) =>
  call(
    (client) =>
      client.me.activity({
        query: {
          ...filter,
          limit,
          ...(cursor === undefined ? {} : { cursor })
        }
      }),
    signal
  )

/** Rows of one page of a list. */
export const PAGE = 50

export const activity = (filter: EarningFilter, cursor: string | undefined) =>
  queryOptions({
    queryKey: [MINE, "activity", filter, cursor ?? null],
    queryFn: ({ signal }) => page(filter, cursor, PAGE, signal)
  })

const LARGEST_PAGE = 500

/** Accruals that match the filters, newest first, up to a maximum number. */
export const everyActivity = (filter: EarningFilter, most: number): Promise<Rows<Activity>> =>
  everyPage(most, async (cursor) => {
    const { entries, nextCursor } = await page(filter, cursor, LARGEST_PAGE)
    return { rows: entries, nextCursor }
  })

export const RECENT_DAYS = 30

/** The newest accruals. */
export const latestActivity = (count: number) =>
  queryOptions({
    queryKey: [MINE, "activity", "latest", count],
    queryFn: ({ signal }) => page({}, undefined, count, signal)
  })
