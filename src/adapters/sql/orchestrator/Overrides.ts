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

const set = (sql: Sql): Shape["set"] =>
  Effect.fnUntraced(
    function* ({ name, reason, value }, change) {
      const at = timestamp(yield* Clock.currentTimeMillis)
      const changed =
        value === undefined
          ? yield* sql`DELETE FROM orchestrator.operator_overrides WHERE name = ${text(name)} RETURNING name`
          : yield* sql`INSERT INTO orchestrator.operator_overrides AS o (name, value, actor, reason, since)
              VALUES (${text(name)}, ${text(value)}, ${text(change.actor)}, ${text(reason)}, ${at})
              ON CONFLICT (name) DO UPDATE
                SET value = excluded.value, actor = excluded.actor, reason = excluded.reason, since = excluded.since
                WHERE o.value <> excluded.value
              RETURNING name`
      if (changed.length === 0) return false
      yield* record(sql, change)
      return true
    },
    (effect) => sql.withTransaction(effect),
    guarded("Overrides.set")
  )

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
      changes: wakes
    })
  })
)
