/** An operator finds a sweep by whatever names it, and is told its story while the relayer and the watcher run. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as HeldIntents from "../../../src/adapters/memory/orchestrator/HeldIntents.ts"
import * as SweepRecords from "../../../src/adapters/memory/orchestrator/SweepRecords.ts"
import { SweepStory } from "../../../src/domain/SweepStory.ts"
import { HealthCheck } from "../../../src/orchestrator/operate/HealthCheck.ts"
import { ProviderProbes } from "../../../src/orchestrator/operate/ProviderProbes.ts"
import { StoryDesk } from "../../../src/orchestrator/operate/StoryDesk.ts"
import { layer as sceneLayer, scene } from "../../support/RelayScene.ts"
import { source } from "../../support/RelayFixtures.ts"
import { relay, sentSweep } from "../../support/SentSweep.ts"

const desk = Layer.provideMerge(HealthCheck.layer)(StoryDesk.layer).pipe(
  Layer.provide(Layer.succeed(ProviderProbes, [])),
  Layer.provide([HeldIntents.layer, SweepRecords.layer])
)
const layer = Layer.provideMerge(desk, sceneLayer)

const find = (text: string) => Effect.flatMap(StoryDesk, (stories) => stories.find(text))
const story = (id: string) =>
  Effect.flatMap(StoryDesk, (stories) => stories.story(id)).pipe(Effect.flatMap(Effect.fromOption))
const idsOf = (text: string) => Effect.map(find(text), ({ sweeps }) => sweeps.map(({ id }) => id))

describe("the desk of stories", () => {
  it.effect("finds a sweep by its id, its owner, and the hash of its transaction", () =>
    Effect.gen(function* () {
      const { attempt, order, transaction } = yield* sentSweep()
      for (const text of [
        "a",
        order.order.owner.toLowerCase(),
        attempt.hash,
        ` https://scan.test/tx/${attempt.hash} `
      ]) {
        assert.deepStrictEqual(yield* idsOf(text), ["a"], text)
      }
      for (const text of ["b", `0x${"11".repeat(32)}`, `0x${"11".repeat(20)}`, " "]) {
        assert.deepStrictEqual(yield* idsOf(text), [], text)
      }
      const { roles } = yield* find(transaction.lane)
      assert.deepInclude(roles, { role: "lane", chainId: source.id })
      assert.deepInclude((yield* find(source.contracts.guard)).roles, { role: "guard", chainId: source.id })
    }).pipe(Effect.provide(layer))
  )

  it.effect("tells why a sweep waits, what carries it, and that it can no longer be retried", () =>
    Effect.gen(function* () {
      const { submit } = yield* scene
      yield* submit({ id: "a" })
      const waiting = yield* story("a")
      assert.isTrue(waiting.retryable)
      assert.isDefined(waiting.waiting)
      assert.deepStrictEqual(waiting.transactions, [])
      yield* relay
      yield* TestClock.adjust("1 second")
      const carried = yield* story("a")
      assert.isFalse(carried.retryable)
      assert.strictEqual(carried.transactions[0]?.attempts[0]?.hash, carried.txHash)
      assert.deepStrictEqual(
        carried.history.map(({ status }) => status),
        ["submitted"]
      )
      assert.strictEqual(carried.rehearsal.gasLimit > 0n, true)
      yield* Schema.encodeEffect(SweepStory)(carried)
      const stories = yield* StoryDesk
      assert.deepStrictEqual(yield* stories.story("unknown"), Option.none())
    }).pipe(Effect.provide(layer))
  )
})
