import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { counter, gauge, seconds } from "../../src/telemetry/Family.ts"
import { isolated, series } from "../support/Metrics.ts"

describe("a family of metrics", () => {
  it.effect("has a series for each set of labels", () =>
    Effect.gen(function* () {
      const requests = counter({ name: "test_requests_total", help: "Requests.", labels: { route: "", status: "" } })
      yield* requests.record(1, { route: "/quote", status: "200" })
      yield* requests.record(2, { route: "/quote", status: "200" })
      yield* requests.record(1, { route: "/quote", status: "500" })
      assert.deepStrictEqual(yield* series("test_requests_total"), [
        `test_requests_total{route="/quote",status="200"} 3`,
        `test_requests_total{route="/quote",status="500"} 1`
      ])
    }).pipe(isolated)
  )

  it.effect("counts values beyond its limit together, so that nobody can grow it", () =>
    Effect.gen(function* () {
      const names = counter({ name: "test_names_total", help: "Names.", labels: { name: "" } })
      for (let index = 0; index < 1_500; index++) yield* names.record(1, { name: `name-${index}` })
      const found = yield* series("test_names_total")
      assert.lengthOf(found, 1_001)
      assert.include(found, `test_names_total{name="other"} 500`)
    }).pipe(isolated)
  )

  it.effect("of gauges forgets what is no more", () =>
    Effect.gen(function* () {
      const alerts = gauge({ name: "test_alerts", help: "Alerts.", labels: { kind: "" } })
      yield* alerts.replace([
        { labels: { kind: "a" }, value: 1 },
        { labels: { kind: "b" }, value: 2 }
      ])
      yield* alerts.replace([{ labels: { kind: "b" }, value: 3 }])
      assert.deepStrictEqual(yield* series("test_alerts"), [`test_alerts{kind="b"} 3`])
      yield* alerts.replace([{ labels: { kind: "a" }, value: 4 }])
      assert.deepStrictEqual(yield* series("test_alerts"), [`test_alerts{kind="a"} 4`])
    }).pipe(isolated)
  )

  it.effect("of times counts each in its bucket", () =>
    Effect.gen(function* () {
      const times = seconds({ name: "test_seconds", help: "Times.", labels: {}, buckets: [0.1, 1] })
      yield* times.record(0.05, {})
      yield* times.record(0.5, {})
      yield* times.record(5, {})
      assert.deepStrictEqual(yield* series("test_seconds_bucket"), [
        `test_seconds_bucket{le="+Inf"} 3`,
        `test_seconds_bucket{le="0.1"} 1`,
        `test_seconds_bucket{le="1"} 2`
      ])
    }).pipe(isolated)
  )

  it.effect("of one service is not that of another in the same process", () =>
    Effect.gen(function* () {
      const shared = counter({ name: "test_shared_total", help: "Shared.", labels: {} })
      yield* isolated(shared.record(1, {}))
      assert.deepStrictEqual(yield* series("test_shared_total"), [])
    }).pipe(isolated)
  )
})
