/** Alerts in memory that several processes of a test share, with counts of what they asked. */
import { assert } from "@effect/vitest"
import { Context, Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as AlertsInMemory from "../../src/adapters/memory/shared/Alerts.ts"
import { Alerts } from "../../src/ports/shared/Alerts.ts"

export class SharedAlerts extends Context.Service<
  SharedAlerts,
  {
    /** Number of listings. */
    readonly lists: () => number
    /** Number of alerts that were cleared. */
    readonly clears: () => number
  }
>()("sweep/test/SharedAlerts") {}

export const layer = Layer.effectContext(
  Effect.gen(function* () {
    const alerts = yield* Alerts
    let [lists, clears] = [0, 0]
    const counted = Alerts.of({
      ...alerts,
      clear: Effect.fnUntraced(function* (key) {
        if ((yield* alerts.list).some((alert) => alert.key === key)) clears++
        yield* alerts.clear(key)
      }),
      list: Effect.tap(alerts.list, () =>
        Effect.sync(() => {
          lists++
        })
      )
    })
    return Context.make(Alerts, counted).pipe(Context.add(SharedAlerts, { lists: () => lists, clears: () => clears }))
  })
).pipe(Layer.provide(AlertsInMemory.layer))

const sinces = Effect.flatMap(Alerts, ({ list }) => Effect.map(list, (all) => all.map(({ sinceMs }) => sinceMs)))

/** Requires that the alert is the only one in each second, and that nobody clears any. */
export const stands = Effect.fnUntraced(function* (sinceMs: number, time: Duration.Input) {
  const { clears } = yield* SharedAlerts
  const before = clears()
  for (let second = 0; second < Duration.toSeconds(time); second++) {
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(yield* sinces, [sinceMs], `after ${second} seconds`)
  }
  assert.strictEqual(clears(), before, "clears")
})

/** Requires that no alert stands after a time, and that none is raised in the next minute. */
export const ends = Effect.fnUntraced(function* (time: Duration.Input) {
  yield* TestClock.adjust(time)
  assert.deepStrictEqual(yield* sinces, [])
  for (let second = 0; second < 60; second++) {
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(yield* sinces, [], `after ${second} seconds`)
  }
})
