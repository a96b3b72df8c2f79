/**
 * {@link AlertNotices} in the table `alert_notices` beside the alerts. A lease is a column, so a notice is due again if its sender dies,
 * and any number of processes share the work.
 */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer, Schema } from "effect"
import type { Told } from "../../../domain/AlertNotice.ts"
import { AlertNotices, type Followed } from "../../../ports/shared/AlertNotices.ts"
import { Severity } from "../../../ports/shared/Alerts.ts"
import { columns, readable } from "./Alerts.ts"
import { boundedTime } from "./BoundedTime.ts"
import { guarded, timestamp } from "./Database.ts"

const Row = Schema.Struct({
  ...columns,
  cleared_at: Schema.NullOr(Schema.Date),
  accepted: Schema.NullOr(Schema.Int),
  last_at: Schema.NullOr(Schema.Date),
  told_severity: Schema.NullOr(Severity),
  failures: Schema.NullOr(Schema.Int),
  retry_at: Schema.NullOr(Schema.Date),
  is_leased: Schema.Boolean
})

const decodeRow = Schema.decodeUnknownSync(Row)

const toldOf = ({ accepted, failures, last_at, retry_at, told_severity }: typeof Row.Type): Told | undefined =>
  accepted === null || failures === null
    ? undefined
    : {
        accepted,
        failures,
        isClosed: false,
        ...(last_at === null ? {} : { lastMs: last_at.getTime() }),
        ...(told_severity === null ? {} : { severity: told_severity }),
        ...(retry_at === null ? {} : { retryMs: retry_at.getTime() })
      }

const read = (raw: { readonly id: bigint }): Followed => {
  const row = decodeRow(raw)
  const { cleared_at: clearedAt, details, id, key, kind, message, severity, since } = row
  const alert = { id: String(id), key, severity, kind, message, details, sinceMs: since.getTime() }
  return {
    alert: clearedAt === null ? alert : { ...alert, clearedAtMs: clearedAt.getTime() },
    told: toldOf(row),
    isLeased: row.is_leased
  }
}

const orNull = (millis: number | undefined): Date | null => (millis === undefined ? null : timestamp(millis))

const make = Effect.fnUntraced(function* (schema: "orchestrator" | "builder") {
  const sql = yield* PgClient.PgClient
  const alerts = sql(`${schema}.alerts`)
  const notices = sql(`${schema}.alert_notices`)

  const open = Effect.fn("AlertNotices.open")(function* (destination: string) {
    const at = timestamp(yield* Clock.currentTimeMillis)
    const selected = sql`a.id, a.key, a.severity, a.kind, a.message, a.details, a.since, a.cleared_at,
      n.accepted, n.last_at, n.severity AS told_severity, n.failures, n.retry_at,
      coalesce(n.leased_until > ${at}, false) AS is_leased`
    // The union lets each part use its index.
    const rows = yield* sql<{ readonly id: bigint }>`
      SELECT * FROM (
        SELECT ${selected} FROM ${alerts} a
        LEFT JOIN ${notices} n ON n.alert_id = a.id AND n.destination = ${destination}
        WHERE a.cleared_at IS NULL
        UNION ALL
        SELECT ${selected} FROM ${notices} n JOIN ${alerts} a ON a.id = n.alert_id
        WHERE n.destination = ${destination} AND NOT n.closed AND a.cleared_at IS NOT NULL
      ) followed ORDER BY severity = 'critical' DESC, since, id`
    return yield* readable(rows, read)
  }, guarded("AlertNotices.open"))

  const claim: AlertNotices["Service"]["claim"] = Effect.fn("AlertNotices.claim")(function* (
    { alertId, destination },
    told,
    leaseMillis
  ) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql`
        INSERT INTO ${notices} AS n (alert_id, destination, leased_until)
        VALUES (${alertId}::bigint, ${destination}, ${yield* boundedTime(sql, now + leaseMillis)})
        ON CONFLICT (alert_id, destination) DO UPDATE SET leased_until = excluded.leased_until
        WHERE (n.leased_until IS NULL OR n.leased_until <= ${yield* boundedTime(sql, now)}) AND NOT n.closed
          AND n.accepted = ${told?.accepted ?? 0} AND n.failures = ${told?.failures ?? 0}
        RETURNING alert_id`
    return rows.length > 0
  }, guarded("AlertNotices.claim"))

  const record: AlertNotices["Service"]["record"] = Effect.fn("AlertNotices.record")(function* (
    { alertId, destination },
    before,
    after
  ) {
    yield* sql`
        UPDATE ${notices} SET accepted = ${after.accepted}, last_at = ${orNull(after.lastMs)},
          severity = ${after.severity ?? null}, failures = ${after.failures}, retry_at = ${orNull(after.retryMs)},
          closed = ${after.isClosed}, leased_until = NULL
        WHERE alert_id = ${alertId}::bigint AND destination = ${destination} AND NOT closed
          AND accepted = ${before.accepted} AND failures = ${before.failures}`
  }, guarded("AlertNotices.record"))

  return AlertNotices.of({ open, claim, record })
})

/** Notices in a service's schema. Requires the schema of `Migrated.layer`. */
export const inSchema = (schema: "orchestrator" | "builder") => Layer.effect(AlertNotices, make(schema))
