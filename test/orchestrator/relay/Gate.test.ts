import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { layerWith, scene, source, sweptLog } from "../../support/RelayScene.ts"
import { relay, tick } from "../../support/SentSweep.ts"

describe("what the operator allows", () => {
  it.effect("a paused chain claims nothing, says so, and is still watched", () =>
    Effect.gen(function* () {
      const { alertKinds, intent, sent, submit } = yield* scene
      yield* submit({ id: "a" })
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
      assert.lengthOf(yield* sent, 0)
      assert.deepStrictEqual(yield* alertKinds, ["relayer_paused"])
      assert.strictEqual((yield* intent("a")).status, "submitted")
      assert.deepStrictEqual((yield* tick).unavailableChains, [])
    }).pipe(Effect.provide(layerWith({ pausedChains: [source.id] })))
  )

  it.effect("a day's spending ends at its cap, on the way or paid, and goes on when a day has passed", () =>
    Effect.gen(function* () {
      const { alertKinds, bury, mineLane, pending, sent, submit, unfinished } = yield* scene
      const order = yield* submit({ id: "a", owner: 1 })
      yield* submit({ id: "b", owner: 2, order: { deadline: 1_800_000_000n } })
      // A batch may cost more than the cap by itself: it is reached, and nothing more is sent.
      yield* relay
      assert.lengthOf(yield* sent, 1)
      yield* submit({ id: "c", owner: 3, order: { deadline: 1_800_000_000n } })
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
      assert.deepStrictEqual(yield* alertKinds, ["spend_cap"])

      // It cost far less than was reserved, which is what counts once it is known.
      const [, b] = [order, yield* Effect.flatMap(Intents, (intents) => intents.findAll(["b"]))]
      const logs = [order, ...b].map((each) => sweptLog(each))
      yield* mineLane({ hash: (yield* pending).attempts[0]?.hash ?? "0x", logs, gasUsed: 250_000n })
      yield* bury(2)
      yield* tick
      assert.lengthOf(yield* unfinished, 0)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(layerWith({ dailySpendCap: 10n ** 15n })))
  )

  it.effect("a day's spending has in it what a rollup takes for the bytes, beside the gas", () =>
    Effect.gen(function* () {
      const { alertKinds, bury, mineLane, pending, submit, unfinished } = yield* scene
      const logs = [sweptLog(yield* submit({ id: "a", owner: 1 }))]
      yield* relay
      const [attempt] = (yield* pending).attempts
      // It ends at the cap exactly, and not beyond it.
      yield* mineLane({ hash: attempt?.hash ?? "0x", logs, gasUsed: 0n, dataFee: 10n ** 16n })
      yield* bury(2)
      yield* tick
      assert.lengthOf(yield* unfinished, 0)
      yield* submit({ id: "b", owner: 2, order: { deadline: 1_800_000_000n } })
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
      assert.deepStrictEqual(yield* alertKinds, ["spend_cap"])
    }).pipe(Effect.provide(layerWith({ dailySpendCap: 10n ** 16n })))
  )
})
