/** Transactions of a lane that cannot sign: they are sent again as they are, and sweeps that no block can settle any more leave them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Exposures } from "../../../src/ports/orchestrator/Exposures.ts"
import { RelayerKeys, SigningFailed } from "../../../src/ports/orchestrator/RelayerKeys.ts"
import { type ChainClient, SendRejected } from "../../../src/ports/shared/Chains.ts"
import { address } from "../../support/FakeChain.ts"
import { source, sweptLog } from "../../support/RelayFixtures.ts"
import { onDemandIn, worldOnNodes } from "../../support/RelayScene.ts"
import { relay, sentSweep, tick } from "../../support/SentSweep.ts"

interface Signer {
  /** False while the signer of the lane fails. */
  signs: (nonce: bigint) => boolean
  hasKey: boolean
}

/** A scene whose signer a test stops, on nodes that `change` makes lie. */
const stage = (change: (client: ChainClient) => ChainClient = (client) => client) => {
  const signer: Signer = { signs: () => true, hasKey: true }
  const keys = Layer.effect(
    RelayerKeys,
    Effect.map(RelayerKeys, (real) => ({
      ...real,
      lanes: (chainId) => (signer.hasKey ? real.lanes(chainId) : [address(0x99)]),
      sign: (lane, transaction) =>
        signer.hasKey && signer.signs(transaction.nonce)
          ? real.sign(lane, transaction)
          : Effect.fail(new SigningFailed({ lane, detail: "the signer is gone" }))
    }))
  ).pipe(Layer.provideMerge(worldOnNodes(change)))
  return { signer, layer: onDemandIn(keys) }
}

/** Passes of the watcher until the signer has been out for a minute. */
const outlast = Effect.gen(function* () {
  yield* tick
  for (let pass = 0; pass < 3; pass++) {
    yield* TestClock.adjust(20_000)
    yield* tick
  }
})

