import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { RenewedAlerts } from "../../../src/orchestrator/shared/RenewedAlerts.ts"
import { Alerts, type NewAlert } from "../../../src/ports/shared/Alerts.ts"
import * as SharedAlerts from "../../support/SharedAlerts.ts"

const alert: NewAlert = { key: "chain_stale:1", severity: "critical", kind: "chain_stale", message: "old", details: {} }

/** Starts a process over the shared alerts. */
const start = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(RenewedAlerts.layer, scope)
  const alerts = yield* Effect.provideContext(RenewedAlerts, context)
  return { ...alerts, stop: Scope.close(scope, Exit.void) }
})

/** A store that does not answer at once. */
const slow = Layer.effect(
  Alerts,
  Effect.map(Alerts, (alerts) => ({ ...alerts, list: Effect.andThen(Effect.yieldNow, alerts.list) }))
).pipe(Layer.provideMerge(SharedAlerts.layer))

const standing = Effect.flatMap(Alerts, ({ list }) => list)

describe("RenewedAlerts", () => {
  it.effect("renews every 5 seconds, also if no look raises it again", () =>
    Effect.gen(function* () {
      const { raise } = yield* start
      yield* raise(alert)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(
        (yield* standing).map(({ details, sinceMs }) => [sinceMs, details["renewedAtMs"]]),
        [[0, 60_000]]
      )
    }).pipe(Effect.scoped, Effect.provide(SharedAlerts.layer))
  )

  it.effect("renews for ten minutes after the last look that showed the condition", () =>
    Effect.gen(function* () {
      const { raise } = yield* start
      yield* raise(alert)
      yield* TestClock.adjust("5 minutes")
      yield* raise(alert)
      yield* TestClock.adjust("30 minutes")
      assert.deepStrictEqual(
        (yield* standing).map(({ details }) => details["renewedAtMs"]),
        [895_000]
      )
    }).pipe(Effect.scoped, Effect.provide(SharedAlerts.layer))
  )

  it.effect("raises the alert again that was cleared while this process sees its condition", () =>
    Effect.gen(function* () {
      const { raise } = yield* start
      yield* raise(alert)
      yield* Effect.flatMap(Alerts, ({ clear }) => clear(alert.key))
      yield* TestClock.adjust("5 seconds")
      assert.lengthOf(yield* standing, 1)
    }).pipe(Effect.scoped, Effect.provide(SharedAlerts.layer))
  )

  it.effect(
    "clears at the first look that comes 20 seconds after the last renewal was seen, and not what is raised then",
    () =>
      Effect.gen(function* () {
        const [failing, healthy] = [yield* start, yield* start]
        yield* failing.raise(alert)
        yield* failing.stop
        yield* TestClock.adjust("10 minutes")
        yield* healthy.end(alert.key)
        yield* TestClock.adjust("19 seconds")
        yield* healthy.end(alert.key)
        assert.lengthOf(yield* standing, 1)
        yield* TestClock.adjust("4 seconds")
        yield* healthy.end(alert.key)
        assert.lengthOf(yield* standing, 0)
        const { clears } = yield* SharedAlerts.SharedAlerts
        yield* (yield* start).raise(alert)
        yield* healthy.end(alert.key)
        assert.strictEqual(clears(), 1)
      }).pipe(Effect.scoped, Effect.provide(SharedAlerts.layer))
  )

  it.effect("lists the alerts once in 4 seconds, for any number of looks", () =>
    Effect.gen(function* () {
      const { end } = yield* start
      const { lists } = yield* SharedAlerts.SharedAlerts
      for (let second = 0; second < 60; second++) {
        yield* Effect.forEach([1, 2, 3], (chainId) => end(`chain_stale:${chainId}`), { concurrency: "unbounded" })
        yield* TestClock.adjust("1 second")
      }
      assert.strictEqual(lists(), 15)
    }).pipe(Effect.scoped, Effect.provide(slow))
  )

  it.effect("lists the alerts anew after the clock was set back", () =>
    Effect.gen(function* () {
      const { end } = yield* start
      const { lists } = yield* SharedAlerts.SharedAlerts
      yield* TestClock.setTime(7_200_000)
      yield* end(alert.key)
      const before = lists()
      yield* TestClock.setTime(3_600_000)
      yield* end(alert.key)
      assert.strictEqual(lists(), before + 1)
    }).pipe(Effect.scoped, Effect.provide(SharedAlerts.layer))
  )

  it.effect("asks nothing of a process without looks", () =>
    Effect.gen(function* () {
      yield* start
      const { lists } = yield* SharedAlerts.SharedAlerts
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(lists(), 0)
    }).pipe(Effect.scoped, Effect.provide(SharedAlerts.layer))
  )
})
