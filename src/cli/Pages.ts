/** Reads all pages of a list of the admin API. */
import { Effect } from "effect"

/** Maximum page size of the API. */
const PAGE = 500

/** Every row of all pages. */
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
