import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { MemoryBridge } from "../../../src/adapters/memory/orchestrator/Bridge.ts"
import type { RefundLine } from "../../../src/domain/BridgeRefund.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { Refunds } from "../../../src/ports/orchestrator/Refunds.ts"
import { address, hash } from "../../support/IntentFixtures.ts"
import { destination, source, sweptLog } from "../../support/RelayFixtures.ts"
import { layer } from "../../support/RelayScene.ts"
import { sentSweep, tick } from "../../support/SentSweep.ts"

const TOKEN = address(0xd1)

const paid = (seed: string, account: RefundLine["account"], amount: bigint, blockNumber: bigint): RefundLine => ({
  txHash: hash(seed),
  blockNumber,
  logIndex: 0,
  entry: 0,
  token: TOKEN,
  account,
  amount
})

const states = (id: string) =>
  Effect.flatMap(Intents, (intents) => Effect.map(intents.states([id]), ([state]) => state))

const expired = Effect.gen(function* () {
  const the = yield* sentSweep({ order: { destChainId: BigInt(destination.id), minAmountOut: 0n } })
  yield* the.mineLane({ hash: the.attempt.hash, logs: [sweptLog(the.order, { amountOut: 0n })] })
  yield* the.bury(2)
  yield* tick
  const bridge = yield* MemoryBridge
  const notBefore = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
  yield* bridge.settle(the.attempt.hash, { _tag: "Refunded", expected: { token: TOKEN, amount: 900n, notBefore } })
  yield* TestClock.adjust("1 second")
  assert.strictEqual((yield* tick).failed, 1)
  const { owner } = (yield* the.intent("a")).order
  return { bridge, notBefore, owner }
})

describe("refunds of the bridge", () => {
  it.effect("are found after the intent has failed, and shown with it", () =>
    Effect.gen(function* () {
      const { bridge, owner } = yield* expired
      assert.strictEqual((yield* states("a"))?.failureReason, "bridge_refunded")
      assert.isUndefined((yield* states("a"))?.refund)
      yield* bridge.refund(source.id, paid("other amount", owner, 899n, 5n))
      yield* bridge.refund(source.id, paid("other account", address(0x99), 900n, 5n))
      yield* tick
      assert.isUndefined((yield* states("a"))?.refund)
      yield* bridge.refund(source.id, paid("leaf", owner, 900n, 6n))
      // The next look is not due yet.
      yield* tick
      assert.isUndefined((yield* states("a"))?.refund)
      yield* TestClock.adjust("10 minutes")
      yield* tick
      assert.deepStrictEqual((yield* states("a"))?.refund, { token: TOKEN, amount: 900n, txHash: hash("leaf") })
    }).pipe(Effect.provide(layer))
  )

  it.effect("are shown at once if the bridge has proved the payment, and are not looked for", () =>
    Effect.gen(function* () {
      const the = yield* sentSweep({ order: { destChainId: BigInt(destination.id), minAmountOut: 0n } })
      yield* the.mineLane({ hash: the.attempt.hash, logs: [sweptLog(the.order, { amountOut: 0n })] })
      yield* the.bury(2)
      yield* tick
      const line = paid("paid", (yield* the.intent("a")).order.owner, 890n, 5n)
      const [refunds, bridge] = [yield* Refunds, yield* MemoryBridge]
      // An earlier look stopped before it stored the payment.
      yield* refunds.expect({ ...line, id: "a", chainId: source.id, notBefore: 0 })
      const sinceMs = (yield* Clock.currentTimeMillis) - 14 * 86_400_000
      assert.deepStrictEqual(yield* refunds.due(source.id, 10, sinceMs), [])
      yield* bridge.settle(the.attempt.hash, { _tag: "Refunded", paid: line })
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* tick).failed, 1)
      assert.strictEqual((yield* states("a"))?.failureReason, "bridge_refunded")
      assert.deepStrictEqual((yield* states("a"))?.refund, { token: TOKEN, amount: 890n, txHash: hash("paid") })
    }).pipe(Effect.provide(layer))
  )

  it.effect("are the next payment if the first one was another deposit's", () =>
    Effect.gen(function* () {
      const { bridge, notBefore, owner } = yield* expired
      const refunds = yield* Refunds
      const first = paid("first", owner, 900n, 5n)
      yield* refunds.expect({
        id: "z",
        chainId: source.id,
        account: owner,
        token: TOKEN,
        amount: 900n,
        notBefore
      })
      assert.isTrue(yield* refunds.note(source.id, { line: first, ids: ["z"] }))
      yield* bridge.refund(source.id, first)
      yield* TestClock.adjust("10 minutes")
      yield* tick
      assert.isUndefined((yield* states("a"))?.refund)
      yield* bridge.refund(source.id, paid("second", owner, 900n, 7n))
      yield* TestClock.adjust("10 minutes")
      yield* tick
      assert.strictEqual((yield* states("a"))?.refund?.txHash, hash("second"))
    }).pipe(Effect.provide(layer))
  )

  it.effect("are looked for ever less often, for two weeks", () =>
    Effect.gen(function* () {
      yield* expired
      const { due } = yield* Refunds
      const looks = Effect.map(due(source.id, 10, 0), (all) => all.map((each) => each.looks))
      yield* tick
      for (const seconds of [5, 10, 20, 40, 80, 160, 320, 600, 600]) {
        yield* TestClock.adjust(seconds * 1_000 - 1)
        assert.deepStrictEqual(yield* looks, [])
        yield* TestClock.adjust(1)
        assert.lengthOf(yield* looks, 1)
        yield* tick
      }
      yield* TestClock.adjust("15 days")
      const before = yield* looks
      yield* tick
      assert.deepStrictEqual(yield* looks, before)
    }).pipe(Effect.provide(layer))
  )
})
