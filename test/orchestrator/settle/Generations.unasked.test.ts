/** A nonce is spent at the first generation, which the order's own contracts do not ask. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hash } from "../../support/IntentFixtures.ts"
import { cancelledLog, sweptLog } from "../../support/RelayFixtures.ts"
import { tick } from "../../support/SentSweep.ts"
import { first, second, upgraded, current, sentLeg } from "./upgradedScene.ts"

describe("a nonce that is spent at the first generation, which the order's own contracts do not ask", () => {
  const unasked = { contracts: second, earlierContracts: [first] }

  it.effect("keeps no leg of a batch from settling", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, intent, mineLane, order, passDeadline, state } = yield* sentLeg
      yield* chain.mine([{ hash: hash("cancel"), logs: [cancelledLog(order.order)] }])
      state.spentNonces.add(order.order.nonce)
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(100)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "submitted")
      // Given up, it is looked at again after its deadline.
      yield* chain.mine([{ hash: hash("later"), logs: [sweptLog(order, { guard: second.guard })] }])
      yield* passDeadline
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "delivered")
    }).pipe(Effect.provide(upgraded([])))
  )

  it.effect("lets a leg of a batch end after its deadline", () =>
    Effect.gen(function* () {
      const { attempt, bury, intent, mineLane, order, passDeadline, state } = yield* sentLeg
      state.spentNonces.add(order.order.nonce)
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(100)
      yield* passDeadline
      yield* tick
      const { failureReason, status } = yield* intent("a")
      assert.strictEqual(status, "failed")
      assert.notStrictEqual(failureReason, "nonce_used")
    }).pipe(Effect.provide(upgraded([])))
  )

  it.effect("keeps no order from settling where the delegate knows no earlier guard", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, intent, mineLane, order, passDeadline, state } = yield* current
      yield* chain.mine([{ hash: hash("cancel"), logs: [cancelledLog(order.order)] }])
      state.spentNonces.add(order.order.nonce)
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(100)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "submitted")
      // Given up, it is looked at again after its deadline.
      yield* chain.mine([{ hash: hash("later"), logs: [sweptLog(order, { guard: second.guard })] }])
      yield* passDeadline
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "delivered")
    }).pipe(Effect.provide(upgraded([], unasked)))
  )

  it.effect("keeps an order open while nobody knows who spent it there, as that may have been the order itself", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, intent, mineLane, order, passDeadline, state } = yield* current
      state.spentNonces.add(order.order.nonce)
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(100)
      yield* passDeadline
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "submitted")
      yield* chain.mine([{ hash: hash("shown"), logs: [sweptLog(order, { guard: first.guard })] }])
      yield* bury(100)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "delivered")
    }).pipe(Effect.provide(upgraded([], unasked)))
  )
})
