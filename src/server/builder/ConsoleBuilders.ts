/** Builders in the admin console: their accounts and ledgers. */
import { Effect, Option, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { BuilderApi } from "../../api/builder/BuilderApi.ts"
import { CurrentOperator } from "../../api/builder/Middleware.ts"
import { NotFound } from "../../api/shared/Errors.ts"
import { Accounts } from "../../builder/account/Accounts.ts"
import { Bookkeeping } from "../../builder/ledger/Bookkeeping.ts"
import { publicView } from "../../domain/Builder.ts"
import { position } from "../../domain/LedgerEntry.ts"
import { ApiKeys } from "../../ports/builder/ApiKeys.ts"
import { Builders } from "../../ports/builder/Builders.ts"
import { Ledger } from "../../ports/builder/Ledger.ts"
import * as Failures from "./Failures.ts"
import * as KeyHandlers from "./KeyHandlers.ts"
import { inOrder, paged } from "./Pages.ts"

const operator = Effect.map(CurrentOperator, ({ name }) => name)

/** Finds a builder, or fails with 404. */
const existingBuilder = Effect.map(Builders, (builders) =>
  Effect.fnUntraced(function* (id: string) {
    return yield* Effect.mapError(Effect.fromOption(yield* builders.byId(id)), () => new NotFound())
  })
)

const accountRoutes = Effect.gen(function* () {
  const accounts = yield* Accounts
  const builders = yield* Builders
  const existing = yield* existingBuilder
  const keys = yield* ApiKeys

  return {
    builders: HttpApiBuilder.handler(
      BuilderApi,
      "console",
      "builders",
      Effect.fn("GET /admin/builders")(function* ({ query }) {
        const search = query.search === undefined ? {} : { search: query.search }
        const page = yield* paged(
          query,
          (slice) => builders.list({ ...inOrder(slice), ...search }),
          ({ id }) => id
        )
        return { builders: page.rows, ...page.next }
      }, Effect.catchTags(Failures.store))
    ),
    registerBuilder: HttpApiBuilder.handler(
      BuilderApi,
      "console",
      "registerBuilder",
      Effect.fn("POST /admin/builders")(function* ({ payload }) {
        const { apiKey, builder } = yield* accounts.register(payload, yield* operator)
        return { builder: publicView(builder), apiKey: Redacted.value(apiKey) }
      }, Effect.catchTags(Failures.registration))
    ),
    builder: HttpApiBuilder.handler(
      BuilderApi,
      "console",
      "builder",
      Effect.fn("GET /admin/builders/:id")(function* ({ params }) {
        const builder = yield* existing(params.id)
        const key = yield* keys.of(builder.id)
        if (Option.isNone(key)) return { builder }
        return { builder, apiKey: KeyHandlers.defaultView(key.value) }
      }, Effect.catchTags(Failures.store))
    ),
    patchBuilder: HttpApiBuilder.handler(
      BuilderApi,
      "console",
      "patchBuilder",
      Effect.fn("PATCH /admin/builders/:id")(
        function* ({ params, payload }) {
          return yield* accounts.patch(params.id, payload, yield* operator)
        },
        Effect.catchTags({ BuilderNotFound: Failures.notFound, ...Failures.markup, ...Failures.store })
      )
    )
  }
})

const ledgerRoutes = Effect.gen(function* () {
  const bookkeeping = yield* Bookkeeping
  const existing = yield* existingBuilder
  const ledger = yield* Ledger

  return {
    builderAccruals: HttpApiBuilder.handler(
      BuilderApi,
      "console",
      "builderAccruals",
      Effect.fn("GET /admin/builders/:id/accruals")(function* ({ params }) {
        const { id } = yield* existing(params.id)
        const totals = yield* ledger.totals(id)
        return { builderId: id, totals: totals.map(position) }
      }, Effect.catchTags(Failures.store))
    ),
    builderEntries: HttpApiBuilder.handler(
      BuilderApi,
      "console",
      "builderEntries",
      Effect.fn("GET /admin/builders/:id/entries")(function* ({ params, query }) {
        const { id } = yield* existing(params.id)
        const page = yield* paged(
          query,
          (slice) => ledger.entries(id, inOrder(slice)),
          (entry) => entry.id
        )
        return { entries: page.rows, ...page.next }
      }, Effect.catchTags(Failures.store))
    ),
    assignAccruals: HttpApiBuilder.handler(
      BuilderApi,
      "console",
      "assignAccruals",
      Effect.fn("POST /admin/accruals/assign")(
        function* ({ payload: { chainId, token } }) {
          return yield* bookkeeping.assign(token, chainId, yield* operator)
        },
        Effect.catchTags({ ...Failures.unsupportedChain, ...Failures.store })
      )
    ),
    reverseAccrual: HttpApiBuilder.handler(
      BuilderApi,
      "console",
      "reverseAccrual",
      Effect.fn("POST /admin/accruals/reverse")(
        function* ({ payload: { reason, sweepId } }) {
          return { booked: yield* bookkeeping.reverse(sweepId, reason, yield* operator) }
        },
        Effect.catchTags({ AccrualNotFound: Failures.notFound, ...Failures.store })
      )
    )
  }
})

/** Handlers of every route of builders. */
export const make = Effect.all([accountRoutes, ledgerRoutes]).pipe(
  Effect.map(([ofAccounts, ofLedgers]) => ({ ...ofAccounts, ...ofLedgers }))
)
