/** Locks and notifications between processes that share a database. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { expect, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Option, Redacted, Schedule, Stream } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Database from "../../../../src/adapters/sql/shared/Database.ts"
import { firstClass } from "../../../../src/domain/Exposure.ts"
import { Exposures } from "../../../../src/ports/orchestrator/Exposures.ts"
import { Intents } from "../../../../src/ports/orchestrator/Intents.ts"
import { RelayTransactions } from "../../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, submitted } from "../../../support/IntentFixtures.ts"
import { stores } from "../../../support/OrchestratorStores.ts"
import { TestDatabase, migratedDatabaseUrl } from "../../../support/Postgres.ts"

const process = Effect.flatMap(TestDatabase, ({ url }) =>
  Layer.build(Layer.fresh(stores.pipe(Layer.provide(Database.layer({ url: Redacted.make(url), poolSize: 4 })))))
)

/** Returns once a session of the database waits for a lock. */
const somebodyWaits = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  const sql = yield* PgClient.make({ url: Redacted.make(url), maxConnections: 1 })
  yield* sql`
    SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`.pipe(
    Effect.repeat({ until: (rows) => rows.length > 0, schedule: Schedule.spaced("20 millis") })
  )
}).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

it.effect(
  "an allocation that waits for its signature holds up neither claims nor reads, and nobody takes its intent",
  () =>
    Effect.gen(function* () {
      const here = yield* process
      const there = yield* process
      const intents = Context.get(there, Intents)
      yield* Effect.provide(submitted({ id: "a", owner: 1 }), here)
      yield* Effect.provide(submitted({ id: "b", owner: 2 }), here)
      const signing = yield* Deferred.make<void>()
      const signed = yield* Deferred.make<void>()
      const allocation = yield* Effect.forkChild(
        Context.get(here, RelayTransactions).allocate({
          chainId: 1,
          lane: address(9),
          chainNonce: 0n,
          intentIds: ["a"],
          sign: () =>
            Deferred.succeed(signing, undefined).pipe(Effect.andThen(Deferred.await(signed)), Effect.as(attempt("a")))
        })
      )
      yield* Deferred.await(signing)
      const claimed = yield* intents.claim({ chainId: 1, worker: "there", leaseMillis: 1_000, limit: 10 })
      expect(claimed.map(({ id }) => id)).toEqual(["b"])
      expect(Option.getOrThrow(yield* intents.find("a")).txHash).toBeUndefined()
      yield* Deferred.succeed(signed, undefined)
      expect(yield* Fiber.join(allocation)).toMatchObject({ nonce: 0n })
      expect(Option.getOrThrow(yield* intents.find("a")).txHash).toBe(attempt("a").hash)
    }).pipe(Effect.provide(migratedDatabaseUrl))
)

it.live(
  "an intent that is being signed for does not fail meanwhile, so that nothing is broadcast for a failed one",
  () =>
    Effect.gen(function* () {
      const here = yield* process
      const there = yield* process
      yield* Effect.provide(submitted({ id: "a" }), here)
      const signing = yield* Deferred.make<void>()
      const signed = yield* Deferred.make<void>()
      const order: Array<string> = []
      const allocation = yield* Context.get(here, RelayTransactions)
        .allocate({
          chainId: 1,
          lane: address(9),
          chainNonce: 0n,
          intentIds: ["a"],
          sign: () =>
            Deferred.succeed(signing, undefined).pipe(
              Effect.andThen(Deferred.await(signed)),
              Effect.tap(() => Effect.sync(() => order.push("signed"))),
              Effect.as(attempt("a"))
            )
        })
        .pipe(Effect.forkChild)
      yield* Deferred.await(signing)
      const failure = yield* Context.get(there, Intents)
        .apply("a", [{ _tag: "Failed", reason: "expired" }])
        .pipe(
          Effect.tap(() => Effect.sync(() => order.push("failed"))),
          Effect.forkChild
        )
      yield* somebodyWaits
      yield* Deferred.succeed(signed, undefined)
      yield* Fiber.join(allocation)
      expect(yield* Fiber.join(failure)).toMatchObject({ status: "failed", txHash: attempt("a").hash })
      expect(order).toEqual(["signed", "failed"])
    }).pipe(Effect.provide(migratedDatabaseUrl))
)

it.live("a reservation counts one that another process stores meanwhile", () =>
  Effect.gen(function* () {
    const exposures = Context.get(yield* process, Exposures)
    const { url } = yield* TestDatabase
    const other = yield* PgClient.make({ url: Redacted.make(url), maxConnections: 1 })
    const key = firstClass(1, false)
    const reserve = (intentId: string, wei: bigint) =>
      exposures.reserve([{ intentId, classes: [key], wei }], {
        unlisted: { hour: 0n, day: 0n },
        listedHour: 0n,
        firstHour: 200n
      })
    yield* reserve("before", 1n)
    const reserving = yield* other.withTransaction(
      Effect.gen(function* () {
        yield* other`UPDATE orchestrator.exposure_sums SET open = open + 90 WHERE class = ${key}`
        const fiber = yield* Effect.forkScoped(reserve("late", 60n))
        yield* somebodyWaits
        return fiber
      })
    )
    expect(yield* Fiber.join(reserving)).toEqual([{ intentId: "late", spent: key, isBusy: true }])
    expect((yield* exposures.sums([key])).get(key)?.open).toBe(91n)
  }).pipe(Effect.scoped, Effect.provide([migratedDatabaseUrl, Reactivity.layer]))
)

it.effect("a submission wakes the workers of another process", () =>
  Effect.gen(function* () {
    const here = yield* process
    const there = yield* process
    const wakes = yield* Deferred.make<void>()
    const woken = yield* Context.get(there, Intents).wakes.pipe(
      // The first says that it listens; what is submitted from then on is heard.
      Stream.tap(() => Deferred.succeed(wakes, undefined)),
      Stream.take(2),
      Stream.runDrain,
      Effect.forkChild({ startImmediately: true })
    )
    yield* Deferred.await(wakes)
    yield* Effect.provide(submitted({ id: "a" }), here)
    yield* Fiber.join(woken)
  }).pipe(Effect.provide(migratedDatabaseUrl))
)
