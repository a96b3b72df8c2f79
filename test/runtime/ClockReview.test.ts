/** The alert about a process whose clock differs from that of its database. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as AlertsInMemory from "../../src/adapters/memory/shared/Alerts.ts"
import { Alerts } from "../../src/ports/shared/Alerts.ts"
import { DatabaseTime } from "../../src/ports/shared/Store.ts"
import * as ClockReview from "../../src/runtime/ClockReview.ts"

interface Server {
  /** Milliseconds that its clock is ahead of that of the process. */
  aheadMillis: number
  /** Duration of an answer in milliseconds. */
  delayMillis?: number
}

/** A process that asks this server. */
const start = (server: Server) =>
  Layer.build(
    Layer.fresh(ClockReview.layer("machine a")).pipe(
      Layer.provide(
        Layer.succeed(
          DatabaseTime,
          Effect.gen(function* () {
            yield* Effect.sleep(server.delayMillis ?? 0)
            return (yield* Clock.currentTimeMillis) + server.aheadMillis
          })
        )
      )
    )
  )

const standing = Effect.flatMap(Alerts, ({ list }) => Effect.map(list, (all) => all.map(({ kind }) => kind)))

describe("the clock of a process", () => {
  it.effect.each([6_000, -6_000])("that differs for over a minute raises an alert, which ends (%s ms)", (aheadMillis) =>
    Effect.gen(function* () {
      const server: Server = { aheadMillis }
      yield* start(server)
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(yield* standing, [])
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* standing, ["clock_differs"])
      const [alert] = yield* (yield* Alerts).list
      assert.strictEqual(alert?.details["machine"], "machine a")
      assert.include(String(alert?.details["detail"]), aheadMillis > 0 ? "6 seconds behind" : "6 seconds ahead")
      server.aheadMillis = 4_000
      yield* TestClock.adjust("75 seconds")
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(AlertsInMemory.layer))
  )

  it.effect("raises nothing if it differs for less than a minute, or if the answer is slow", () =>
    Effect.gen(function* () {
      const server: Server = { aheadMillis: 3_600_000 }
      yield* start(server)
      yield* start({ aheadMillis: 0, delayMillis: 30_000 })
      yield* start({ aheadMillis: 4_999 })
      yield* TestClock.adjust("50 seconds")
      server.aheadMillis = 0
      yield* TestClock.adjust("20 seconds")
      server.aheadMillis = 3_600_000
      yield* TestClock.adjust("50 seconds")
      server.aheadMillis = 0
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(AlertsInMemory.layer))
  )

  it.effect("does not end the alert of another process, until that one renews it no longer", () =>
    Effect.gen(function* () {
      const wrong = { aheadMillis: 60_000 }
      yield* start({ aheadMillis: 0 })
      yield* Effect.gen(function* () {
        yield* start(wrong)
        yield* TestClock.adjust("61 seconds")
        const [first] = yield* (yield* Alerts).list
        yield* TestClock.adjust("5 minutes")
        const [later] = yield* (yield* Alerts).list
        assert.isDefined(first?.id)
        assert.strictEqual(later?.id, first?.id)
      }).pipe(Effect.scoped)
      yield* TestClock.adjust("75 seconds")
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(AlertsInMemory.layer))
  )
})
