/** Queries of the console. Every key begins with the console's prefix, so that a rejected token is noticed. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import type { Period } from "../../domain/Money.ts"
import { call } from "./client.ts"
import { CONSOLE } from "../api/queryClient.ts"

const first = undefined as string | undefined

const from = (cursor: string | undefined) => (cursor === undefined ? {} : { cursor })

export const builders = (search: string) =>
  infiniteQueryOptions({
    queryKey: [CONSOLE, "builders", search],
    queryFn: ({ pageParam, signal }) =>
      call(
        (api) =>
          api.console.builders({ query: { limit: 50, ...(search === "" ? {} : { search }), ...from(pageParam) } }),
        signal
      ),
    initialPageParam: first,
    getNextPageParam: ({ nextCursor }) => nextCursor
  })

export const builder = (id: string) =>
  queryOptions({
    queryKey: [CONSOLE, "builder", id],
    queryFn: ({ signal }) => call((api) => api.console.builder({ params: { id } }), signal)
  })

export const builderTotals = (id: string) =>
  queryOptions({
    queryKey: [CONSOLE, "builder", id, "totals"],
    queryFn: ({ signal }) => call((api) => api.console.builderAccruals({ params: { id } }), signal)
  })

export const builderEntries = (id: string) =>
  infiniteQueryOptions({
    queryKey: [CONSOLE, "builder", id, "entries"],
    queryFn: ({ pageParam, signal }) =>
      call((api) => api.console.builderEntries({ params: { id }, query: { limit: 25, ...from(pageParam) } }), signal),
    initialPageParam: first,
    getNextPageParam: ({ nextCursor }) => nextCursor
  })

export const payouts = infiniteQueryOptions({
  queryKey: [CONSOLE, "payouts"],
  queryFn: ({ pageParam, signal }) =>
    call((api) => api.console.payouts({ query: { limit: 25, ...from(pageParam) } }), signal),
  initialPageParam: first,
  getNextPageParam: ({ nextCursor }) => nextCursor
})

export const payout = (id: string) =>
  queryOptions({
    queryKey: [CONSOLE, "payout", id],
    queryFn: ({ signal }) => call((api) => api.console.payout({ params: { id } }), signal)
  })

export const revenue = queryOptions({
  queryKey: [CONSOLE, "revenue"],
  queryFn: ({ signal }) => call((api) => api.console.revenue({ query: {} }), signal)
})

export const treasury = queryOptions({
  queryKey: [CONSOLE, "treasury"],
  queryFn: ({ signal }) => call((api) => api.console.treasury(), signal)
})

export const alerts = queryOptions({
  queryKey: [CONSOLE, "alerts"],
  queryFn: ({ signal }) => call((api) => api.console.alerts(), signal),
  refetchInterval: 30_000
})

export const operationsHealth = queryOptions({
  queryKey: [CONSOLE, "operations", "health"],
  queryFn: ({ signal }) => call((api) => api.operations.health(), signal),
  refetchInterval: 10_000
})

export const operationsAlerts = queryOptions({
  queryKey: [CONSOLE, "operations", "alerts"],
  queryFn: ({ signal }) => call((api) => api.operations.alerts(), signal),
  refetchInterval: 10_000
})

export const stuckSweeps = queryOptions({
  queryKey: [CONSOLE, "operations", "stuck"],
  queryFn: ({ signal }) => call((api) => api.operations.stuck({ query: {} }), signal),
  refetchInterval: 10_000
})

export const collectedFees = queryOptions({
  queryKey: [CONSOLE, "operations", "treasury"],
  queryFn: ({ signal }) => call((api) => api.operations.treasury(), signal),
  refetchInterval: 30_000
})

export const money = (days: Period) =>
  queryOptions({
    queryKey: [CONSOLE, "operations", "money", days],
    queryFn: ({ signal }) => call((api) => api.operations.money({ query: { days: `${days}` } }), signal),
    refetchInterval: 30_000
  })

export const audit = infiniteQueryOptions({
  queryKey: [CONSOLE, "audit"],
  queryFn: ({ pageParam, signal }) =>
    call((api) => api.console.audit({ query: { limit: 50, ...from(pageParam) } }), signal),
  initialPageParam: first,
  getNextPageParam: ({ nextCursor }) => nextCursor
})

export const foundSweeps = (q: string) =>
  queryOptions({
    queryKey: [CONSOLE, "operations", "find", q],
    queryFn: ({ signal }) => call((api) => api.operations.find({ query: { q } }), signal)
  })

export const foundInBooks = (q: string) =>
  queryOptions({
    queryKey: [CONSOLE, "find", q],
    queryFn: ({ signal }) => call((api) => api.stories.find({ query: { q } }), signal)
  })

export const sweepStory = (id: string) =>
  queryOptions({
    queryKey: [CONSOLE, "operations", "story", id],
    queryFn: ({ signal }) => call((api) => api.operations.story({ params: { id } }), signal),
    refetchInterval: 5_000
  })

export const booksOfSweep = (id: string) =>
  queryOptions({
    queryKey: [CONSOLE, "books", id],
    queryFn: ({ signal }) => call((api) => api.stories.books({ params: { id } }), signal)
  })

export const pauses = queryOptions({
  queryKey: [CONSOLE, "operations", "pauses"],
  queryFn: ({ signal }) => call((api) => api.operations.pauses(), signal),
  refetchInterval: 10_000
})
