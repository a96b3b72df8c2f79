/** Lists of the admin API, read to their end. */
import { Effect } from "effect"

/** The most that the API gives at once. */
const PAGE = 500

/** Every row, page after page. */
export const all = <A, E, R>(
  page: (query: {
    readonly limit: number
    readonly cursor?: string
  }) => Effect.Effect<{ readonly rows: ReadonlyArray<A>; readonly nextCursor?: string }, E, R>
): Effect.Effect<ReadonlyArray<A>, E, R> =>
  Effect.gen(function* () {
    const rows: Array<A> = []
    let next: { readonly cursor?: string } | undefined = {}
    while (next !== undefined) {
      const got: { readonly rows: ReadonlyArray<A>; readonly nextCursor?: string } = yield* page({
        limit: PAGE,
        ...next
      })
      rows.push(...got.rows)
      next = got.nextCursor === undefined ? undefined : { cursor: got.nextCursor }
    }
    return rows
  })
