/** Alerts in PostgreSQL, shared by all replicas. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer, Schema } from "effect"
import { type Alert, Alerts, type NewAlert, Severity } from "../../../ports/shared/Alerts.ts"
import { guarded, text, timestamp } from "./Database.ts"
import { decodeEach } from "./EachRow.ts"

/** Columns that alerts and their notices read. */
export const columns = {
  id: Schema.BigInt,
  key: Schema.String,
  severity: Severity,
  kind: Schema.String,
  message: Schema.String,
  details: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])),
  since: Schema.Date
} as const

const decodeRow = Schema.decodeUnknownSync(Schema.Struct(columns))

const toAlert = (raw: { readonly id: bigint }): Alert => {
  const { id, since, ...row } = decodeRow(raw)
  return { ...row, id: String(id), sinceMs: since.getTime() }
}

/** The rows that can be read. The others are reported. */
export const readable = Effect.fnUntraced(function* <Row extends { readonly id: bigint }, A>(
  rows: ReadonlyArray<Row>,
  read: (row: Row) => A
) {
  const { failures, values } = decodeEach(rows, read)
  for (const { detail, id: alertId } of failures) {
    yield* Effect.annotateLogs(Effect.logError("alert.unreadable"), { alertId, detail })
  }
  return values
})

const storable = (details: NewAlert["details"]) =>
  Object.fromEntries(
    Object.entries(details).map(([name, value]) => [text(name), typeof value === "string" ? text(value) : value])
  )

const make = Effect.fnUntraced(function* (schema: "orchestrator" | "builder") {
  const sql = yield* PgClient.PgClient
  const table = sql(`${schema}.alerts`)

  const now = Effect.map(Clock.currentTimeMillis, timestamp)

  const raise = Effect.fn("Alerts.raise")(function* (alert: NewAlert) {
    // Watchers raise the same alert in every pass. Only a change is written.
    yield* sql`
      INSERT INTO ${table} AS a (key, severity, kind, message, details, since)
      VALUES (
        ${text(alert.key)}, ${alert.severity}, ${text(alert.kind)}, ${text(alert.message)},
        ${sql.json(storable(alert.details))}, ${yield* now}
      )
      ON CONFLICT (key) WHERE cleared_at IS NULL
      DO UPDATE SET severity = excluded.severity, kind = excluded.kind, message = excluded.message,
        details = excluded.details
      WHERE (a.severity, a.kind, a.message, a.details)
        IS DISTINCT FROM (excluded.severity, excluded.kind, excluded.message, excluded.details)`
  }, guarded("alerts.raise"))

  const amend = Effect.fn("Alerts.amend")(function* (id: string, details: NewAlert["details"]) {
    yield* sql`
      UPDATE ${table} SET details = details || ${sql.json(storable(details))}::jsonb
      WHERE id = ${id}::bigint AND cleared_at IS NULL`
  }, guarded("alerts.amend"))

  const clear = Effect.fn("Alerts.clear")(function* (key: string) {
    yield* sql`
      UPDATE ${table} SET cleared_at = ${yield* now} WHERE key = ${text(key)} AND cleared_at IS NULL`
  }, guarded("alerts.clear"))

  const list = Effect.gen(function* () {
    const rows = yield* sql<{ readonly id: bigint }>`
      SELECT * FROM ${table} WHERE cleared_at IS NULL ORDER BY severity = 'critical' DESC, since, id`
    return yield* readable(rows, toAlert)
  }).pipe(guarded("alerts.list"), Effect.withSpan("Alerts.list"))

  return Alerts.of({ raise, amend, clear, list })
})

/** Alerts in the table `alerts` of a service's schema. Requires the schema of `Migrated.layer`. */
export const inSchema = (schema: "orchestrator" | "builder") => Layer.effect(Alerts, make(schema))
