/** The alert about bookings that the builder backend does not take. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as AlertsInMemory from "../../../src/adapters/memory/shared/Alerts.ts"
import * as LateMessages from "../../../src/orchestrator/outbox/LateMessages.ts"
import { Backlog } from "../../../src/ports/orchestrator/Backlog.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"

const standing = Effect.flatMap(Alerts, ({ list }) => Effect.map(list, (all) => all.map(({ kind }) => kind)))

interface Waiting {
  /** UNIX milliseconds at a time. */
  oldestMs: (nowMs: number) => number | undefined
}

const START = 3_600_000

/** A process that looks at these messages. */
const look = (state: Waiting) =>
  Effect.andThen(
    TestClock.setTime(START),
    Layer.build(
      LateMessages.layer.pipe(
        Layer.provide(
          Layer.mock(Backlog, {
            outbox: Effect.map(Clock.currentTimeMillis, (nowMs) => ({
              ledger: { waiting: 3, oldestMs: state.oldestMs(nowMs) },
              events: { waiting: 1, oldestMs: 0 }
            }))
          })
        )
      )
    )
  )

describe("the alert about late bookings", () => {
  it.effect("is raised when one has waited for a quarter of an hour, and ends when it is booked", () =>
    Effect.gen(function* () {
      const state: Waiting = { oldestMs: () => START }
      yield* look(state)
      yield* TestClock.adjust("15 minutes")
      assert.deepStrictEqual(yield* standing, [])
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* standing, ["outbox_late"])
      state.oldestMs = (nowMs) => nowMs - 1_000
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(AlertsInMemory.layer))
  )

  it.effect("is not raised for a rejected booking that is offered again every 30 seconds, whenever that is", () =>
    Effect.gen(function* () {
      const phases = [0, 5_000, 10_000, 15_000, 20_000, 25_000]
      yield* Effect.forEach(phases, (phase) =>
        Effect.gen(function* () {
          yield* look({ oldestMs: (nowMs) => ((nowMs + phase) % 30_000 < 3_000 ? 0 : undefined) })
          yield* TestClock.adjust("1 hour")
          assert.deepStrictEqual(yield* standing, [])
        }).pipe(Effect.scoped)
      )
    }).pipe(Effect.provide(AlertsInMemory.layer))
  )

  it.effect("ends where no backend is configured any more, once no replica with one renews it", () =>
    Effect.gen(function* () {
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* look({ oldestMs: () => START })
          yield* TestClock.adjust("17 minutes")
          yield* Layer.build(LateMessages.layerUnconfigured)
          yield* TestClock.adjust("5 minutes")
          assert.deepStrictEqual(yield* standing, ["outbox_late"])
        })
      )
      yield* Layer.build(LateMessages.layerUnconfigured)
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(AlertsInMemory.layer))
  )

  it.effect("of an earlier process ends where no backend is configured", () =>
    Effect.gen(function* () {
      const { raise } = yield* Alerts
      yield* raise({ key: "outbox_late", severity: "critical", kind: "outbox_late", message: "", details: {} })
      yield* Layer.build(LateMessages.layerUnconfigured)
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(AlertsInMemory.layer))
  )
})
