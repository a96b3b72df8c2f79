/** Payout batches in the admin console. */
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { UNKNOWN_CURSOR } from "../../api/builder/AccountSchemas.ts"
import { BuilderApi } from "../../api/builder/BuilderApi.ts"
import { InvalidRequest } from "../../api/builder/Errors.ts"
import { CurrentOperator } from "../../api/builder/Middleware.ts"
import { PayoutDesk } from "../../builder/payout/PayoutDesk.ts"
import { toCsv } from "../../domain/Payout.ts"
import * as Uuid from "../../domain/Uuid.ts"
import { Payouts } from "../../ports/builder/Payouts.ts"
import * as Failures from "./Failures.ts"
import { newestFirst, paged } from "./Pages.ts"

const operator = Effect.map(CurrentOperator, ({ name }) => name)

const batches = Effect.gen(function* () {
  const desk = yield* PayoutDesk
  const payouts = yield* Payouts

  return {
    payouts: HttpApiBuilder.handler(
      BuilderApi,
      "console",
      "payouts",
      Effect.fn("GET /admin/payouts")(function* ({ query }) {
        if (query.cursor !== undefined && Option.isNone(yield* payouts.find(query.cursor))) {
          return yield* InvalidRequest.field("cursor", UNKNOWN_CURSOR)
        }
        const page = yield* paged(
          query,
          (slice) => payouts.list(newestFirst(slice)),
          ({ id }) => id
        )
        return { payouts: page.rows, ...page.next }
      }, Effect.catchTags(Failures.store))
    ),
    openPayout: HttpApiBuilder.handler(
      BuilderApi,
      "console",
      "openPayout",
      Effect.fn("POST /admin/payouts")(
        function* ({ payload: { minAmount = 0n, ...request } }) {
          return yield* desk.open({ ...request, minAmount }, yield* operator)
        },
        Effect.catchTags({
          ...Failures.nothingOwed,
          ...Failures.unreconciled,
          ...Failures.unsupportedChain,
          ...Failures.store
        })
      )
    ),
    payout: HttpApiBuilder.handler(
      BuilderApi,
      "console",
      "payout",
      Effect.fn("GET /admin/payouts/:id")(
        ({ params }) => desk.get(Uuid.stored(params.id)),
        Effect.catchTags({ PayoutNotFound: Failures.notFound, ...Failures.store })
      )
    ),
    payoutCsv: HttpApiBuilder.handler(
      BuilderApi,
      "console",
      "payoutCsv",
      Effect.fn("GET /admin/payouts/:id/csv")(
        ({ params }) => Effect.map(desk.get(Uuid.stored(params.id)), toCsv),
        Effect.catchTags({ PayoutNotFound: Failures.notFound, ...Failures.store })
      )
    ),
    payoutSafe: HttpApiBuilder.handler(
      BuilderApi,
      "console",
      "payoutSafe",
      Effect.fn("GET /admin/payouts/:id/safe")(
        function* ({ params }) {
          return yield* desk.safeTransactions(Uuid.stored(params.id), yield* operator)
        },
        // A batch is opened on a configured chain. If the chain was removed since, the configuration is wrong.
        Effect.catchTags({
          ...Failures.payout,
          ...Failures.exportedElsewhere,
          UnsupportedChain: Effect.die,
          ...Failures.unreconciled,
          ...Failures.chain,
          ...Failures.store
        })
      )
    )
  }
})

const payments = Effect.gen(function* () {
  const desk = yield* PayoutDesk

  return {
    recordPayment: HttpApiBuilder.handler(
      BuilderApi,
      "console",
      "recordPayment",
      Effect.fn("POST /admin/payouts/:id/payments")(
        function* ({ params, payload: { known, raw } }) {
          return yield* desk.record(Uuid.stored(params.id), raw, known, yield* operator)
        },
        Effect.catchTags({
          ...Failures.payout,
          ...Failures.unreconciled,
          ...Failures.badPayment,
          ...Failures.unsupportedChain,
          ...Failures.chain,
          ...Failures.store
        })
      )
    ),
    markPayoutPaid: HttpApiBuilder.handler(
      BuilderApi,
      "console",
      "markPayoutPaid",
      Effect.fn("POST /admin/payouts/:id/paid")(
        function* ({ params, payload }) {
          return yield* desk.markPaid(Uuid.stored(params.id), payload.txHash, yield* operator)
        },
        Effect.catchTags({
          ...Failures.payout,
          ...Failures.payment,
          ...Failures.unsupportedChain,
          ...Failures.chain,
          ...Failures.store
        })
      )
    ),
    failPayout: HttpApiBuilder.handler(
      BuilderApi,
      "console",
      "failPayout",
      Effect.fn("POST /admin/payouts/:id/fail")(
        function* ({ params, payload }) {
          return yield* desk.fail(Uuid.stored(params.id), payload.reason, yield* operator)
        },
        Effect.catchTags({
          ...Failures.payout,
          ...Failures.unsupportedChain,
          ...Failures.chain,
          ...Failures.store
        })
      )
    )
  }
})

/** Handlers of every route of payouts. */
export const make = Effect.all([batches, payments]).pipe(
  Effect.map(([ofBatches, ofPayments]) => ({ ...ofBatches, ...ofPayments }))
)
