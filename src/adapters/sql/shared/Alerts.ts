/** Alerts in PostgreSQL, shared by all replicas. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer, Schema } from "effect"
import { Alerts, type NewAlert, Severity } from "../../../ports/shared/Alerts.ts"
import { guarded, text, timestamp } from "./Database.ts"

const AlertRow = Schema.Struct({
  id: Schema.BigInt,
  key: Schema.String,
  severity: Severity,
  kind: Schema.String,
  message: Schema.String,
  details: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])),
  since: Schema.Date
})

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(AlertRow))

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

  const clear = Effect.fn("Alerts.clear")(function* (key: string) {
    yield* sql`
      UPDATE ${table} SET cleared_at = ${yield* now} WHERE key = ${text(key)} AND cleared_at IS NULL`
  }, guarded("alerts.clear"))

  const list = Effect.gen(function* () {
    const rows = yield* sql`
      SELECT * FROM ${table} WHERE cleared_at IS NULL ORDER BY severity = 'critical' DESC, since, id`
    return (yield* decodeRows(rows).pipe(Effect.orDie)).map((row) => ({
      id: String(row.id),
      key: row.key,
      severity: row.severity,
      kind: row.kind,
      message: row.message,
      details: row.details,
      sinceMs: row.since.getTime()
    }))
  }).pipe(guarded("alerts.list"), Effect.withSpan("Alerts.list"))

  return Alerts.of({ raise, clear, list })
})

/** Alerts in the table `alerts` of a service's schema. Requires the schema of `Migrated.layer`. */
export const inSchema = (schema: "orchestrator" | "builder") => Layer.effect(Alerts, make(schema))
