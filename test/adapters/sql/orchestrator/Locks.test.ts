/** Locks and notifications between processes that share a database. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { expect, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Option, Redacted, Stream } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as BridgeFlights from "../../../../src/adapters/sql/orchestrator/BridgeFlights.ts"
import * as Database from "../../../../src/adapters/sql/shared/Database.ts"
import { firstClass } from "../../../../src/domain/Exposure.ts"
import { BridgeFlights as BridgeFlightsPort } from "../../../../src/ports/orchestrator/BridgeFlights.ts"
import { Exposures } from "../../../../src/ports/orchestrator/Exposures.ts"
import { Intents } from "../../../../src/ports/orchestrator/Intents.ts"
import { IntentTaken, RelayTransactions } from "../../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, newIntent, submitted } from "../../../support/IntentFixtures.ts"
import { somebodyWaits } from "../../../support/LockWaits.ts"
import { stores } from "../../../support/OrchestratorStores.ts"
import { TestDatabase, migratedDatabaseUrl } from "../../../support/Postgres.ts"

const process = Effect.flatMap(TestDatabase, ({ url }) =>
  Layer.build(Layer.fresh(stores.pipe(Layer.provide(Database.layer({ url: Redacted.make(url), poolSize: 4 })))))
)

it.effect(
  "an allocation that waits for its signature holds up nobody, and of two for one intent the first is stored",
  () =>
    Effect.gen(function* () {
      const here = yield* process
      const there = yield* process
      const intents = Context.get(there, Intents)
      const transactions = Context.get(there, RelayTransactions)
      yield* Effect.provide(submitted({ id: "a", owner: 1 }), here)
      const signing = yield* Deferred.make<void>()
      const signed = yield* Deferred.make<void>()
      const late = yield* Effect.forkChild(
        Context.get(here, RelayTransactions).allocate({
          chainId: 1,
          lane: address(9),
          chainNonce: 0n,
          intentIds: ["a"],
          sign: () =>
            Deferred.succeed(signing, undefined).pipe(
              Effect.andThen(Deferred.await(signed)),
              Effect.as(attempt("late"))
            )
        })
      )
      yield* Deferred.await(signing)
      const claimed = yield* intents.claim({ chainId: 1, worker: "there", leaseMillis: 1_000, limit: 10 })
      expect(claimed.map(({ id }) => id)).toEqual(["a"])
      yield* transactions.allocate({
        chainId: 1,
        lane: address(9),
        chainNonce: 0n,
        intentIds: ["a"],
        sign: () => Effect.succeed(attempt("first"))
      })
      yield* Deferred.succeed(signed, undefined)
      expect(yield* Effect.flip(Fiber.join(late))).toEqual(new IntentTaken({ intentIds: ["a"] }))
      expect(yield* transactions.unfinished(1)).toMatchObject([{ nonce: 0n, attempts: [attempt("first")] }])
      expect(Option.getOrThrow(yield* intents.find("a")).txHash).toBe(attempt("first").hash)
    }).pipe(Effect.provide(migratedDatabaseUrl))
)

it.effect("an intent that fails while it is signed for is in no transaction, so nothing is broadcast for it", () =>
  Effect.gen(function* () {
    const here = yield* process
    const there = yield* process
    yield* Effect.provide(submitted({ id: "a" }), here)
    const allocation = Context.get(here, RelayTransactions).allocate({
      chainId: 1,
      lane: address(9),
      chainNonce: 0n,
      intentIds: ["a"],
      sign: () =>
        Context.get(there, Intents)
          .apply("a", [{ _tag: "Failed", reason: "expired" }])
          .pipe(Effect.as(attempt("a")))
    })
    expect(yield* Effect.flip(allocation)).toEqual(new IntentTaken({ intentIds: ["a"] }))
    expect(yield* Context.get(here, RelayTransactions).unfinished(1)).toEqual([])
    expect(Option.getOrThrow(yield* Context.get(there, Intents).find("a"))).toMatchObject({ status: "failed" })
  }).pipe(Effect.provide(migratedDatabaseUrl))
)

it.effect("a process signs again where another one has taken the nonce, and then knows the lane's next one", () =>
  Effect.gen(function* () {
    const allocator = Effect.map(process, (services) => {
      const asked: Array<bigint> = []
      const next = Context.get(services, RelayTransactions).allocate({
        chainId: 1,
        lane: address(9),
        chainNonce: 5n,
        intentIds: [],
        sign: (nonce) => Effect.sync(() => (asked.push(nonce), attempt(`${nonce}`)))
      })
      return { asked, next }
    })
    const here = yield* allocator
    const there = yield* allocator
    const nonces = yield* Effect.forEach([here, there, there, here], ({ next }) =>
      Effect.map(next, ({ nonce }) => nonce)
    )
    expect(nonces).toEqual([5n, 6n, 7n, 8n])
    expect(here.asked).toEqual([5n, 6n, 8n])
    expect(there.asked).toEqual([5n, 6n, 7n])
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

it.live(
  "a reservation is not released while another process stores the submission of its quote, or reserves it too",
  () =>
    Effect.gen(function* () {
      const here = yield* process
      const exposures = Context.get(here, Exposures)
      const { url } = yield* TestDatabase
      const other = yield* PgClient.make({ url: Redacted.make(url), maxConnections: 1 })
      const key = firstClass(1, false)
      const ids = ["queued", "left", "joined"]
      const reservations = ids.map((intentId) => ({ intentId, classes: [key], wei: 5n }))
      for (const id of ids) yield* Context.get(here, Intents).create(newIntent({ id }))
      const budgets = { unlisted: { hour: 0n, day: 0n }, listedHour: 0n, firstHour: 200n }
      yield* exposures.reserve(reservations, budgets, "submission")
      const releasing = yield* other.withTransaction(
        Effect.gen(function* () {
          yield* other`
          UPDATE orchestrator.intent_states SET status = 'submitted', submitted_at = updated_at WHERE id = 'queued'`
          const fiber = yield* Effect.forkScoped(exposures.releaseQuoted(ids, "submission"))
          yield* somebodyWaits
          yield* exposures.reserve(reservations.slice(2), budgets, "another")
          return fiber
        })
      )
      yield* Fiber.join(releasing)
      expect([...(yield* exposures.reserved(ids)).keys()].toSorted()).toEqual(["joined", "queued"])
      expect((yield* exposures.sums([key])).get(key)?.open).toBe(10n)
      yield* exposures.releaseQuoted(ids, "another")
      expect([...(yield* exposures.reserved(ids)).keys()]).toEqual(["queued"])
      expect((yield* exposures.sums([key])).get(key)?.open).toBe(5n)
    }).pipe(Effect.scoped, Effect.provide([migratedDatabaseUrl, Reactivity.layer]))
)

it.live("a bridge flight is not released while another process stores its sweep or renews its reservation", () =>
  Effect.gen(function* () {
    const here = yield* process
    const { url } = yield* TestDatabase
    const other = yield* PgClient.make({ url: Redacted.make(url), maxConnections: 1 })
    const flights = Context.get(
      yield* Layer.build(
        Layer.fresh(
          BridgeFlights.layer(100n).pipe(Layer.provide(Database.layer({ url: Redacted.make(url), poolSize: 4 })))
        )
      ),
      BridgeFlightsPort
    )
    const ids = ["queued", "renewed", "left"]
    for (const id of ids) yield* Context.get(here, Intents).create(newIntent({ id }))
    yield* flights.reserve(
      ids.map((id) => ({ id, bridge: "relay", value: 10n })),
      "submission"
    )
    const releasing = yield* other.withTransaction(
      Effect.gen(function* () {
        yield* other`
          UPDATE orchestrator.intent_states SET status = 'submitted', submitted_at = updated_at WHERE id = 'queued'`
        const fiber = yield* Effect.forkScoped(flights.releaseQuoted(ids, "submission"))
        yield* somebodyWaits
        yield* flights.reserve([{ id: "renewed", bridge: "relay", value: 10n }], "another")
        return fiber
      })
    )
    yield* Fiber.join(releasing)
    expect(yield* flights.room("relay")).toBe(80n)
    yield* flights.releaseQuoted(ids, "another")
    expect(yield* flights.room("relay")).toBe(90n)
  }).pipe(Effect.scoped, Effect.provide([migratedDatabaseUrl, Reactivity.layer]))
)

it.effect("a submission wakes the workers of its chain in another process, and no others", () =>
  Effect.gen(function* () {
    const here = yield* process
    const there = yield* process
    const order: Array<number> = []
    /** Two wake-ups. The first says that it listens; what is submitted from then on is heard. */
    const waiting = Effect.fnUntraced(function* (chainId: number) {
      const listening = yield* Deferred.make<void>()
      const woken = yield* Context.get(there, Intents)
        .wakes(chainId)
        .pipe(
          Stream.tap(() => Deferred.succeed(listening, undefined)),
          Stream.take(2),
          Stream.runDrain,
          Effect.tap(() => Effect.sync(() => order.push(chainId))),
          Effect.forkChild({ startImmediately: true })
        )
      return { listening: Deferred.await(listening), woken: Fiber.join(woken) }
    })
    const [first, second] = [yield* waiting(1), yield* waiting(2)]
    yield* first.listening
    yield* second.listening
    yield* Effect.provide(submitted({ id: "a", owner: 1, chainId: 2 }), here)
    yield* second.woken
    yield* Effect.provide(submitted({ id: "b", owner: 2, chainId: 1 }), here)
    yield* first.woken
    expect(order).toEqual([2, 1])
  }).pipe(Effect.provide(migratedDatabaseUrl))
)

it.effect("two processes that fill a lane at once stop at its last slot", () =>
  Effect.gen(function* () {
    const both = [yield* process, yield* process].map((each) => Context.get(each, RelayTransactions))
    const allocated = yield* Effect.forEach(
      Array.from({ length: 40 }, (_, index) => index),
      (index) =>
        Effect.option(
          both[index % 2]?.allocate({
            chainId: 1,
            lane: address(9),
            chainNonce: 4n,
            slots: 15n,
            intentIds: [],
            sign: (nonce) => Effect.as(Effect.yieldNow, attempt(`${index} ${nonce}`))
          }) ?? Effect.die("no process")
        ),
      { concurrency: "unbounded" }
    )
    const nonces = allocated.flatMap((each) => (Option.isSome(each) ? [Number(each.value.nonce)] : []))
    expect(nonces.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 15 }, (_, index) => 4 + index))
  }).pipe(Effect.provide(migratedDatabaseUrl))
)
