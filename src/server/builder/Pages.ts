/** Pages of long lists: a request for one row more than is shown tells whether there is another page. */
import { Effect } from "effect"

const DEFAULT_LIMIT = 100

export interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
}

/** What a store is asked for. */
export interface Slice {
  readonly limit: number
  /** The cursor of the last row that was already shown. */
  readonly after: string | undefined
}

/** One page, and the cursor of the next one where there is one. */
export const paged = <A, E, R>(
  query: PageQuery,
  load: (slice: Slice) => Effect.Effect<ReadonlyArray<A>, E, R>,
  cursorOf: (row: A) => string
) => {
  const { cursor: after, limit = DEFAULT_LIMIT } = query
  return Effect.map(load({ limit: limit + 1, after }), (rows) => {
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    return { rows: shown, next: rows.length > limit && last !== undefined ? { nextCursor: cursorOf(last) } : {} }
  })
}
