import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { MemoryBridge } from "../../../src/adapters/memory/orchestrator/Bridge.ts"
import { Watcher } from "../../../src/orchestrator/watch/Watcher.ts"
import { hash as hashOf } from "../../support/IntentFixtures.ts"
import { layer, scene } from "../../support/RelayScene.ts"
import { destination, sweptLog } from "../../support/RelayFixtures.ts"
import { booked, relay, sentSweep, tick } from "../../support/SentSweep.ts"

/** Sweeps `a`, `b`, `c` … of owners 1, 2, 3 … */
const submitted = Effect.fnUntraced(function* (count: number) {
  const the = yield* scene
  const intents = yield* Effect.forEach(Array.from({ length: count }), (_, index) =>
    the.submit({ id: String.fromCharCode(97 + index), owner: index + 1 })
  )
  return { ...the, intents }
})

describe("a reorganisation deeper than the confirmations", () => {
  const settledTwo = Effect.gen(function* () {
    const the = yield* submitted(2)
    yield* relay
    const hash = (yield* the.pending).attempts[0]?.hash ?? "0x"
    const logs = the.intents.map((each) => sweptLog(each))
    yield* the.mineLane({ hash, logs })
    yield* the.bury(2)
    yield* tick
    assert.lengthOf(yield* the.unfinished, 0)
    assert.lengthOf(yield* booked, 4)
    return { ...the, hash, logs }
  })

  it.effect("sends what it took away again, the same bytes, and books nothing twice", () =>
    Effect.gen(function* () {
      const { alertKinds, bury, chain, hash, intent, lane, logs, mineLane, sent, unfinished } = yield* settledTwo
      yield* bury(10)
      yield* tick
      yield* chain.reorg(13)
      yield* chain.setTransactionCount(lane, 0n)
      yield* bury(14)
      yield* TestClock.adjust(15_000)
      assert.strictEqual((yield* tick).rebroadcast, 1)
      assert.deepStrictEqual(yield* alertKinds, ["reorg_after_final"])
      const [first, again] = yield* sent
      assert.strictEqual(again?.raw, first?.raw)
      assert.strictEqual((yield* unfinished)[0]?.reopened?.hash, hash)

      yield* mineLane({ hash, logs })
      yield* bury(2)
      yield* tick
      assert.lengthOf(yield* unfinished, 0)
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, [])
      assert.lengthOf(yield* booked, 4)
      for (const id of ["a", "b"]) assert.strictEqual((yield* intent(id)).status, "delivered")
    }).pipe(Effect.provide(layer))
  )

  it.effect(
    "sends the version that its block had first, also long after that was signed, and raises its fees in time",
    () =>
      Effect.gen(function* () {
        const { alerts, bury, chain, hash, intent, lane, logs, mineLane, sent, unfinished } = yield* settledTwo
        yield* TestClock.adjust(60_000)
        yield* chain.reorg(3)
        yield* chain.setTransactionCount(lane, 0n)
        yield* bury(4)
        assert.strictEqual((yield* tick).rebroadcast, 1)
        assert.deepStrictEqual(
          (yield* sent).map(({ raw }) => raw),
          Array((yield* sent).length).fill((yield* sent)[0]?.raw)
        )
        assert.lengthOf(yield* sent, 2)
        yield* TestClock.adjust(44_000)
        assert.strictEqual((yield* tick).replaced, 0)
        yield* TestClock.adjust(1_000)
        assert.strictEqual((yield* tick).replaced, 1)
        const [{ attempts = [], intentIds = [] } = {}] = yield* unfinished
        assert.deepStrictEqual(intentIds, ["a", "b"])
        assert.lengthOf(attempts, 2)
        const raised = attempts[1]?.hash ?? "0x"
        assert.notStrictEqual(raised, hash)

        yield* mineLane({ hash: raised, logs })
        yield* bury(2)
        yield* tick
        yield* tick
        assert.lengthOf(yield* unfinished, 0)
        assert.lengthOf(yield* booked, 4)
        for (const id of ["a", "b"]) {
          const { deliveryTxHash, status, txHash } = yield* intent(id)
          assert.deepStrictEqual([status, txHash, deliveryTxHash], ["delivered", raised, raised])
        }
        // Their bookings name a transaction that is gone.
        assert.sameDeepMembers(
          (yield* alerts.list).map(({ details, key }) => [key, details["txHash"], details["bookedTxHash"]]),
          ["a", "b"].map((id) => [`settlement_lost:${id}`, raised, hash])
        )
      }).pipe(Effect.provide(layer))
  )

  it.effect("makes no version with fewer sweeps, whatever gas costs", () =>
    Effect.gen(function* () {
      const the = yield* scene
      const { bury, chain, client, lane, mineLane, sent, submit, unfinished } = the
      const market = yield* client.feesPerGas
      const rich = { gas: 200_000n, gasPrice: 100n * market.maxFeePerGas, value: 10n ** 17n }
      const intents = [yield* submit({ id: "a", owner: 1, cover: rich }), yield* submit({ id: "b", owner: 2 })]
      yield* relay
      const [{ attempts: [first] = [] } = {}] = yield* unfinished
      yield* mineLane({ hash: first?.hash ?? "0x", logs: intents.map((each) => sweptLog(each)) })
      yield* bury(2)
      yield* tick
      yield* chain.reorg(3)
      yield* chain.setTransactionCount(lane, 0n)
      const fee = 5n * market.maxFeePerGas
      yield* chain.setFees({ ...market, baseFeePerGas: fee, maxFeePerGas: 2n * fee })
      yield* bury(4)
      yield* tick
      for (let minute = 0; minute < 3; minute++) {
        yield* TestClock.adjust(60_000)
        assert.strictEqual((yield* tick).replaced, 0)
      }
      assert.deepStrictEqual([...new Set((yield* sent).map(({ raw }) => raw))], [first?.raw])
      assert.deepStrictEqual((yield* unfinished)[0]?.intentIds, ["a", "b"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("does not keep a bridged sweep from its delivery, although another version settles it", () =>
    Effect.gen(function* () {
      const order = { destChainId: BigInt(destination.id), minAmountOut: 0n }
      const the = yield* sentSweep({ order })
      const { attempt, bury, chain, intent, lane, mineLane, status, unfinished } = the
      const logs = [sweptLog(the.order, { amountOut: 0n })]
      yield* mineLane({ hash: attempt.hash, logs })
      yield* bury(2)
      yield* tick
      assert.strictEqual(yield* status, "settled_source")
      yield* TestClock.adjust(60_000)
      yield* chain.reorg(3)
      yield* chain.setTransactionCount(lane, 0n)
      yield* bury(4)
      yield* tick
      yield* TestClock.adjust(60_000)
      yield* tick
      const raised = (yield* unfinished)[0]?.attempts[1]?.hash ?? "0x"
      yield* mineLane({ hash: raised, logs })
      yield* bury(2)
      yield* tick
      yield* tick
      assert.strictEqual((yield* intent("a")).txHash, raised)
      yield* (yield* MemoryBridge).settle(raised, { _tag: "Delivered", txHash: hashOf("fill"), amountOut: 900n })
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual((yield* tick).delivered, 1)
      const delivered = yield* intent("a")
      assert.deepStrictEqual([delivered.txHash, delivered.deliveryTxHash], [raised, hashOf("fill")])
    }).pipe(Effect.provide(layer))
  )

  it.effect("follows what it only moved to another block", () =>
    Effect.gen(function* () {
      const { bury, chain, hash, logs, sent, unfinished } = yield* settledTwo
      yield* chain.reorg(3)
      yield* chain.mine([])
      yield* chain.mine([{ hash, logs }])
      yield* bury(4)
      yield* tick
      yield* tick
      assert.lengthOf(yield* unfinished, 0)
      assert.lengthOf(yield* sent, 1)
      assert.lengthOf(yield* booked, 4)
    }).pipe(Effect.provide(layer))
  )

  it.effect("says which settlement did not come back", () =>
    Effect.gen(function* () {
      const { alertKinds, bury, chain, hash, intents, intent, lane, mineLane } = yield* settledTwo
      yield* chain.reorg(3)
      yield* chain.setTransactionCount(lane, 0n)
      yield* bury(4)
      yield* tick
      const [a] = intents
      if (a === undefined) return yield* Effect.die("no intents")
      yield* mineLane({ hash, logs: [sweptLog(a)] })
      yield* bury(2)
      yield* tick
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, ["settlement_lost"])
      assert.strictEqual((yield* intent("b")).status, "delivered")
      assert.lengthOf(yield* booked, 4)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is noticed although the chain has grown by more than its depth since the last pass", () =>
    Effect.gen(function* () {
      const { alertKinds, bury, chain, hash, lane, unfinished } = yield* settledTwo
      yield* tick
      yield* TestClock.adjust(15_000)
      yield* chain.reorg(3)
      yield* chain.setTransactionCount(lane, 0n)
      yield* bury(100)
      assert.strictEqual((yield* tick).rebroadcast, 1)
      assert.strictEqual((yield* unfinished)[0]?.reopened?.hash, hash)
      assert.deepStrictEqual(yield* alertKinds, ["reorg_after_final"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("is noticed by a process that starts when the chain has grown by more than its depth", () =>
    Effect.gen(function* () {
      const { bury, chain, unfinished } = yield* settledTwo
      yield* chain.reorg(3)
      yield* bury(100)
      yield* tick.pipe(Effect.provide(Watcher.layerOnDemand))
      assert.lengthOf(yield* unfinished, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is noticed by a process that was not there, and not believed from a node that is behind", () =>
    Effect.gen(function* () {
      const { chain, unfinished } = yield* settledTwo
      const tickElsewhere = tick.pipe(Effect.provide(Watcher.layerOnDemand))
      yield* chain.reorg(3)
      yield* tickElsewhere
      assert.lengthOf(yield* unfinished, 0)
      yield* chain.mine([])
      yield* chain.mine([])
      yield* tickElsewhere
      assert.lengthOf(yield* unfinished, 1)
    }).pipe(Effect.provide(layer))
  )
})
