/** Records of what operators changed, in the log of a service. Records are never changed or removed. */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect } from "effect"
import { text, timestamp } from "./Database.ts"

/** Logs of the services. */
const LOGS = { orchestrator: "orchestrator.operator_log", builder: "builder.audit_log" } as const

export type Schema = keyof typeof LOGS

export interface NewRecord {
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly details: Readonly<Record<string, string | number | boolean>>
}

/** Details without NUL, which PostgreSQL text cannot contain. */
const storable = (details: NewRecord["details"]) =>
  Object.fromEntries(
    Object.entries(details).map(([name, value]) => [name, typeof value === "string" ? text(value) : value])
  )

/** Adds a record to the log of the schema. Call it in the transaction of the change. */
export const record = Effect.fnUntraced(function* (sql: PgClient.PgClient, schema: Schema, added: NewRecord) {
  const at = timestamp(yield* Clock.currentTimeMillis)
  const { action, actor, details, subject } = added
  yield* sql`INSERT INTO ${sql(LOGS[schema])} (at, actor, action, subject, details)
    VALUES (${at}, ${text(actor)}, ${action}, ${text(subject)}, ${sql.json(storable(details))})`
})
