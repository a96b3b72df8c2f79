/** The contracts of a chain were upgraded after the sweep was quoted. It settles with those that its nonce names. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type * as Address from "../../../src/domain/Address.ts"
import { designator } from "../../../src/domain/Delegation.ts"
import { bound } from "../../../src/domain/OrderNonce.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { cancelledLog, sweptLog } from "../../support/RelayFixtures.ts"
import { sentSweep, tick } from "../../support/SentSweep.ts"
import {
  first,
  second,
  upgraded,
  current,
  bothSpentOn,
  bothSpent,
  ownSpent,
  spentAtBoth,
  cancelledAt
} from "./upgradedScene.ts"

const settlesBy = Effect.fnUntraced(function* (
  nonce: bigint,
  guards: { readonly own: Address.Address; readonly other: Address.Address },
  authorization: Address.Address
) {
  const { attempt, bury, intent, mineLane, order } = yield* sentSweep({
    order: { nonce },
    submission: { address: authorization }
  })
  yield* mineLane({
    hash: attempt.hash,
    logs: [sweptLog(order, { guard: guards.other, amountOut: 1n }), sweptLog(order, { guard: guards.own })]
  })
  yield* bury(100)
  yield* tick
  assert.strictEqual((yield* intent("a")).status, "delivered")
})

describe("a sweep of an upgraded chain", () => {
  it.effect("settles with the first generation if it was quoted for that", () => {
    const delegates: Array<string> = []
    return Effect.gen(function* () {
      yield* settlesBy(7n, { own: first.guard, other: second.guard }, first.delegate)
      assert.deepStrictEqual([...new Set(delegates)], [designator(first.delegate)])
    }).pipe(Effect.provide(upgraded(delegates)))
  })

  it.effect("settles with the current contracts if its nonce names their guard", () => {
    const delegates: Array<string> = []
    return Effect.gen(function* () {
      yield* settlesBy(bound(second.guard, 7n), { own: second.guard, other: first.guard }, second.delegate)
      assert.deepStrictEqual([...new Set(delegates)], [designator(second.delegate)])
    }).pipe(Effect.provide(upgraded(delegates)))
  })

  it.effect("is not settled by an event of the other guard", () =>
    Effect.gen(function* () {
      const { attempt, bury, intent, mineLane, order } = yield* sentSweep({ submission: { address: first.delegate } })
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order, { guard: second.guard })] })
      yield* bury(100)
      yield* tick
      assert.notStrictEqual((yield* intent("a")).status, "delivered")
    }).pipe(Effect.provide(upgraded([])))
  )

  it.effect("is settled by the first generation, which takes every nonce", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, intent, mineLane, order, state } = yield* current
      yield* chain.mine([{ hash: hash("foreign"), logs: [sweptLog(order, { guard: first.guard })] }])
      state.spentNonces.add(order.order.nonce)
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(100)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "delivered")
    }).pipe(Effect.provide(upgraded([])))
  )

  it.effect("fails once its nonce is cancelled at the first generation", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, intent, mineLane, order, state } = yield* current
      yield* chain.mine([{ hash: hash("cancel"), logs: [cancelledLog(order.order)] }])
      state.spentNonces.add(order.order.nonce)
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(100)
      yield* tick
      assert.strictEqual((yield* intent("a")).failureReason, "nonce_used")
    }).pipe(Effect.provide(upgraded([])))
  )

  it.effect("waits once its nonce is cancelled at its own guard, which the first generation does not ask", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, intent, mineLane, order, passDeadline, state } = yield* current
      yield* chain.mine([{ hash: hash("cancel"), logs: [cancelledAt(second.guard, order)] }])
      state.spentNonces.add(order.order.nonce)
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(100)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "submitted")
      // Given up, it is looked at again after its deadline.
      yield* chain.mine([{ hash: hash("later"), logs: [sweptLog(order, { guard: first.guard })] }])
      yield* passDeadline
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "delivered")
    }).pipe(Effect.provide(ownSpent))
  )

  it.effect("waits while its own guard's spender is unseen, whatever the first generation shows", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, intent, mineLane, order, state } = yield* current
      yield* chain.mine([{ hash: hash("cancel"), logs: [cancelledLog(order.order)] }])
      state.spentNonces.add(order.order.nonce)
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(100)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "submitted")
    }).pipe(Effect.provide(bothSpent))
  )

  it.effect("waits while the first generation's spender is unseen, whatever its own guard shows", () =>
    Effect.gen(function* () {
      const { bury, chain, intent, order } = yield* spentAtBoth
      yield* chain.mine([{ hash: hash("cancel"), logs: [cancelledAt(second.guard, order)] }])
      yield* bury(100)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "submitted")
      yield* chain.mine([{ hash: hash("shown"), logs: [sweptLog(order, { guard: first.guard })] }])
      yield* bury(100)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "delivered")
    }).pipe(Effect.provide(bothSpent))
  )

  it.effect.each([
    ["its own guard and then the first", 10_000n, [second.guard, first.guard]],
    ["the first guard and then its own", 10_000n, [first.guard, second.guard]],
    ["its own guard and then the first, which no single look sees", 50n, [second.guard, first.guard]],
    ["the first guard and then its own, which no single look sees", 50n, [first.guard, second.guard]]
  ] as const)("fails once its nonce is cancelled at %s", ([, width, guards]) =>
    Effect.gen(function* () {
      const { bury, chain, intent, order } = yield* spentAtBoth
      for (const guard of guards) {
        yield* bury(120)
        yield* chain.mine([{ hash: hash(guard), logs: [cancelledAt(guard, order)] }])
      }
      yield* bury(100)
      yield* Effect.repeat(tick, { times: 40 })
      assert.strictEqual((yield* intent("a")).failureReason, "nonce_used")
    }).pipe(Effect.provide(bothSpentOn(width)))
  )

  it.effect("is found in the logs of its own guard when another transaction settled it", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, intent, mineLane, order, state } = yield* sentSweep({
        submission: { address: first.delegate }
      })
      yield* chain.mine([{ hash: hash("foreign"), logs: [sweptLog(order, { guard: first.guard })] }])
      state.spentNonces.add(order.order.nonce)
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(100)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "delivered")
    }).pipe(Effect.provide(upgraded([])))
  )
})
