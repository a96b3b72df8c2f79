/** Records in `builder.audit_log`. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { type AuditFilter, AuditLog, BUILDER_ACTOR } from "../../../ports/builder/AuditLog.ts"
import * as ChangeLog from "../shared/ChangeLog.ts"
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

/** Operators or builders, as the index of the operators' records says it. */
const IS_BUILDER = `starts_with(actor, '${BUILDER_ACTOR}')`

/** Conditions of a filter. Indexes find those of an actor and of operators. For others, records are read from the newest on until the page is full. */
const conditions = (
  sql: PgClient.PgClient,
  { action, actor, by, fromMs, subject, toMs }: AuditFilter
): ReadonlyArray<Fragment> => {
  const isBuilder = sql.literal(IS_BUILDER)
  return [
    actor === undefined ? [] : sql`actor = ${text(actor)}`,
    by === undefined ? [] : by === "builders" ? sql`${isBuilder}` : sql`NOT ${isBuilder}`,
    action === undefined ? [] : sql`action = ${text(action)}`,
    subject === undefined ? [] : sql`subject = ${text(subject)}`,
    fromMs === undefined ? [] : sql`at >= ${timestamp(fromMs)}`,
    toMs === undefined ? [] : sql`at < ${timestamp(toMs)}`
  ].flat()
}

export const layer = Layer.effect(
  AuditLog,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    const append: AuditLog["Service"]["append"] = Effect.fn("AuditLog.append")(
      (record) => ChangeLog.record(sql, "builder", record),
      guarded("AuditLog.append")
    )

    const list: AuditLog["Service"]["list"] = Effect.fn("AuditLog.list")(function* ({ before, limit, ...filter }) {
      const isOlder = sql`id < coalesce(${Rows.rowId(before)}::bigint, 9223372036854775807)`
      const rows = yield* decode(
        yield* sql`SELECT * FROM builder.audit_log
          WHERE ${sql.and([isOlder, ...conditions(sql, filter)])} ORDER BY id DESC LIMIT ${limit}`
      )
      return rows.map(({ at, ...record }) => ({ ...record, atMs: at }))
    }, guarded("AuditLog.list"))

    return AuditLog.of({ append, list })
  })
)
