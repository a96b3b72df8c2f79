/** Deliveries whose chains' nodes delete old receipts and states. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import { MemoryBridge } from "../../../src/adapters/memory/orchestrator/Bridge.ts"
import { Bridge } from "../../../src/ports/orchestrator/Bridge.ts"
import { ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { destination, source, sweptLog } from "../../support/RelayFixtures.ts"
import { layerOnNodes, onDemandIn, worldOnNodes } from "../../support/RelayScene.ts"
import { sentSweep, tick } from "../../support/SentSweep.ts"

/** A sweep that is settled at its source, whose next look is due. */
const deposited = Effect.gen(function* () {
  const the = yield* sentSweep({ order: { destChainId: BigInt(destination.id), minAmountOut: 0n } })
  yield* the.mineLane({ hash: the.attempt.hash, logs: [sweptLog(the.order, { amountOut: 0n })] })
  yield* the.bury(2)
  yield* tick
  yield* TestClock.adjust("1 second")
  return { ...the, bridge: yield* MemoryBridge }
})

/** Fields of the failed rounds that are logged meanwhile. */
const logged = () => {
  const failures: Array<Readonly<Record<string, unknown>>> = []
  const logger = Logger.make(({ fiber, message }) => {
    if (String(message) !== "watch.deliveries_failed") return
    failures.push(fiber.getRef(References.CurrentLogAnnotations))
  })
  return { failures, layer: Logger.layer([logger]) }
}

describe("across chains whose nodes are pruned", () => {
  it.effect("a sweep is delivered by its receipt on another endpoint", () => {
    const state = { isPruned: false }
    const nodes = layerOnNodes((client) => ({
      ...client,
      receipt: (id, scope) => (state.isPruned && scope === undefined ? Effect.succeedNone : client.receipt(id, scope))
    }))
    return Effect.gen(function* () {
      const { attempt, bridge, status } = yield* deposited
      yield* bridge.settle(attempt.hash, { _tag: "Delivered", txHash: hash("fill"), amountOut: 900n })
      state.isPruned = true
      assert.strictEqual((yield* tick).delivered, 1)
      assert.strictEqual(yield* status, "delivered")
    }).pipe(Effect.provide(nodes))
  })

  it.effect("a sweep whose receipt no endpoint has waits, and the chain counts as unavailable", () => {
    const state = { isPruned: false }
    const nodes = layerOnNodes((client) => ({
      ...client,
      receipt: (id, scope) => (state.isPruned ? Effect.succeedNone : client.receipt(id, scope))
    }))
    const { failures, layer } = logged()
    return Effect.gen(function* () {
      const { attempt, bridge, status } = yield* deposited
      yield* bridge.settle(attempt.hash, { _tag: "Delivered", txHash: hash("fill"), amountOut: 900n })
      state.isPruned = true
      const { unavailableChains } = yield* tick
      assert.deepStrictEqual(unavailableChains, [source.id])
      assert.strictEqual(yield* status, "settled_source")
      assert.lengthOf(failures, 1)
      assert.include(String(failures[0]?.["detail"]), attempt.hash)
    }).pipe(Effect.provide([nodes, layer]))
  })

  it.effect("a round with failed looks logs the first of them, also if a node only lacks a block", () => {
    const detail = "header not found"
    const failing = Layer.effect(
      Bridge,
      Effect.map(Bridge, (real) => ({
        ...real,
        delivery: () =>
          Effect.fail(
            new ChainUnavailable({ chainId: destination.id, method: "eth_call", detail, isBlockUnknown: true })
          )
      }))
    ).pipe(Layer.provideMerge(worldOnNodes((client) => client)))
    const { failures, layer } = logged()
    return Effect.gen(function* () {
      yield* deposited
      failures.length = 0
      yield* tick
      assert.lengthOf(failures, 1)
      assert.strictEqual(failures[0]?.["intentId"], "a")
      assert.include(String(failures[0]?.["detail"]), detail)
    }).pipe(Effect.provide([onDemandIn(failing), layer]))
  })

  it.effect("a search for a fill that the newest state shows continues where the last look ended", () => {
    const from: Array<bigint | undefined> = []
    const observed = Layer.effect(
      Bridge,
      Effect.map(Bridge, (real) => ({
        ...real,
        delivery: ({ searchFrom }: Parameters<Bridge["Service"]["delivery"]>[0]) =>
          Effect.sync(() => {
            from.push(searchFrom)
            return { _tag: "Pending" as const, ...(from.length < 3 ? { searchFrom: 50n - BigInt(from.length) } : {}) }
          })
      }))
    ).pipe(Layer.provideMerge(worldOnNodes((client) => client)))
    return Effect.gen(function* () {
      yield* deposited
      for (let looks = 0; looks < 4; looks++) {
        yield* tick
        yield* TestClock.adjust("3 seconds")
      }
      assert.deepStrictEqual(from.slice(0, 4), [undefined, 49n, 48n, undefined])
    }).pipe(Effect.provide(onDemandIn(observed)))
  })

  it.effect("a search that fails keeps its block, is logged, and raises the alert about logs after a minute", () => {
    const from: Array<bigint | undefined> = []
    const logsFailed = new ChainUnavailable({ chainId: destination.id, method: "eth_getLogs", detail: "no logs here" })
    const failing = Layer.effect(
      Bridge,
      Effect.map(Bridge, (real) => ({
        ...real,
        delivery: ({ searchFrom }: Parameters<Bridge["Service"]["delivery"]>[0]) =>
          Effect.sync(() => {
            from.push(searchFrom)
            return { _tag: "Pending" as const, searchFrom: 49n, logsFailed }
          })
      }))
    ).pipe(Layer.provideMerge(worldOnNodes((client) => ({ ...client, logs: () => Effect.fail(logsFailed) }))))
    const { failures, layer } = logged()
    return Effect.gen(function* () {
      const { alertKinds } = yield* deposited
      from.length = 0
      failures.length = 0
      for (let looks = 0; looks < 3; looks++) {
        yield* tick
        yield* TestClock.adjust("1 minute")
      }
      yield* tick
      assert.deepStrictEqual(from.slice(1), [49n, 49n, 49n])
      assert.lengthOf(failures, 4)
      assert.include(String(failures[0]?.["detail"]), "no logs here")
      assert.deepStrictEqual(yield* alertKinds, ["logs_unavailable"])
    }).pipe(Effect.provide([onDemandIn(failing), layer]))
  })
})
