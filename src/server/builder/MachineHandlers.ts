/** What the orchestrator and operators post under the admin token. */
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { BuilderApi } from "../../api/builder/BuilderApi.ts"
import { AccrualRequest, RegistrationRequest, RevenueRequest, RevenuesRequest } from "../../api/builder/Schemas.ts"
import { SweepEventRequest } from "../../api/builder/SweepsApi.ts"
import { Accounts } from "../../builder/account/Accounts.ts"
import { Bookkeeping } from "../../builder/ledger/Bookkeeping.ts"
import { SweepReports } from "../../builder/ledger/SweepReports.ts"
import { publicView } from "../../domain/Builder.ts"
import { balances } from "../../domain/LedgerEntry.ts"
import { Ledger } from "../../ports/builder/Ledger.ts"
import { ServerSettings } from "../shared/ServerSettings.ts"
import * as Bodies from "./Bodies.ts"
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
    const { maxBodyBytes } = yield* ServerSettings
    return handlers
      .handleRaw(
        "register",
        Effect.fn("POST /builders")(function* () {
          const registration = yield* Bodies.detailed(RegistrationRequest, maxBodyBytes)
          const { apiKey, builder } = yield* accounts.register(registration, "admin-token")
          return { builder: publicView(builder), apiKey: Redacted.value(apiKey) }
        }, Effect.catchTags(Failures.registration))
      )
      .handleRaw(
        "accrue",
        Effect.fn("POST /accruals")(function* () {
          yield* bookkeeping.accrue(yield* Bodies.detailed(AccrualRequest, maxBodyBytes))
          return OK
        }, Effect.catchTags(Failures.accrual))
      )
      .handle(
        "balances",
        Effect.fn("GET /builders/:id/accruals")(function* ({ params }) {
          return { builderId: params.id, balances: balances(yield* ledger.totals(params.id)) }
        }, Effect.catchTags(Failures.store))
      )
      .handleRaw(
        "bookRevenue",
        Effect.fn("POST /revenue")(function* () {
          yield* bookkeeping.bookRevenue(yield* Bodies.detailed(RevenueRequest, maxBodyBytes))
          return OK
        }, Effect.catchTags(Failures.revenue))
      )
      .handleRaw(
        "bookRevenues",
        Effect.fn("POST /revenue/batch")(function* () {
          const { entries } = yield* Bodies.detailed(RevenuesRequest, maxBodyBytes)
          return { ...OK, booked: [...(yield* bookkeeping.bookRevenues(entries))] }
        }, Effect.catchTags(Failures.store))
      )
      .handleRaw(
        "reportSweep",
        Effect.fn("POST /sweep-events")(function* () {
          yield* reports.report(yield* Bodies.detailed(SweepEventRequest, maxBodyBytes))
          return OK
        }, Effect.catchTags(Failures.sweepEvent))
      )
  })
)
