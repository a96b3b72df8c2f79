import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { SweepOrder } from "../../../src/domain/SweepOrder.ts"
import { address } from "../../support/FakeChain.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { layer, layerOnNodes } from "../../support/RelayScene.ts"
import { cancelledLog, source, sweptLog } from "../../support/RelayFixtures.ts"
import { sentSweep, tick } from "../../support/SentSweep.ts"

describe("a spent nonce whose spender is not seen", () => {
  const lagging = Effect.gen(function* () {
    const the = yield* sentSweep()
    the.state.spentNonces.add(7n)
    yield* the.chain.mine([{ hash: the.attempt.hash, status: "reverted" }])
    yield* the.chain.setTransactionCount(the.lane, 1n)
    yield* the.bury(2)
    return the
  })

  it.effect("keeps the intent until the node shows the log, alerts after a minute, and clears the alert", () =>
    Effect.gen(function* () {
      const { alertKinds, bury, chain, order, status, unfinished } = yield* lagging
      assert.strictEqual((yield* tick).failed, 0)
      yield* TestClock.adjust(60_000)
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, [])
      yield* TestClock.adjust(1_000)
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, ["spender_unseen"])
      assert.strictEqual(yield* status, "submitted")
      assert.lengthOf(yield* unfinished, 1)

      yield* chain.mine([{ hash: hash("foreign"), logs: [sweptLog(order)] }])
      yield* bury(2)
      yield* tick
      assert.strictEqual(yield* status, "delivered")
      assert.deepStrictEqual(yield* alertKinds, [])
      assert.lengthOf(yield* unfinished, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("fails once another order of the owner is seen to have it, and not for other nonces or owners", () =>
    Effect.gen(function* () {
      const { bury, chain, intent, order, status } = yield* lagging
      const event = (changes: Partial<SweepOrder>) =>
        sweptLog({ order: { ...order.order, ...changes }, orderDigest: hash("another order") })
      const unrelated = [
        event({ nonce: 8n }),
        event({ owner: address(0x02) }),
        cancelledLog({ ...order.order, nonce: 8n })
      ]
      yield* chain.mine([{ hash: hash("unrelated"), logs: unrelated }])
      yield* bury(2)
      assert.strictEqual((yield* tick).failed, 0)

      yield* chain.mine([{ hash: hash("foreign"), logs: [event({})] }])
      yield* bury(1)
      assert.strictEqual((yield* tick).failed, 0)
      yield* bury(1)
      assert.strictEqual((yield* tick).failed, 1)
      assert.strictEqual(yield* status, "failed")
      assert.strictEqual((yield* intent("a")).failureReason, "nonce_used")
    }).pipe(Effect.provide(layer))
  )

  const counting = () => {
    const counter = { searches: 0 }
    const nodes = layerOnNodes((client) => ({
      ...client,
      logs: (filter) => Effect.suspend(() => (counter.searches++, client.logs(filter)))
    }))
    /** Searches of one pass. */
    const look = Effect.gen(function* () {
      const before = counter.searches
      yield* tick
      return counter.searches - before
    })
    return { nodes, look }
  }

  it.effect("is searched for in each look before the deadline", () => {
    const { look, nodes } = counting()
    return Effect.gen(function* () {
      yield* lagging
      for (let n = 0; n < 3; n++) assert.isAbove(yield* look, 0)
    }).pipe(Effect.provide(nodes))
  })

  it.effect("is searched for ever more seldom after the deadline and a minute, and found then", () => {
    const { look, nodes } = counting()
    return Effect.gen(function* () {
      const { alertKinds, bury, chain, order, passDeadline, status } = yield* lagging
      yield* passDeadline
      for (let n = 0; n < 3; n++) assert.isAbove(yield* look, 0)
      yield* TestClock.adjust(61_000)
      for (const millis of [30_000, 60_000]) {
        assert.isAbove(yield* look, 0)
        assert.deepStrictEqual(yield* alertKinds, ["spender_unseen"])
        assert.strictEqual(yield* look, 0)
        yield* TestClock.adjust(millis - 1)
        assert.strictEqual(yield* look, 0)
        yield* TestClock.adjust(1)
      }
      assert.isAbove(yield* look, 0)

      yield* chain.mine([{ hash: hash("foreign"), logs: [sweptLog(order)] }])
      yield* bury(2)
      yield* tick
      assert.strictEqual(yield* status, "submitted")
      yield* TestClock.adjust(120_000)
      assert.deepStrictEqual(yield* alertKinds, ["spender_unseen"])
      yield* tick
      assert.strictEqual(yield* status, "delivered")
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(nodes))
  })

  it.effect("is searched for again at once after the clock was set back by an hour", () => {
    const { look, nodes } = counting()
    return Effect.gen(function* () {
      const { passDeadline } = yield* lagging
      yield* passDeadline
      assert.isAbove(yield* look, 0)
      yield* TestClock.adjust(2 * 3_600_000)
      assert.isAbove(yield* look, 0)
      assert.strictEqual(yield* look, 0)
      yield* TestClock.setTime((yield* Clock.currentTimeMillis) - 3_600_000)
      assert.isAbove(yield* look, 0)
    }).pipe(Effect.provide(nodes))
  })

  it.effect("an alert that another process left clears when the intent has ended", () =>
    Effect.gen(function* () {
      const { alertKinds, alerts, attempt, bury, mineLane, order, status } = yield* sentSweep()
      yield* alerts.raise({
        key: `spender_unseen:${source.id}:a`,
        severity: "warning",
        kind: "spender_unseen",
        message: "left over",
        details: { chainId: source.id, intentId: "a" }
      })
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, ["spender_unseen"])
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      yield* TestClock.adjust(10_000)
      yield* tick
      assert.strictEqual(yield* status, "delivered")
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(layer))
  )
})
