/** Effects of processes whose clocks differ from that of their database. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect } from "effect"

/** UNIX milliseconds of the database. */
export const databaseTime = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ at: Date }>`SELECT statement_timestamp() AS at`
  return row?.at.getTime() ?? (yield* Effect.die("no time"))
})

/** Runs with a clock that shows this time. Timers go on with the test's clock. */
export const at =
  (millis: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.updateService(effect, Clock.Clock, (clock) => ({
      ...clock,
      currentTimeMillisUnsafe: () => millis,
      currentTimeMillis: Effect.succeed(millis)
    }))
