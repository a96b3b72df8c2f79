/** Queries of the dashboard, for TanStack Query. */
import { queryOptions } from "@tanstack/react-query"
import type { Activity, EarningStatus } from "../../domain/LedgerEntry.ts"
import { call } from "./client.ts"
import { isFailure } from "./failures.ts"
import { repeated } from "./retries.ts"

const MINUTE = 60_000

export const deployment = queryOptions({
  queryKey: ["deployment"],
  queryFn: ({ signal }) => call((client) => client.deployment.deployment(), signal),
  staleTime: Infinity
})

/** The signed-in builder, or null. */
export const me = queryOptions({
  queryKey: ["me"],
  queryFn: ({ signal }) =>
    call((client) => client.me.me(), signal).catch((error: unknown) => {
      if (isFailure(error, "Unauthorized")) return null
      throw error
    }),
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
export const everyActivity = async (filter: EarningFilter, most: number): Promise<ReadonlyArray<Activity>> => {
  const found: Array<Activity> = []
  let cursor: string | undefined
  do {
    const from = cursor
    // The cursor of a page is in the page before it.
    // oxlint-disable-next-line no-await-in-loop
    const next = await repeated(() => page(filter, from, LARGEST_PAGE))
    found.push(...next.entries)
    cursor = next.nextCursor
  } while (cursor !== undefined && found.length < most)
  return found
}

export const RECENT_DAYS = 30

/** The newest accruals. */
export const latestActivity = (count: number) =>
  queryOptions({
    queryKey: [MINE, "activity", "latest", count],
    queryFn: ({ signal }) => page({}, undefined, count, signal)
  })
