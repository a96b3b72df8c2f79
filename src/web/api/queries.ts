/** Queries of the dashboard, for TanStack Query. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import type { Activity } from "../../domain/LedgerEntry.ts"
import { call } from "./client.ts"
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

export const apiKey = queryOptions({
  queryKey: [MINE, "apikey"],
  queryFn: ({ signal }) => call((client) => client.me.apiKey(), signal)
})

const page = (cursor: string | undefined, limit: number, signal?: AbortSignal) =>
  call((client) => client.me.activity({ query: { limit, ...(cursor === undefined ? {} : { cursor }) } }), signal)

const PAGE = 50

export const activity = infiniteQueryOptions({
  queryKey: [MINE, "activity"],
  queryFn: ({ pageParam, signal }) => page(pageParam, PAGE, signal),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ nextCursor }) => nextCursor
})

const LARGEST_PAGE = 500

/** Activity since a time, newest first, up to a maximum number of entries. */
export const activitySince = async (sinceMs: number, most: number, signal?: AbortSignal) => {
  const entries: Array<Activity> = []
  let cursor: string | undefined
  do {
    // The cursor of a page is in the page before it.
    // oxlint-disable-next-line no-await-in-loop
    const { entries: found, nextCursor } = await page(cursor, LARGEST_PAGE, signal)
    entries.push(...found)
    cursor = nextCursor
  } while (cursor !== undefined && entries.length < most && (entries.at(-1)?.createdAtMs ?? 0) >= sinceMs)
  return { entries: entries.filter(({ createdAtMs }) => createdAtMs >= sinceMs), isComplete: entries.length < most }
}

const DAY = 86_400_000

export const RECENT_DAYS = 30

/** Maximum number of entries, so that the page does not wait long. The page says if entries are missing. */
const MOST_RECENT = 5_000

export const recentActivity = queryOptions({
  queryKey: [MINE, "recent"],
  queryFn: ({ signal }) => {
    const now = Date.now()
    return activitySince(now - (now % DAY) - (RECENT_DAYS - 1) * DAY, MOST_RECENT, signal)
  }
})
