import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, Ref, References } from "effect"
import { TestClock } from "effect/testing"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import * as Retention from "../../../src/orchestrator/operate/Retention.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { KeptData } from "../../../src/ports/orchestrator/KeptData.ts"
import { StoreUnavailable } from "../../../src/ports/shared/Store.ts"

const DAY = 86_400_000

it.effect("old rows are deleted by their kind's age, batch after batch, while another kind fails", () =>
  Effect.gen(function* () {
    const asked = yield* Ref.make<ReadonlyArray<{ readonly kind: string; readonly beforeMs: number }>>([])
    const sums = yield* Ref.make(0)
    const months = yield* Ref.make<ReadonlyArray<string | number>>([])
    const left = yield* Ref.make(2_500)
    const kept = KeptData.of({
      prune: Effect.fnUntraced(function* (kind, beforeMs, limit) {
        yield* Ref.update(asked, (all) => [...all, { kind, beforeMs }])
        if (kind === "events") return yield* new StoreUnavailable({ operation: "prune", detail: "down" })
        if (kind !== "quotes") return 0
        return yield* Ref.modify(left, (rows) => [Math.min(rows, limit), rows - Math.min(rows, limit)])
      }),
      addMonths: Ref.update(months, (calls) => [...calls, "added"]),
      dropMonths: (beforeMs) =>
        Effect.as(
          Ref.update(months, (calls) => [...calls, beforeMs]),
          2
        ),
      sumUp: Ref.update(sums, (count) => count + 1)
    })
    yield* TestClock.adjust("400 days")
    yield* Layer.build(
      Retention.layer.pipe(
        Layer.provide([Layer.succeed(KeptData, kept), OrchestratorSettings.layer(orchestratorDefaults)])
      )
    )
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* Ref.get(left), 0)
    const first = Map.groupBy(yield* Ref.get(asked), ({ kind }) => kind)
    const ages = Object.fromEntries(Array.from(first, ([kind, [call]]) => [kind, 400 * DAY - (call?.beforeMs ?? 0)]))
    assert.deepStrictEqual(ages, {
      quotes: DAY,
      messages: 7 * DAY,
      rejections: 7 * DAY,
      attempts: 30 * DAY,
      events: 365 * DAY,
      fills: 8 * DAY,
      alerts: 90 * DAY,
      responses: 0
    })
    assert.deepStrictEqual(yield* Ref.get(months), ["added", 35 * DAY])
    assert.strictEqual(first.get("quotes")?.length, 3)
    assert.strictEqual(first.get("events")?.length, 1)
    yield* TestClock.adjust("1 minute")
    const second = Map.groupBy(yield* Ref.get(asked), ({ kind }) => kind)
    assert.strictEqual(second.get("events")?.length, 2)
    assert.strictEqual(second.get("quotes")?.length, 4)
    assert.isAtLeast(yield* Ref.get(sums), 10)
  })
)

it.effect("every failure to drop old months is logged, and the coming ones are added", () =>
  Effect.gen(function* () {
    const events: Array<string> = []
    const logger = Logger.make(({ fiber, logLevel, message }) => {
      const { detail = "" } = fiber.getRef(References.CurrentLogAnnotations)
      events.push([logLevel, [message].flat()[0], detail].join(" ").trim())
    })
    let added = 0
    const kept = KeptData.of({
      prune: () => Effect.succeed(0),
      addMonths: Effect.sync(() => added++),
      dropMonths: () => Effect.fail(new StoreUnavailable({ operation: "dropMonths", detail: "statement timeout" })),
      sumUp: Effect.void
    })
    yield* Layer.build(
      Retention.layer.pipe(
        Layer.provide([Layer.succeed(KeptData, kept), OrchestratorSettings.layer(orchestratorDefaults)]),
        Layer.provide(Logger.layer([logger]))
      )
    )
    yield* TestClock.adjust("150 minutes")
    const failed = "Error retention.months_not_dropped store unavailable during dropMonths: statement timeout"
    assert.deepStrictEqual(events, [failed, failed, failed])
    assert.strictEqual(added, 3)
  })
)
