/** Contract of every store of alerts. Each test gets a store of its own. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { Alerts, type NewAlert } from "../../../src/ports/shared/Alerts.ts"

const alert = (key: string, changes: Partial<NewAlert> = {}): NewAlert => ({
  key,
  severity: "warning",
  kind: "lane_low",
  message: "The lane is short of gas: send it some.",
  details: { lane: "0xabc", missing: 1.5, paused: true },
  ...changes
})

export const suite = (adapter: string, board: Layer.Layer<Alerts, unknown>) =>
  describe(`Alerts on ${adapter}`, () => {
    it.effect("shows a cause once, as it was last raised, since it was first raised", () =>
      Effect.gen(function* () {
        const alerts = yield* Alerts
        yield* TestClock.adjust("5 millis")
        yield* alerts.raise(alert("a"))
        const [first] = yield* alerts.list
        expect(first).toEqual({ ...alert("a"), id: first?.id, sinceMs: 5 })
        yield* TestClock.adjust("5 millis")
        yield* alerts.raise(alert("a"))
        expect(yield* alerts.list).toEqual([first])
        const worse = alert("a", { severity: "critical", message: "Empty.", details: {} })
        yield* alerts.raise(worse)
        expect(yield* alerts.list).toEqual([{ ...worse, id: first?.id, sinceMs: 5 }])
      }).pipe(Effect.provide(board))
    )

    it.effect("forgets what was cleared, and starts anew when it is raised again", () =>
      Effect.gen(function* () {
        const alerts = yield* Alerts
        yield* alerts.raise(alert("a"))
        const [first] = yield* alerts.list
        yield* alerts.clear("a")
        yield* alerts.clear("a")
        yield* alerts.clear("never")
        expect(yield* alerts.list).toEqual([])
        yield* TestClock.adjust("9 millis")
        yield* alerts.raise(alert("a"))
        const [second] = yield* alerts.list
        expect(second?.sinceMs).toBe(9)
        expect(second?.id).not.toBe(first?.id)
      }).pipe(Effect.provide(board))
    )

    it.effect("changes values of an alert that stands, and raises none that was cleared", () =>
      Effect.gen(function* () {
        const alerts = yield* Alerts
        yield* alerts.raise(alert("a"))
        yield* alerts.raise(alert("b"))
        const [first, other] = yield* alerts.list
        if (first === undefined) return expect(first).toBeDefined()
        yield* TestClock.adjust("5 millis")
        yield* alerts.amend(first.id, { missing: 2.5, since: "noon" })
        const amended = { ...first, details: { ...first.details, missing: 2.5, since: "noon" } }
        expect(yield* alerts.list).toEqual([amended, other])

        yield* alerts.clear("a")
        yield* alerts.amend(first.id, { missing: 3.5 })
        yield* alerts.amend("987654321", { missing: 3.5 })
        expect(yield* alerts.list).toEqual([other])
        // Another alert of the key has other values.
        yield* alerts.raise(alert("a"))
        yield* alerts.amend(first.id, { missing: 3.5 })
        expect((yield* alerts.list).map(({ details }) => details["missing"])).toEqual([1.5, 1.5])
      }).pipe(Effect.provide(board))
    )

    it.effect("lists critical ones first, then the oldest", () =>
      Effect.gen(function* () {
        const alerts = yield* Alerts
        for (const [key, severity] of [
          ["a", "warning"],
          ["b", "critical"],
          ["c", "warning"],
          ["d", "critical"]
        ] as const) {
          yield* alerts.raise(alert(key, { severity }))
          yield* TestClock.adjust("1 millis")
        }
        expect((yield* alerts.list).map(({ key }) => key)).toEqual(["b", "d", "a", "c"])
      }).pipe(Effect.provide(board))
    )

    it.effect("holds one alert of a cause that many raise at once", () =>
      Effect.gen(function* () {
        const alerts = yield* Alerts
        yield* Effect.forEach(Array.from({ length: 30 }), () => alerts.raise(alert("a")), { concurrency: "unbounded" })
        expect(yield* alerts.list).toHaveLength(1)
      }).pipe(Effect.provide(board))
    )
  })
