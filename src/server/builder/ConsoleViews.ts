/** Revenue, treasury, audit log and alerts in the admin console. */
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { BuilderApi } from "../../api/builder/BuilderApi.ts"
import { NotFound } from "../../api/shared/Errors.ts"
import { CurrentOperator } from "../../api/builder/Middleware.ts"
import { Treasury } from "../../builder/ledger/Treasury.ts"
import { startOfDay } from "../../domain/Sweep.ts"
import { AuditLog } from "../../ports/builder/AuditLog.ts"
import { RevenueBook } from "../../ports/builder/RevenueBook.ts"
import { UnitOfWork } from "../../ports/builder/UnitOfWork.ts"
import { Alerts } from "../../ports/shared/Alerts.ts"
import * as Failures from "./Failures.ts"
import { newestFirst, paged } from "./Pages.ts"

const OK = { ok: true as const }
const DAY_MILLIS = 86_400_000
const REVENUE_DAYS = 30

const operator = Effect.map(CurrentOperator, ({ name }) => name)

export const make = Effect.gen(function* () {
  const alerts = yield* Alerts
  const audit = yield* AuditLog
  const revenueBook = yield* RevenueBook
  const treasury = yield* Treasury
  const { atomically } = yield* UnitOfWork

  return {
    revenue: HttpApiBuilder.handler(
      BuilderApi,
      "console",
      "revenue",
      Effect.fn("GET /admin/revenue")(function* ({ query }) {
        const now = yield* Clock.currentTimeMillis
        const { fromMs = startOfDay(now, REVENUE_DAYS), toMs = now + DAY_MILLIS } = query
        return { days: yield* revenueBook.daily({ fromMs, toMs }) }
      }, Effect.catchTags(Failures.store))
    ),
    treasury: HttpApiBuilder.handler(
      BuilderApi,
      "console",
      "treasury",
      Effect.fn("GET /admin/treasury")(function* () {
        return { positions: yield* treasury.positions }
      }, Effect.catchTags(Failures.store))
    ),
    audit: HttpApiBuilder.handler(
      BuilderApi,
      "console",
      "audit",
      Effect.fn("GET /admin/audit")(function* ({ query }) {
        const { cursor: _cursor, limit: _limit, ...filter } = query
        const page = yield* paged(
          query,
          (slice) => audit.list({ ...filter, ...newestFirst(slice) }),
          ({ id }) => id
        )
        return { records: page.rows, ...page.next }
      }, Effect.catchTags(Failures.store))
    ),
    alerts: HttpApiBuilder.handler(
      BuilderApi,
      "console",
      "alerts",
      Effect.fn("GET /admin/alerts")(() => alerts.list, Effect.catchTags(Failures.store))
    ),
    clearAlert: HttpApiBuilder.handler(
      BuilderApi,
      "console",
      "clearAlert",
      Effect.fn("POST /admin/alerts/clear")(function* ({ payload: { key } }) {
        // A clear that finds nothing is a mistake, such as the id in place of the key.
        if (!(yield* alerts.list).some((alert) => alert.key === key)) return yield* new NotFound()
        const record = { actor: yield* operator, action: "alert.clear", subject: key, details: {} }
        yield* atomically(Effect.andThen(alerts.clear(key), audit.append(record)))
        return OK
      }, Effect.catchTags(Failures.store))
    )
  }
})
