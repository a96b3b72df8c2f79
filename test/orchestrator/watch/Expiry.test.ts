import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { hash } from "../../support/IntentFixtures.ts"
import { layer, scene } from "../../support/RelayScene.ts"
import { sweptLog } from "../../support/RelayFixtures.ts"
import { tick } from "../../support/SentSweep.ts"

describe("intents that nothing carries", () => {
  it.effect("fail as expired once the deadline is deep", () =>
    Effect.gen(function* () {
      const { bury, chain, intent, submit } = yield* scene
      yield* submit({ id: "a" })
      yield* chain.mine([], 601n)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "submitted")
      yield* bury(2)
      assert.strictEqual((yield* tick).failed, 1)
      assert.strictEqual((yield* intent("a")).failureReason, "expired")
    }).pipe(Effect.provide(layer))
  )

  it.effect("wait while no block proves it, however late it is by the clock", () =>
    Effect.gen(function* () {
      const { intent, passDeadline, submit } = yield* scene
      yield* submit({ id: "a" })
      yield* TestClock.adjust("1 day")
      assert.strictEqual((yield* tick).failed, 0)
      yield* passDeadline
      yield* tick
      assert.strictEqual((yield* intent("a")).failureReason, "expired")
    }).pipe(Effect.provide(layer))
  )

  it.effect("are settled when the owner ran the order", () =>
    Effect.gen(function* () {
      const { bury, chain, intent, state, submit } = yield* scene
      const order = yield* submit({ id: "a" })
      yield* chain.mine([{ hash: hash("own"), logs: [sweptLog(order)] }])
      state.spentNonces.add(order.order.nonce)
      yield* chain.mine([], 601n)
      yield* bury(2)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "delivered")
    }).pipe(Effect.provide(layer))
  )
})
