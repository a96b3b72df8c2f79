import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { MemoryBridge } from "../../../src/adapters/memory/orchestrator/Bridge.ts"
import { Bridge } from "../../../src/ports/orchestrator/Bridge.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { address, hash, submitted } from "../../support/IntentFixtures.ts"
import { layer, layerOnNodes, onDemandIn, worldOnNodes } from "../../support/RelayScene.ts"
import { destination, otherLog, source, sweptLog } from "../../support/RelayFixtures.ts"
import { booked, sentSweep, tick } from "../../support/SentSweep.ts"

type Asked = Parameters<Bridge["Service"]["delivery"]>[0]

/** The bridge, whose looks at deliveries are told before they are answered. */
const observing = (tell: (options: Asked) => void) =>
  Layer.effect(
    Bridge,
    Effect.map(Bridge, (real) => ({
      ...real,
      delivery: (options: Asked) =>
        Effect.suspend(() => {
          tell(options)
          return real.delivery(options)
        })
    }))
  )

const logsFailed = (chainId: number) => new ChainUnavailable({ chainId, method: "eth_getLogs", detail: "no logs here" })

describe("across chains", () => {
  const deposited = Effect.gen(function* () {
    const the = yield* sentSweep({ order: { destChainId: BigInt(destination.id), minAmountOut: 0n } })
    yield* the.mineLane({ hash: the.attempt.hash, logs: [sweptLog(the.order, { amountOut: 0n })] })
    yield* the.bury(2)
    const report = yield* tick
    assert.strictEqual(report.settledSource, 1)
    assert.strictEqual(report.delivered, 0)
    assert.strictEqual(yield* the.status, "settled_source")
    assert.lengthOf(yield* booked, 2)
    return { ...the, bridge: yield* MemoryBridge }
  })

  it.effect("a sweep is delivered when the bridge proves it", () =>
    Effect.gen(function* () {
      const { attempt, bridge, intent, status } = yield* deposited
      yield* tick
      assert.strictEqual(yield* status, "settled_source")
      yield* TestClock.adjust("1 second")
      yield* bridge.settle(attempt.hash, { _tag: "Delivered", txHash: hash("fill"), amountOut: 900n })
      assert.strictEqual((yield* tick).delivered, 1)
      const delivered = yield* intent("a")
      assert.strictEqual(delivered.deliveryTxHash, hash("fill"))
      assert.strictEqual(delivered.txHash, attempt.hash)
      assert.strictEqual(delivered.amountOut, 900n)
      assert.lengthOf(yield* booked, 2)
    }).pipe(Effect.provide(layer))
  )

  it.effect("the bridge sees the deposits of the order alone, so that no other leg's is taken for it", () => {
    const seen: Array<ReadonlyArray<string | undefined>> = []
    const observed = observing(({ receipt }) => seen.push(receipt.logs.map(({ topics }) => topics[0]))).pipe(
      Layer.provideMerge(worldOnNodes((client) => client))
    )
    return Effect.gen(function* () {
      const the = yield* sentSweep({ order: { destChainId: BigInt(destination.id), minAmountOut: 0n } })
      const own = sweptLog(the.order, { amountOut: 0n })
      const earlier = sweptLog({ ...the.order, orderDigest: hash("earlier") }, { amountOut: 0n })
      const deposit = (seed: string) => ({ ...otherLog, topics: [hash(seed)] })
      const logs = [deposit("first"), earlier, deposit("own"), own, deposit("later")]
      yield* the.mineLane({ hash: the.attempt.hash, logs })
      yield* the.bury(2)
      yield* tick
      yield* TestClock.adjust("1 second")
      yield* tick
      assert.deepStrictEqual(seen.at(-1), [hash("own")])
    }).pipe(Effect.provide(onDemandIn(observed)))
  })

  it.effect(
    "a sweep whose fill is proved without its log is delivered after two seconds, and gets its transaction later",
    () =>
      Effect.gen(function* () {
        const { attempt, bridge, intent, status } = yield* deposited
        yield* bridge.settle(attempt.hash, { _tag: "Filled", searchFrom: 40n })
        yield* TestClock.adjust("1 second")
        for (const seconds of [0, 0.5, 1, 1.5]) {
          assert.strictEqual((yield* tick).delivered, 0, `after ${seconds} seconds`)
          yield* TestClock.adjust("500 millis")
        }
        assert.strictEqual((yield* tick).delivered, 1)
        const delivered = yield* intent("a")
        assert.strictEqual(delivered.status, "delivered")
        assert.isUndefined(delivered.deliveryTxHash)
        assert.strictEqual(delivered.searches?.fill, 40n)

        assert.strictEqual((yield* tick).delivered, 0)
        yield* bridge.settle(attempt.hash, { _tag: "Delivered", txHash: hash("fill"), amountOut: 900n })
        yield* TestClock.adjust("1 minute")
        assert.strictEqual((yield* tick).delivered, 0)
        assert.strictEqual(yield* status, "delivered")
        assert.strictEqual((yield* intent("a")).deliveryTxHash, hash("fill"))
        assert.strictEqual((yield* intent("a")).amountOut, 900n)
        assert.lengthOf(yield* booked, 2)
      }).pipe(Effect.provide(layer))
  )

  it.effect(
    "a sweep with a swap on arrival waits ten minutes for its transaction, since the fill does not prove the swap",
    () =>
      Effect.gen(function* () {
        const { attempt, bridge, intent, status } = yield* deposited
        yield* bridge.settle(attempt.hash, { _tag: "Filled", swapsOnArrival: true })
        yield* TestClock.adjust("1 second")
        for (const wait of [2_000, 57_000, 60_000, 60_000, 60_000, 60_000, 60_000, 60_000, 60_000, 60_000, 59_000]) {
          assert.strictEqual((yield* tick).delivered, 0)
          yield* TestClock.adjust(wait)
        }
        assert.strictEqual((yield* tick).delivered, 0)
        assert.strictEqual(yield* status, "settled_source")
        yield* TestClock.adjust("1 minute")
        assert.strictEqual((yield* tick).delivered, 1)
        assert.isUndefined((yield* intent("a")).amountOut)
      }).pipe(Effect.provide(layer))
  )

  it.effect(
    "a sweep with a swap on arrival is looked at ever less often after the first two seconds of its proof",
    () =>
      Effect.gen(function* () {
        const { attempt, bridge } = yield* deposited
        yield* bridge.settle(attempt.hash, { _tag: "Filled", swapsOnArrival: true })
        yield* TestClock.adjust("1 second")
        const looksAfter = (millis: number) =>
          Effect.gen(function* () {
            yield* tick
            yield* TestClock.adjust(millis - 1)
            assert.deepStrictEqual(yield* (yield* Intents).deliveriesDue(source.id, destination.id, 10), [])
            yield* TestClock.adjust(1)
            assert.lengthOf(yield* (yield* Intents).deliveriesDue(source.id, destination.id, 10), 1)
          })
        for (const millis of [500, 500, 500, 500, 3_000, 3_000]) yield* looksAfter(millis)
      }).pipe(Effect.provide(layer))
  )

  it.effect("a fill that was seen, and whose chain is silent since, is looked at ever less often", () => {
    let isSilent = false
    const nodes = layerOnNodes((client) => ({
      ...client,
      receipt: (id) =>
        isSilent
          ? Effect.fail(new ChainUnavailable({ chainId: client.chain.id, method: "any", detail: "silent" }))
          : client.receipt(id)
    }))
    return Effect.gen(function* () {
      const { attempt, bridge } = yield* deposited
      yield* bridge.settle(attempt.hash, { _tag: "Filled" })
      yield* TestClock.adjust("1 second")
      yield* tick
      isSilent = true
      for (let looks = 0; looks < 10; looks++) {
        yield* TestClock.adjust("500 millis")
        yield* tick
      }
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual(yield* (yield* Intents).deliveriesDue(source.id, destination.id, 10), [])
    }).pipe(Effect.provide(nodes))
  })

  it.effect("the bridge is told the depths of both chains for the sweep's value", () => {
    const seen: Array<ReadonlyArray<number | undefined>> = []
    const deep = worldOnNodes((client) => ({
      ...client,
      chain: {
        ...client.chain,
        confirmationsByValue: [{ aboveUsd: 0, confirmations: client.chain.id === source.id ? 4 : 5 }]
      }
    }))
    const observed = observing(({ confirmations, sourceConfirmations }) =>
      seen.push([sourceConfirmations, confirmations])
    ).pipe(Layer.provideMerge(deep))
    return Effect.gen(function* () {
      const the = yield* sentSweep({ order: { destChainId: BigInt(destination.id), minAmountOut: 0n } })
      yield* the.mineLane({ hash: the.attempt.hash, logs: [sweptLog(the.order, { amountOut: 0n })] })
      yield* the.bury(4)
      yield* tick
      yield* TestClock.adjust("1 second")
      yield* tick
      assert.deepStrictEqual(seen.at(-1), [4, 5])
    }).pipe(Effect.provide(onDemandIn(observed)))
  })

  it.effect("a chain whose logs fail for a minute raises an alert, which clears when they are back", () => {
    let isFailing = true
    const nodes = layerOnNodes((client) => ({
      ...client,
      logs: (filter) => (isFailing ? Effect.fail(logsFailed(client.chain.id)) : client.logs(filter))
    }))
    return Effect.gen(function* () {
      const { alertKinds, attempt, bridge, status } = yield* deposited
      yield* bridge.settle(attempt.hash, { _tag: "Filled", logsFailed: logsFailed(destination.id) })
      yield* TestClock.adjust("1 second")
      yield* tick
      yield* TestClock.adjust("59 seconds")
      yield* tick
      assert.strictEqual(yield* status, "delivered")
      assert.deepStrictEqual(yield* alertKinds, [])
      yield* TestClock.adjust("1 second")
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, ["logs_unavailable"])
      isFailing = false
      yield* TestClock.adjust("10 seconds")
      yield* tick
      // Another process may renew the alert.
      yield* TestClock.adjust("20 seconds")
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(nodes))
  })

  it.effect("a fill whose receipt is missing raises no alert about logs", () => {
    const nodes = layerOnNodes((client) => ({ ...client, logs: () => Effect.fail(logsFailed(client.chain.id)) }))
    return Effect.gen(function* () {
      const { alertKinds, attempt, bridge } = yield* deposited
      const { id: chainId } = destination
      const failed = new ChainUnavailable({ chainId, method: "eth_getTransactionReceipt", detail: "it is missing" })
      yield* bridge.settle(attempt.hash, { _tag: "Filled", logsFailed: failed })
      for (const wait of [1_000, 60_000, 60_000]) {
        yield* TestClock.adjust(wait)
        yield* tick
      }
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(nodes))
  })

  it.effect("a sweep behind 600 that cannot be filled is delivered within two passes", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      for (let owner = 1; owner <= 600; owner++) {
        const id = `unfillable-${owner}`
        yield* submitted({ id, owner, chainId: source.id, destChainId: destination.id })
        yield* intents.apply(id, [{ _tag: "SettledAtSource", txHash: hash(id) }])
      }
      const { attempt, bridge, status } = yield* deposited
      yield* bridge.settle(attempt.hash, { _tag: "Delivered", txHash: hash("fill"), amountOut: 900n })
      yield* tick
      yield* tick
      assert.strictEqual(yield* status, "delivered")
    }).pipe(Effect.provide(layer))
  )

  it.effect("a sweep that is not delivered yet is looked at ever less often", () =>
    Effect.gen(function* () {
      const { attempt, bridge } = yield* deposited
      yield* tick
      for (const seconds of [1, 2, ...Array.from({ length: 38 }, () => 3), 6, 12, 24, 48, 60, 60]) {
        yield* TestClock.adjust(seconds * 1_000 - 1)
        assert.deepStrictEqual(yield* (yield* Intents).deliveriesDue(source.id, destination.id, 10), [])
        yield* TestClock.adjust(1)
        assert.lengthOf(yield* (yield* Intents).deliveriesDue(source.id, destination.id, 10), 1)
        yield* tick
      }
      yield* bridge.settle(attempt.hash, { _tag: "Delivered", txHash: hash("fill"), amountOut: 900n })
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* tick).delivered, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("a sweep whose swap on arrival failed is delivered, and its state names the token that arrived", () =>
    Effect.gen(function* () {
      const { attempt, bridge, intent, status } = yield* deposited
      const token = address(0xdd)
      yield* bridge.settle(attempt.hash, { _tag: "DeliveredInstead", txHash: hash("fill"), token, amount: 900n })
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* tick).delivered, 1)
      assert.strictEqual(yield* status, "delivered")
      assert.strictEqual((yield* intent("a")).deliveryTxHash, hash("fill"))
      assert.isUndefined((yield* intent("a")).amountOut)
      const [state] = yield* (yield* Intents).states(["a"])
      assert.deepStrictEqual(state?.arrivedInstead, { token, amount: 900n })
    }).pipe(Effect.provide(layer))
  )

  it.effect("a refunded sweep fails, and its fees stay booked", () =>
    Effect.gen(function* () {
      const { attempt, bridge, intent } = yield* deposited
      yield* bridge.settle(attempt.hash, { _tag: "Refunded" })
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* tick).failed, 1)
      assert.strictEqual((yield* intent("a")).failureReason, "bridge_refunded")
      assert.lengthOf(yield* booked, 2)
    }).pipe(Effect.provide(layer))
  )
})
