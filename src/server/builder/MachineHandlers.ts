/** Routes of the orchestrator and of operators, which need the admin token. */
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { BuilderApi } from "../../api/builder/BuilderApi.ts"
import { Accounts } from "../../builder/account/Accounts.ts"
import { Bookkeeping } from "../../builder/ledger/Bookkeeping.ts"
import { SweepReports } from "../../builder/ledger/SweepReports.ts"
import { publicView } from "../../domain/Builder.ts"
import { balances } from "../../domain/LedgerEntry.ts"
import { Ledger } from "../../ports/builder/Ledger.ts"
import * as Failures from "./Failures.ts"

const OK = { ok: true as const }

export const machine = HttpApiBuilder.group(
  BuilderApi,
  "machine",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const bookkeeping = yield* Bookkeeping
    const ledger = yield* Ledger
    const reports = yield* SweepReports
    return handlers
      .handle(
        "register",
        Effect.fn("POST /builders")(function* ({ payload }) {
          const { apiKey, builder } = yield* accounts.register(payload, "admin-token")
          return { builder: publicView(builder), apiKey: Redacted.value(apiKey) }
        }, Effect.catchTags(Failures.registration))
      )
      .handle(
        "accrue",
        Effect.fn("POST /accruals")(function* ({ payload }) {
          yield* bookkeeping.accrue(payload)
          return OK
        }, Effect.catchTags(Failures.accrual))
      )
      .handle(
        "balances",
        Effect.fn("GET /builders/:id/accruals")(function* ({ params }) {
          return { builderId: params.id, balances: balances(yield* ledger.totals(params.id)) }
        }, Effect.catchTags(Failures.store))
      )
      .handle(
        "bookRevenue",
        Effect.fn("POST /revenue")(function* ({ payload }) {
          yield* bookkeeping.bookRevenue(payload)
          return OK
        }, Effect.catchTags(Failures.revenue))
      )
      .handle(
        "bookRevenues",
        Effect.fn("POST /revenue/batch")(function* ({ payload: { entries } }) {
          return { ...OK, booked: [...(yield* bookkeeping.bookRevenues(entries))] }
        }, Effect.catchTags(Failures.store))
      )
      .handle(
        "reportSweep",
        Effect.fn("POST /sweep-events")(function* ({ payload }) {
          yield* reports.report(payload)
          return OK
        }, Effect.catchTags(Failures.sweepEvent))
      )
  })
)
