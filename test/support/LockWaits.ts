/** Waits for sessions that wait for a lock of the test's database. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Fiber, Redacted, Schedule } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { withLiveClock } from "./LiveClock.ts"
import { TestDatabase } from "./Postgres.ts"

/** Returns once a session of the database waits for a lock. Fails after 20 seconds. */
export const somebodyWaits = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  const sql = yield* PgClient.make({ url: Redacted.make(url), maxConnections: 1 })
  yield* sql`
    SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`.pipe(
    Effect.repeat({ until: (rows) => rows.length > 0, schedule: Schedule.spaced("20 millis") }),
    Effect.timeout("20 seconds")
  )
}).pipe(Effect.scoped, Effect.provide(Reactivity.layer), withLiveClock)

/**
 * Runs `effect` beside a transaction of another session that has run `first`, and commits that one once `effect` waits for it or has
 * ended.
 */
export const besides = <A, E, R, E1, R1>(
  other: PgClient.PgClient,
  first: Effect.Effect<unknown, E1, R1>,
  effect: Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const fiber = yield* other.withTransaction(
      Effect.gen(function* () {
        yield* first
        const running = yield* Effect.forkScoped(effect)
        yield* Effect.raceFirst(somebodyWaits, Fiber.await(running))
        return running
      })
    )
    return yield* Fiber.join(fiber)
  }).pipe(Effect.scoped)

/** A session of its own, until the scope closes. */
export const session = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  return yield* PgClient.make({ url: Redacted.make(url), maxConnections: 1 })
}).pipe(Effect.provide(Reactivity.layer))