describe("a transaction of a lane that cannot sign", () => {
  it.effect("is sent again without changes, with an alert that ends when the lane signs again", () => {
    const { layer, signer } = stage()
    return Effect.gen(function* () {
      const { alertKinds, attempt, sent, status } = yield* sentSweep()
      signer.signs = () => false
      yield* TestClock.adjust(45_000)
      const report = yield* tick
      assert.strictEqual(report.replaced, 0)
      assert.strictEqual(report.rebroadcast, 1)
      assert.deepStrictEqual(yield* alertKinds, ["signing_failed"])
      assert.strictEqual((yield* tick).rebroadcast, 0)
      yield* TestClock.adjust(15_000)
      assert.strictEqual((yield* tick).rebroadcast, 1)
      assert.deepStrictEqual(
        (yield* sent).map(({ raw }) => raw),
        [attempt.raw, attempt.raw, attempt.raw]
      )
      assert.strictEqual(yield* status, "submitted")

      signer.signs = () => true
      assert.strictEqual((yield* tick).replaced, 1)
      // No process has renewed it for 20 seconds.
      yield* TestClock.adjust(20_000)
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(layer))
  })

  it.effect("is sent again after its deadline, too", () => {
    const { layer, signer } = stage()
    return Effect.gen(function* () {
      const { attempt, passDeadline, sent } = yield* sentSweep()
      signer.signs = () => false
      yield* passDeadline
      yield* TestClock.adjust(15_000)
      assert.strictEqual((yield* tick).rebroadcast, 1)
      assert.strictEqual((yield* sent).at(-1)?.raw, attempt.raw)
    }).pipe(Effect.provide(layer))
  })

  it.effect("counts as sent again when a smaller version that nodes ask for cannot be signed", () => {
    const { layer, signer } = stage()
    return Effect.gen(function* () {
      const { alertKinds, chain, pending } = yield* sentSweep()
      signer.signs = () => false
      yield* chain.onSend(() =>
        Effect.fail(new SendRejected({ chainId: source.id, reason: "AuthorityBusy", detail: "an owner is busy" }))
      )
      yield* TestClock.adjust(15_000)
      assert.strictEqual((yield* tick).rebroadcast, 1)
      assert.deepStrictEqual(yield* alertKinds, ["signing_failed"])
      assert.lengthOf((yield* pending).attempts, 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("loses its sweeps a minute later if no block can settle them, so that their owners are free", () => {
    const { layer, signer } = stage()
    return Effect.gen(function* () {
      const { alertKinds, intent, passDeadline, pending, status, submit, unfinished } = yield* sentSweep()
      const exposures = yield* Exposures
      assert.strictEqual((yield* exposures.reserved(["a"])).size, 1)
      signer.signs = (nonce) => nonce !== 0n
      yield* passDeadline
      // The relayer's claim no longer holds the reservation of the sweep.
      yield* TestClock.adjust(61_000)
      yield* tick
      yield* TestClock.adjust(59_999)
      yield* tick
      assert.deepStrictEqual((yield* pending).intentIds, ["a"])
      assert.strictEqual(yield* status, "submitted")
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* tick).failed, 1)
      assert.strictEqual((yield* intent("a")).failureReason, "expired")
      assert.strictEqual((yield* exposures.reserved(["a"])).size, 0)
      const { intentIds, nonce } = yield* pending
      assert.deepStrictEqual({ intentIds, nonce }, { intentIds: [], nonce: 0n })
      assert.deepStrictEqual(yield* alertKinds, ["signing_failed"])

      yield* submit({ id: "b", order: { nonce: 8n, deadline: 1_800_000_000n } })
      assert.strictEqual((yield* relay).sent, 1)
      assert.deepStrictEqual(
        (yield* unfinished).map((each) => each.intentIds),
        [[], ["b"]]
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("is replaced by a self-send without its sweeps, too, when the lane signs again", () => {
    const { layer, signer } = stage()
    return Effect.gen(function* () {
      const { alertKinds, bury, intent, mineLane, passDeadline, pending, unfinished } = yield* sentSweep()
      signer.signs = () => false
      yield* passDeadline
      yield* outlast
      assert.deepStrictEqual((yield* pending).intentIds, [])
      signer.signs = () => true
      assert.strictEqual((yield* tick).replaced, 1)
      assert.deepStrictEqual(yield* alertKinds, [])
      const { attempts, kind } = yield* pending
      assert.strictEqual(kind, "cancel")
      yield* mineLane({ hash: attempts.at(-1)?.hash ?? "0x" })
      yield* bury(2)
      yield* tick
      assert.lengthOf(yield* unfinished, 0)
      assert.strictEqual((yield* intent("a")).failureReason, "expired")
    }).pipe(Effect.provide(layer))
  })

  it.effect("keeps its sweeps if nobody asks the signer between two failures", () => {
    const { layer, signer } = stage()
    return Effect.gen(function* () {
      const { passDeadline, pending } = yield* sentSweep()
      signer.signs = () => false
      yield* passDeadline
      yield* tick
      for (const millis of [61_000, 59_999]) {
        yield* TestClock.adjust(millis)
        yield* tick
        assert.deepStrictEqual((yield* pending).intentIds, ["a"])
      }
      yield* TestClock.adjust(1)
      yield* tick
      assert.deepStrictEqual((yield* pending).intentIds, [])
    }).pipe(Effect.provide(layer))
  })

  it.effect("keeps its sweeps if the signer answers between two failures", () => {
    const { layer, signer } = stage()
    return Effect.gen(function* () {
      const { alertKinds, passDeadline, pending } = yield* sentSweep()
      signer.signs = () => false
      yield* passDeadline
      yield* tick
      signer.signs = () => true
      yield* TestClock.adjust(10_000)
      assert.strictEqual((yield* tick).replaced, 1)
      signer.signs = () => false
      // The self-send is due to be replaced.
      yield* TestClock.adjust(45_000)
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, ["signing_failed"])
      yield* TestClock.adjust(10_000)
      yield* tick
      const { intentIds, kind } = yield* pending
      assert.deepStrictEqual({ intentIds, kind }, { intentIds: ["a"], kind: "cancel" })
    }).pipe(Effect.provide(layer))
  })

  it.effect("keeps its sweeps as long as a block could settle them", () => {
    const { layer, signer } = stage()
    return Effect.gen(function* () {
      const { bury, chain, pending } = yield* sentSweep()
      signer.signs = () => false
      yield* chain.mine([], 601n)
      yield* bury(1)
      yield* outlast
      assert.deepStrictEqual((yield* pending).intentIds, ["a"])
      yield* bury(1)
      yield* tick
      assert.deepStrictEqual((yield* pending).intentIds, [])
    }).pipe(Effect.provide(layer))
  })

  it.effect("loses them as a self-send, too, if its lane has no key any more", () => {
    const { layer, signer } = stage()
    return Effect.gen(function* () {
      const { bury, chain, intent, pending } = yield* sentSweep()
      yield* chain.mine([], 601n)
      assert.strictEqual((yield* tick).replaced, 1)
      signer.hasKey = false
      yield* bury(2)
      yield* outlast
      const { intentIds, kind } = yield* pending
      assert.deepStrictEqual({ intentIds, kind }, { intentIds: [], kind: "cancel" })
      assert.strictEqual((yield* intent("a")).failureReason, "expired")
    }).pipe(Effect.provide(layer))
  })
})

describe("a version that a block has had, of a lane that cannot sign", () => {
  it.effect("keeps the sweeps that it settled before its block was lost for good", () => {
    const { layer, signer } = stage()
    return Effect.gen(function* () {
      const { attempt, bury, chain, lane, mineLane, order, passDeadline, pending, status } = yield* sentSweep()
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      yield* tick
      assert.strictEqual(yield* status, "delivered")
      yield* chain.reorg(3)
      yield* chain.setTransactionCount(lane, 0n)
      yield* bury(4)
      yield* tick
      signer.signs = () => false
      yield* passDeadline
      yield* outlast
      yield* outlast
      const { intentIds, reopened } = yield* pending
      assert.deepStrictEqual(intentIds, ["a"])
      assert.strictEqual(reopened?.hash, attempt.hash)
      assert.strictEqual(yield* status, "delivered")
    }).pipe(Effect.provide(layer))
  })

  it.effect("lets the sweeps go if it was lost before it settled them, and ends when it is mined late", () => {
    const { layer, signer } = stage()
    return Effect.gen(function* () {
      const { attempt, bury, chain, intent, lane, mineLane, order, passDeadline, pending, unfinished } =
        yield* sentSweep()
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(1)
      yield* tick
      assert.strictEqual((yield* pending).status, "mined")
      yield* chain.reorg(2)
      yield* chain.setTransactionCount(lane, 0n)
      yield* bury(3)
      yield* tick
      signer.signs = () => false
      yield* passDeadline
      yield* outlast
      assert.strictEqual((yield* intent("a")).failureReason, "expired")
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(2)
      yield* tick
      assert.lengthOf(yield* unfinished, 0)
      assert.strictEqual((yield* intent("a")).status, "failed")
    }).pipe(Effect.provide(layer))
  })

  it.effect("keeps the sweeps while a node does not show the confirmed block that has it", () => {
    let isBehind = false
    const { layer, signer } = stage((client) => ({
      ...client,
      receipt: (hash, scope) => (isBehind ? Effect.succeedNone : client.receipt(hash, scope)),
      transactionCount: (account, block) =>
        isBehind && block === "latest" ? Effect.succeed(0n) : client.transactionCount(account, block)
    }))
    return Effect.gen(function* () {
      const { attempt, mineLane, order, passDeadline, pending, state, status } = yield* sentSweep()
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      state.spentNonces.add(order.order.nonce)
      yield* passDeadline
      isBehind = true
      signer.signs = () => false
      yield* outlast
      yield* outlast
      assert.deepStrictEqual((yield* pending).intentIds, ["a"])
      isBehind = false
      yield* tick
      assert.strictEqual(yield* status, "delivered")
    }).pipe(Effect.provide(layer))
  })
})
