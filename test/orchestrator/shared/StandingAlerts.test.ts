import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { StandingAlerts } from "../../../src/orchestrator/shared/StandingAlerts.ts"
import { Alerts, type NewAlert } from "../../../src/ports/shared/Alerts.ts"

const alert: NewAlert = { key: "lane_low:1", severity: "warning", kind: "lane_low", message: "low", details: {} }

describe("StandingAlerts", () => {
  it.effect("asks the store again only after a minute, since another replica may have raised the alert and ended", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const store = Layer.mock(Alerts)({
        raise: ({ key }) => Effect.sync(() => void asked.push(`raise ${key}`)),
        clear: (key) => Effect.sync(() => void asked.push(`clear ${key}`))
      })
      yield* Effect.gen(function* () {
        const alerts = yield* StandingAlerts
        yield* alerts.clear(alert.key)
        yield* TestClock.adjust("59 seconds")
        yield* alerts.clear(alert.key)
        assert.deepStrictEqual(asked, ["clear lane_low:1"])
        yield* TestClock.adjust("1 second")
        yield* alerts.clear(alert.key)
        assert.deepStrictEqual(asked, ["clear lane_low:1", "clear lane_low:1"])
        yield* alerts.raise(alert)
        yield* alerts.clear(alert.key)
        assert.deepStrictEqual(asked.slice(2), ["raise lane_low:1", "clear lane_low:1"])
      }).pipe(Effect.provide(StandingAlerts.layer.pipe(Layer.provide(store))))
    })
  )
})
