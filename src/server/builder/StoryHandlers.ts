/** The console's search in the backend's own books, and the books of one sweep. */
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { BuilderApi } from "../../api/builder/BuilderApi.ts"
import { NotFound } from "../../api/shared/Errors.ts"
import { SweepBooks } from "../../builder/ledger/SweepBooks.ts"
import { parse, textOf } from "../../domain/SearchTerm.ts"
import * as Uuid from "../../domain/Uuid.ts"
import { Builders } from "../../ports/builder/Builders.ts"
import { Payouts } from "../../ports/builder/Payouts.ts"
import * as Failures from "./Failures.ts"

/** Builders that one search lists. */
const LISTED = 10

export const stories = HttpApiBuilder.group(
  BuilderApi,
  "stories",
  Effect.fnUntraced(function* (handlers) {
    const books = yield* SweepBooks
    const builders = yield* Builders
    const payouts = yield* Payouts
    return handlers
      .handle(
        "find",
        Effect.fn("GET /admin/find")(function* ({ query: { q } }) {
          const term = parse(q)
          // No builder and no batch is named by a hash.
          if (term === undefined || term._tag === "Hash") return { builders: [] }
          const payout = term._tag === "Id" ? yield* payouts.find(term.id) : Option.none()
          return {
            builders: yield* builders.list({ search: textOf(term), limit: LISTED }),
            ...(Option.isNone(payout) ? {} : { payout: payout.value })
          }
        }, Effect.catchTags(Failures.store))
      )
      .handle(
        "books",
        Effect.fn("GET /admin/sweeps/:id")(function* ({ params: { id } }) {
          return yield* Effect.mapError(Effect.fromOption(yield* books.ofAny(Uuid.stored(id))), () => new NotFound())
        }, Effect.catchTags(Failures.store))
      )
  })
)
