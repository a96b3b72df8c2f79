/** Records in `builder.audit_log`. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer, Schema } from "effect"
import { AuditLog, type NewAuditRecord } from "../../../ports/builder/AuditLog.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as Rows from "./Rows.ts"

const decode = Rows.decode(
  Schema.Struct({
    id: Rows.RowId,
    at: Rows.Millis,
    actor: Schema.String,
    action: Schema.String,
    subject: Schema.String,
    details: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Number, Schema.Boolean]))
  })
)

/** Details without NUL, which PostgreSQL text cannot contain. */
const storable = (details: NewAuditRecord["details"]) =>
  Object.fromEntries(
    Object.entries(details).map(([name, value]) => [name, typeof value === "string" ? text(value) : value])
  )

export const layer = Layer.effect(
  AuditLog,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    const append: AuditLog["Service"]["append"] = Effect.fn("AuditLog.append")(function* (record) {
      const now = timestamp(yield* Clock.currentTimeMillis)
      yield* sql`INSERT INTO builder.audit_log (at, actor, action, subject, details)
        VALUES (${now}, ${text(record.actor)}, ${record.action}, ${text(record.subject)}, ${sql.json(storable(record.details))})`
    }, guarded("AuditLog.append"))

    const list: AuditLog["Service"]["list"] = Effect.fn("AuditLog.list")(function* ({ before, limit }) {
      const rows = yield* decode(
        yield* sql`SELECT * FROM builder.audit_log
          WHERE id < coalesce(${Rows.rowId(before)}::bigint, 9223372036854775807) ORDER BY id DESC LIMIT ${limit}`
      )
      return rows.map(({ at, ...record }) => ({ ...record, atMs: at }))
    }, guarded("AuditLog.list"))

    return AuditLog.of({ append, list })
  })
)
