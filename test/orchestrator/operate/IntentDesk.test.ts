/** An operator sees stuck sweeps and retries them while the relayer runs. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Option, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as HeldIntents from "../../../src/adapters/memory/orchestrator/HeldIntents.ts"
import { StuckIntents } from "../../../src/domain/StuckIntent.ts"
import { HealthCheck } from "../../../src/orchestrator/operate/HealthCheck.ts"
import { IntentDesk } from "../../../src/orchestrator/operate/IntentDesk.ts"
import { ProviderProbes } from "../../../src/orchestrator/operate/ProviderProbes.ts"
import { LaneBook } from "../../../src/ports/orchestrator/LaneBook.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { layer as sceneLayer, layerWith, scene } from "../../support/RelayScene.ts"
import { source } from "../../support/RelayFixtures.ts"
import { relay } from "../../support/SentSweep.ts"

const desk = Layer.provideMerge(HealthCheck.layer)(IntentDesk.layer).pipe(
  Layer.provide(Layer.succeed(ProviderProbes, [])),
  Layer.provide(HeldIntents.layer)
)
const layer = Layer.provideMerge(desk, sceneLayer)

const healthyScene = Effect.gen(function* () {
  const the = yield* scene
  for (const chain of [the.chain, the.destinationChain]) {
    for (const contract of Object.values(source.contracts)) yield* chain.setCode(contract, "0x60")
  }
  return the
})

const stuck = (olderThanMillis = 120_000) =>
  Effect.flatMap(IntentDesk, (intents) => intents.stuck({ olderThanMillis, limit: 50 }))

const retry = (id: string) =>
  Effect.flatMap(IntentDesk, (intents) => intents.retry(id, "ann")).pipe(Effect.flatMap(Effect.fromOption))

describe("the operator's desk", () => {
  it.effect("shows a sweep that nobody takes, and not one that is young", () =>
    Effect.gen(function* () {
      const { submit } = yield* healthyScene
      yield* submit({ id: "old", owner: 1 })
      yield* TestClock.adjust("119 seconds")
      assert.deepStrictEqual(yield* stuck(), { intents: [], total: 0 })
      yield* TestClock.adjust("1 second")
      yield* submit({ id: "young", owner: 2 })
      const shown = yield* stuck()
      assert.strictEqual(shown.total, 1)
      const [intent] = shown.intents
      assert.deepInclude(intent, { id: "old", status: "submitted", retryable: true })
      // Its chain's newest block is as old as the wait: the node is behind, and that is told first.
      assert.strictEqual(intent?.waitsFor, "chain")
      yield* Schema.encodeEffect(StuckIntents)(shown)
    }).pipe(Effect.provide(layer))
  )

  it.effect("shows what a paused chain keeps, and what carries the others", () =>
    Effect.gen(function* () {
      const { submit } = yield* healthyScene
      yield* submit({ id: "a", owner: 1 })
      yield* relay
      const [paused] = (yield* stuck(0)).intents
      assert.strictEqual(paused?.waitsFor, "operator")
      assert.include(paused?.explanation, "paused")
    }).pipe(Effect.provide(Layer.provideMerge(desk, layerWith({ pausedChains: [source.id] }))))
  )

  it.effect("lets a resting sweep go at once, and says so again when asked again", () =>
    Effect.gen(function* () {
      const { submit } = yield* healthyScene
      const intents = yield* Intents
      yield* submit({ id: "a", owner: 1 })
      const claimed = yield* intents.claim({ chainId: source.id, worker: "dead", leaseMillis: 600_000, limit: 1 })
      assert.lengthOf(claimed, 1)
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
      assert.strictEqual((yield* stuck(0)).intents[0]?.waitsFor, "lease")

      for (const _ of [1, 2]) {
        const outcome = yield* retry("a")
        assert.strictEqual(outcome.outcome, "requeued")
        assert.include(outcome.explanation, "next claim")
      }
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })

      const records = yield* (yield* LaneBook).log(10)
      assert.deepStrictEqual(
        records.map(({ action, actor, subject }) => [actor, action, subject]),
        [1, 2].map(() => ["ann", "intent.retried", "intent:a"])
      )

      // The former holder of the lease cannot send it a second time, and a retry does not cause another send.
      const outcome = yield* retry("a")
      assert.strictEqual(outcome.outcome, "carried")
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
      const [shown] = (yield* stuck(0)).intents
      assert.deepInclude(shown, { waitsFor: "inclusion", retryable: false })
    }).pipe(Effect.provide(layer))
  )

  it.effect("tells the reason for which a sweep is no longer sent", () =>
    Effect.gen(function* () {
      const { submit } = yield* healthyScene
      const intents = yield* Intents
      yield* submit({ id: "a", owner: 1 })
      yield* submit({ id: "b", owner: 2 })
      const notBeforeMs = (yield* Clock.currentTimeMillis) + 600_000
      yield* intents.giveUp("a", { reason: "screening_blocked", detail: "listed", notBeforeMs })
      assert.deepStrictEqual(
        (yield* stuck(0)).intents.map(({ id, pendingFailureReason }) => [id, pendingFailureReason]),
        [
          ["a", "screening_blocked"],
          ["b", undefined]
        ]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("says whose turn it is where the owner has another sweep under way", () =>
    Effect.gen(function* () {
      const { submit } = yield* healthyScene
      yield* submit({ id: "a", owner: 1 })
      yield* TestClock.adjust("1 second")
      yield* submit({ id: "b", owner: 1, order: { nonce: 1n } })
      assert.include((yield* retry("b")).explanation, "once a of the same owner is done")
    }).pipe(Effect.provide(layer))
  )

  it.effect("changes nothing of what is past, and knows what it does not know", () =>
    Effect.gen(function* () {
      const { submit } = yield* healthyScene
      const intents = yield* Intents
      yield* submit({ id: "a", owner: 1 })
      yield* intents.apply("a", [{ _tag: "Failed", reason: "expired" }])
      const before = yield* intents.find("a")
      assert.deepStrictEqual(yield* retry("a"), {
        id: "a",
        outcome: "past",
        explanation: "It is failed, which is final."
      })
      assert.deepStrictEqual(yield* intents.find("a"), before)
      assert.isTrue(Option.isNone(yield* Effect.flatMap(IntentDesk, (each) => each.retry("nobody's", "ann"))))
    }).pipe(Effect.provide(layer))
  )
})
