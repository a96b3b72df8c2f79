/** Pages of long lists. Each query reads one row more than the page shows, which tells if there is another page. */
import { Effect } from "effect"

const DEFAULT_LIMIT = 100

export interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
}

/** The part of a list that a store is asked for. */
export interface Slice {
  readonly limit: number
  /** The cursor of the last row that was already shown. */
  readonly after: string | undefined
}

/** A slice of a list that is read from its newest row. */
export const newestFirst = ({ after, limit }: Slice) => ({ limit, ...(after === undefined ? {} : { before: after }) })

/** A slice of a list that is read from its oldest row, or in the order of its keys. */
export const inOrder = ({ after, limit }: Slice) => ({ limit, ...(after === undefined ? {} : { after }) })

/** One page, and the cursor of the next page if there is one. */
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
