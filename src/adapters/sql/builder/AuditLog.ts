/** Records in `builder.audit_log`. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Schema } from "effect"
import { AuditLog } from "../../../ports/builder/AuditLog.ts"
import * as ChangeLog from "../shared/ChangeLog.ts"
import { guarded } from "../shared/Database.ts"
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

export const layer = Layer.effect(
  AuditLog,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    const append: AuditLog["Service"]["append"] = Effect.fn("AuditLog.append")(
      (record) => ChangeLog.record(sql, "builder", record),
      guarded("AuditLog.append")
    )

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
