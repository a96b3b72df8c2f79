/** {@link Overrides} in PostgreSQL. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer } from "effect"
import { Overrides } from "../../../ports/orchestrator/Overrides.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import { record } from "./LaneBook.ts"
import * as Wakes from "./Wakes.ts"

type Sql = PgClient.PgClient
type Shape = Overrides["Service"]

const CHANNEL = "sweep_overrides"

const all = (sql: Sql): Shape["all"] =>
  Effect.gen(function* () {
    const rows = yield* sql<{ name: string; value: string; actor: string; reason: string; since: Date }>`
      SELECT name, value, actor, reason, since FROM orchestrator.operator_overrides ORDER BY name COLLATE "C"`
    return rows.map(({ since, ...rest }) => ({ ...rest, sinceMs: since.getTime() }))
  }).pipe(guarded("Overrides.all"))

type Wanted = Parameters<Shape["set"]>[0]

/** Writes the value, unless another one than the expected value stands. */
const write = (
  sql: Sql,
  { expected, name, reason, value }: Wanted & { readonly value: string },
  actor: string,
  at: Date
) => {
  const row = sql`${text(name)}, ${text(value)}, ${text(actor)}, ${text(reason)}, ${at}`
  if (expected !== undefined && expected.value === undefined) {
    return sql`INSERT INTO orchestrator.operator_overrides (name, value, actor, reason, since) VALUES (${row})
      ON CONFLICT (name) DO NOTHING RETURNING name`
  }
  if (expected?.value !== undefined) {
    return sql`UPDATE orchestrator.operator_overrides
      SET value = ${text(value)}, actor = ${text(actor)}, reason = ${text(reason)}, since = ${at}
      WHERE name = ${text(name)} AND value = ${text(expected.value)} RETURNING name`
  }
  return sql`INSERT INTO orchestrator.operator_overrides AS o (name, value, actor, reason, since) VALUES (${row})
    ON CONFLICT (name) DO UPDATE
      SET value = excluded.value, actor = excluded.actor, reason = excluded.reason, since = excluded.since
      WHERE o.value <> excluded.value
    RETURNING name`
}

const drop = (sql: Sql, { expected, name }: Wanted) =>
  expected?.value === undefined
    ? sql`DELETE FROM orchestrator.operator_overrides WHERE name = ${text(name)} RETURNING name`
    : sql`DELETE FROM orchestrator.operator_overrides
        WHERE name = ${text(name)} AND value = ${text(expected.value)} RETURNING name`

const set = (sql: Sql): Shape["set"] =>
  Effect.fnUntraced(
    function* (wanted, change) {
      const at = timestamp(yield* Clock.currentTimeMillis)
      const { value } = wanted
      const changed = yield* value === undefined
        ? drop(sql, wanted)
        : write(sql, { ...wanted, value }, change.actor, at)
      if (changed.length === 0) return false
      yield* record(sql, change)
      return true
    },
    (effect) => sql.withTransaction(effect),
    guarded("Overrides.set")
  )

const restate = (sql: Sql): Shape["restate"] =>
  Effect.fnUntraced(function* ({ from, name, to }) {
    const changed = yield* sql`UPDATE orchestrator.operator_overrides SET value = ${text(to)}
      WHERE name = ${text(name)} AND value = ${text(from)} RETURNING name`
    return changed.length > 0
  }, guarded("Overrides.restate"))

/** Requires the schema of `Migrated.layer`. */
export const layer = Layer.effect(
  Overrides,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const { wake, wakes } = yield* Wakes.make(CHANNEL)
    const store = set(sql)
    return Overrides.of({
      all: all(sql),
      set: (wanted, change) => Effect.tap(store(wanted, change), (isChanged) => (isChanged ? wake : Effect.void)),
      restate: restate(sql),
      changes: wakes
    })
  })
)
