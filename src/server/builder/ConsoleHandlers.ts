/** The admin console. */
import { Clock, Effect, Option, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { BuilderApi } from "../../api/builder/BuilderApi.ts"
import { CurrentOperator } from "../../api/builder/Middleware.ts"
import {
  ClearAlertRequest,
  FailureRequest,
  PatchRequest,
  PaymentRequest,
  PayoutRequest,
  RegistrationRequest,
  ReversalRequest,
  SignedPaymentRequest
} from "../../api/builder/Schemas.ts"
import { NotFound } from "../../api/shared/Errors.ts"
import { Accounts } from "../../builder/account/Accounts.ts"
import { Bookkeeping } from "../../builder/ledger/Bookkeeping.ts"
import { PayoutDesk } from "../../builder/payout/PayoutDesk.ts"
import { Treasury } from "../../builder/ledger/Treasury.ts"
import { publicView } from "../../domain/Builder.ts"
import { owed } from "../../domain/LedgerEntry.ts"
import { toCsv } from "../../domain/Payout.ts"
import { Alerts } from "../../ports/shared/Alerts.ts"
import { ApiKeys } from "../../ports/builder/ApiKeys.ts"
import { AuditLog } from "../../ports/builder/AuditLog.ts"
import { Builders } from "../../ports/builder/Builders.ts"
import { Ledger } from "../../ports/builder/Ledger.ts"
import { Payouts } from "../../ports/builder/Payouts.ts"
import { RevenueBook } from "../../ports/builder/RevenueBook.ts"
import { UnitOfWork } from "../../ports/builder/UnitOfWork.ts"
import { ServerSettings } from "../shared/ServerSettings.ts"
import * as Bodies from "./Bodies.ts"
import * as Failures from "./Failures.ts"
import { paged, type Slice } from "./Pages.ts"

const OK = { ok: true as const }
const DAY_MILLIS = 86_400_000
const REVENUE_DAYS = 30

/** A signed payment holds every line of its batch: this is some thousand. */
const MAX_PAYMENT_BYTES = 1_048_576

const operator = Effect.map(CurrentOperator, ({ name }) => name)

/** A slice of a list that is read from its newest row on. */
const newestFirst = ({ after, limit }: Slice) => ({ limit, ...(after === undefined ? {} : { before: after }) })

/** A slice of a list that is read in the order in which it grows, or of its keys. */
const inOrder = ({ after, limit }: Slice) => ({ limit, ...(after === undefined ? {} : { after }) })

export const console = HttpApiBuilder.group(
  BuilderApi,
  "console",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const alerts = yield* Alerts
    const audit = yield* AuditLog
    const bookkeeping = yield* Bookkeeping
    const builders = yield* Builders
    const desk = yield* PayoutDesk
    const keys = yield* ApiKeys
    const ledger = yield* Ledger
    const payouts = yield* Payouts
    const revenueBook = yield* RevenueBook
    const treasury = yield* Treasury
    const { atomically } = yield* UnitOfWork
    const { maxBodyBytes } = yield* ServerSettings

    const existing = Effect.fnUntraced(function* (id: string) {
      return yield* Effect.mapError(Effect.fromOption(yield* builders.byId(id)), () => new NotFound())
    })

    return handlers
      .handle(
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
      )
      .handleRaw(
        "registerBuilder",
        Effect.fn("POST /admin/builders")(function* () {
          const registration = yield* Bodies.detailed(RegistrationRequest, maxBodyBytes)
          const { apiKey, builder } = yield* accounts.register(registration, yield* operator)
          return { builder: publicView(builder), apiKey: Redacted.value(apiKey) }
        }, Effect.catchTags(Failures.registration))
      )
      .handle(
        "builder",
        Effect.fn("GET /admin/builders/:id")(function* ({ params }) {
          const builder = yield* existing(params.id)
          const key = yield* keys.of(builder.id)
          if (Option.isNone(key)) return { builder }
          const { hash: _, ...apiKey } = key.value
          return { builder, apiKey }
        }, Effect.catchTags(Failures.store))
      )
      .handleRaw(
        "patchBuilder",
        Effect.fn("PATCH /admin/builders/:id")(
          function* ({ params }) {
            const patch = yield* Bodies.detailed(PatchRequest, maxBodyBytes)
            return yield* accounts.patch(params.id, patch, yield* operator)
          },
          Effect.catchTags({ BuilderNotFound: Failures.notFound, ...Failures.markup, ...Failures.store })
        )
      )
      .handle(
        "builderAccruals",
        Effect.fn("GET /admin/builders/:id/accruals")(function* ({ params }) {
          const { id } = yield* existing(params.id)
          const totals = yield* ledger.totals(id)
          return { builderId: id, totals: totals.map((line) => ({ ...line, owed: owed(line) })) }
        }, Effect.catchTags(Failures.store))
      )
      .handle(
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
      )
      .handleRaw(
        "reverseAccrual",
        Effect.fn("POST /admin/accruals/reverse")(
          function* () {
            const { reason, sweepId } = yield* Bodies.detailed(ReversalRequest, maxBodyBytes)
            return { booked: yield* bookkeeping.reverse(sweepId, reason, yield* operator) }
          },
          Effect.catchTags({ AccrualNotFound: Failures.notFound, ...Failures.store })
        )
      )
      .handle(
        "payouts",
        Effect.fn("GET /admin/payouts")(function* ({ query }) {
          const page = yield* paged(
            query,
            (slice) => payouts.list(newestFirst(slice)),
            ({ id }) => id
          )
          return { payouts: page.rows, ...page.next }
        }, Effect.catchTags(Failures.store))
      )
      .handleRaw(
        "openPayout",
        Effect.fn("POST /admin/payouts")(
          function* () {
            const { minAmount = 0n, ...request } = yield* Bodies.detailed(PayoutRequest, maxBodyBytes)
            return yield* desk.open({ ...request, minAmount }, yield* operator)
          },
          Effect.catchTags({ ...Failures.nothingOwed, ...Failures.unsupportedChain, ...Failures.store })
        )
      )
      .handle(
        "payout",
        Effect.fn("GET /admin/payouts/:id")(
          ({ params }) => desk.get(params.id),
          Effect.catchTags({ PayoutNotFound: Failures.notFound, ...Failures.store })
        )
      )
      .handle(
        "payoutCsv",
        Effect.fn("GET /admin/payouts/:id/csv")(
          ({ params }) => Effect.map(desk.get(params.id), toCsv),
          Effect.catchTags({ PayoutNotFound: Failures.notFound, ...Failures.store })
        )
      )
      .handle(
        "payoutSafe",
        Effect.fn("GET /admin/payouts/:id/safe")(
          ({ params }) => desk.safeTransactions(params.id),
          // A batch is opened on a configured chain; that its chain was taken away since is an operator's mistake.
          Effect.catchTags({ PayoutNotFound: Failures.notFound, UnsupportedChain: Effect.die, ...Failures.store })
        )
      )
      .handleRaw(
        "recordPayment",
        Effect.fn("POST /admin/payouts/:id/payments")(
          function* ({ params }) {
            const { known, raw } = yield* Bodies.detailed(SignedPaymentRequest, MAX_PAYMENT_BYTES)
            return yield* desk.record(params.id, raw, known, yield* operator)
          },
          Effect.catchTags({
            ...Failures.payout,
            ...Failures.badPayment,
            ...Failures.unsupportedChain,
            ...Failures.store
          })
        )
      )
      .handleRaw(
        "markPayoutPaid",
        Effect.fn("POST /admin/payouts/:id/paid")(
          function* ({ params }) {
            const { txHash } = yield* Bodies.detailed(PaymentRequest, maxBodyBytes)
            return yield* desk.markPaid(params.id, txHash, yield* operator)
          },
          Effect.catchTags({
            ...Failures.payout,
            ...Failures.payment,
            ...Failures.unsupportedChain,
            ...Failures.chain,
            ...Failures.store
          })
        )
      )
      .handleRaw(
        "failPayout",
        Effect.fn("POST /admin/payouts/:id/fail")(
          function* ({ params }) {
            const { reason } = yield* Bodies.detailed(FailureRequest, maxBodyBytes)
            return yield* desk.fail(params.id, reason, yield* operator)
          },
          Effect.catchTags({
            ...Failures.payout,
            ...Failures.unsupportedChain,
            ...Failures.chain,
            ...Failures.store
          })
        )
      )
      .handle(
        "revenue",
        Effect.fn("GET /admin/revenue")(function* ({ query }) {
          const now = yield* Clock.currentTimeMillis
          const { fromMs = now - REVENUE_DAYS * DAY_MILLIS, toMs = now + DAY_MILLIS } = query
          return { days: yield* revenueBook.daily({ fromMs, toMs }) }
        }, Effect.catchTags(Failures.store))
      )
      .handle(
        "treasury",
        Effect.fn("GET /admin/treasury")(function* () {
          return { positions: yield* treasury.positions }
        }, Effect.catchTags(Failures.store))
      )
      .handle(
        "audit",
        Effect.fn("GET /admin/audit")(function* ({ query }) {
          const page = yield* paged(
            query,
            (slice) => audit.list(newestFirst(slice)),
            ({ id }) => id
          )
          return { records: page.rows, ...page.next }
        }, Effect.catchTags(Failures.store))
      )
      .handle(
        "alerts",
        Effect.fn("GET /admin/alerts")(() => alerts.list, Effect.catchTags(Failures.store))
      )
      .handleRaw(
        "clearAlert",
        Effect.fn("POST /admin/alerts/clear")(function* () {
          const { key } = yield* Bodies.detailed(ClearAlertRequest, maxBodyBytes)
          const record = { actor: yield* operator, action: "alert.clear", subject: key, details: {} }
          yield* atomically(Effect.andThen(alerts.clear(key), audit.append(record)))
          return OK
        }, Effect.catchTags(Failures.store))
      )
  })
)
