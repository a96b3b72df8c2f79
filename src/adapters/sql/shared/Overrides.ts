/** {@link Overrides} in PostgreSQL, in the schema of a service. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer } from "effect"
import { Overrides } from "../../../ports/shared/Overrides.ts"
import * as ChangeLog from "./ChangeLog.ts"
import { guarded, text, timestamp } from "./Database.ts"
import * as Wakes from "./Wakes.ts"

type Sql = PgClient.PgClient
type Shape = Overrides["Service"]

/** Channels of wake-ups. Replicas of the release before listen to that of the orchestrator too. */
const CHANNELS: Readonly<Record<ChangeLog.Schema, string>> = {
  orchestrator: "sweep_overrides",
  builder: "builder_overrides"
}

const tableOf = (sql: Sql, schema: ChangeLog.Schema) => sql(`${schema}.operator_overrides`)

type Table = ReturnType<typeof tableOf>

const all = (sql: Sql, table: Table): Shape["all"] =>
  Effect.gen(function* () {
    const rows = yield* sql<{ name: string; value: string; actor: string; reason: string; since: Date }>`
      SELECT name, value, actor, reason, since FROM ${table} ORDER BY name COLLATE "C"`
    return rows.map(({ since, ...rest }) => ({ ...rest, sinceMs: since.getTime() }))
  }).pipe(guarded("Overrides.all"))

type Wanted = Parameters<Shape["set"]>[0]

/** Writes the value, unless another one than the expected value stands. */
const write = (
  sql: Sql,
  table: Table,
  { expected, name, reason, value }: Wanted & { readonly value: string },
  actor: string,
  at: Date
) => {
  const row = sql`${text(name)}, ${text(value)}, ${text(actor)}, ${text(reason)}, ${at}`
  if (expected !== undefined && expected.value === undefined) {
    return sql`INSERT INTO ${table} (name, value, actor, reason, since) VALUES (${row})
      ON CONFLICT (name) DO NOTHING RETURNING name`
  }
  if (expected?.value !== undefined) {
    return sql`UPDATE ${table}
      SET value = ${text(value)}, actor = ${text(actor)}, reason = ${text(reason)}, since = ${at}
      WHERE name = ${text(name)} AND value = ${text(expected.value)} RETURNING name`
  }
  return sql`INSERT INTO ${table} AS o (name, value, actor, reason, since) VALUES (${row})
    ON CONFLICT (name) DO UPDATE
      SET value = excluded.value, actor = excluded.actor, reason = excluded.reason, since = excluded.since
      WHERE o.value <> excluded.value
    RETURNING name`
}

const drop = (sql: Sql, table: Table, { expected, name }: Wanted) =>
  expected?.value === undefined
    ? sql`DELETE FROM ${table} WHERE name = ${text(name)} RETURNING name`
    : sql`DELETE FROM ${table}
        WHERE name = ${text(name)} AND value = ${text(expected.value)} RETURNING name`

const set = (sql: Sql, table: Table, schema: ChangeLog.Schema): Shape["set"] =>
  Effect.fnUntraced(
    function* (wanted, change) {
      const at = timestamp(yield* Clock.currentTimeMillis)
      const { value } = wanted
      const changed = yield* value === undefined
        ? drop(sql, table, wanted)
        : write(sql, table, { ...wanted, value }, change.actor, at)
      if (changed.length === 0) return false
      yield* ChangeLog.record(sql, schema, change)
      return true
    },
    (effect) => sql.withTransaction(effect),
    guarded("Overrides.set")
  )

const restate = (sql: Sql, table: Table): Shape["restate"] =>
  Effect.fnUntraced(function* ({ from, name, to }) {
    const changed = yield* sql`UPDATE ${table} SET value = ${text(to)}
      WHERE name = ${text(name)} AND value = ${text(from)} RETURNING name`
    return changed.length > 0
  }, guarded("Overrides.restate"))

/** Requires the schema of the service's `Migrated.layer`. */
export const layer = (schema: ChangeLog.Schema) =>
  Layer.effect(
    Overrides,
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const table = tableOf(sql, schema)
      const { wake, wakes } = yield* Wakes.make(CHANNELS[schema])
      const store = set(sql, table, schema)
      return Overrides.of({
        all: all(sql, table),
        set: (wanted, change) => Effect.tap(store(wanted, change), (isChanged) => (isChanged ? wake() : Effect.void)),
        restate: restate(sql, table),
        changes: wakes()
      })
    })
  )
