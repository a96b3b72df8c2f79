import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Ref } from "effect"
import { TestClock } from "effect/testing"
import { BuilderLedgerState } from "../../../src/adapters/memory/orchestrator/BuilderLedger.ts"
import { MemoryBridge } from "../../../src/adapters/memory/orchestrator/Bridge.ts"
import { designator } from "../../../src/domain/Delegation.ts"
import { Relayer } from "../../../src/orchestrator/relay/Relayer.ts"
import * as RelaySigning from "../../../src/orchestrator/relay/Signing.ts"
import { Watcher } from "../../../src/orchestrator/watch/Watcher.ts"
import { ChainUnavailable, SendRejected } from "../../../src/ports/shared/Chains.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address } from "../../support/FakeChain.ts"
import { hash } from "../../support/IntentFixtures.ts"
import {
  destination,
  layer,
  layerOnNodes,
  otherLog,
  scene,
  source,
  sweptLog,
  type Sweep
} from "../../support/RelayScene.ts"

const OWNER = address(0x01)

const relay = Effect.flatMap(Relayer, (relayer) => relayer.runOnce(source.id))
const tick = Effect.flatMap(Watcher, (watcher) => watcher.tick)
const booked = Effect.flatMap(BuilderLedgerState, (ledger) => Effect.map(Ref.get(ledger), ({ entries }) => entries))

/** A scene with one sweep that the relayer has just sent. */
const sentSweep = Effect.fnUntraced(function* (sweep: Partial<Sweep> = {}) {
  const the = yield* scene
  const intent = yield* the.submit({ id: "a", ...sweep })
  yield* relay
  const transaction = yield* the.pending
  const [attempt] = transaction.attempts
  if (attempt === undefined) return yield* Effect.die("no attempt")
  return { ...the, order: intent, transaction, attempt, status: Effect.map(the.intent("a"), ({ status }) => status) }
})

describe("settlement", () => {
  it.effect("comes with the guard's event at depth, and is booked by its place among the transaction's logs", () =>
    Effect.gen(function* () {
      const { attempt, bury, mineLane, order, pending, status, unfinished } = yield* sentSweep()
      const block = yield* mineLane({ hash: attempt.hash, logs: [otherLog, sweptLog(order)] })
      yield* tick
      assert.strictEqual(yield* status, "submitted")
      assert.strictEqual((yield* pending).inclusion?.blockHash, block.hash)
      assert.lengthOf(yield* booked, 0)

      yield* bury(1)
      assert.strictEqual((yield* tick).delivered, 0)
      yield* bury(1)
      const report = yield* tick
      assert.strictEqual(report.delivered, 1)
      // Revenue, accrual, and the two statuses that the builder is told of; the first one was told before.
      assert.strictEqual(report.outboxDelivered, 4)
      assert.strictEqual(yield* status, "delivered")
      assert.lengthOf(yield* unfinished, 0)
      const sweepId = `${attempt.hash}_1`
      assert.deepStrictEqual(yield* booked, [
        {
          _tag: "Revenue",
          revenue: {
            sweepId,
            chainId: source.id,
            token: order.order.tokenIn,
            amount: 5_000n,
            txHash: attempt.hash,
            settledAtMs: Number(block.timestamp) * 1000
          }
        },
        {
          _tag: "Accrual",
          accrual: { builderId: "bld_1", sweepId, token: order.order.tokenIn, amount: 2_500n, chainId: source.id }
        }
      ])
      assert.strictEqual((yield* tick).transactions, 0)
      assert.lengthOf(yield* booked, 2)
    }).pipe(Effect.provide(layer))
  )

  it.effect("an accrual that the sweep itself has paid says so", () =>
    Effect.gen(function* () {
      const { attempt, bury, mineLane, order } = yield* sentSweep({
        attributed: { builderId: "bld_2", payoutMode: "onchain" }
      })
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      yield* tick
      const [, accrual] = yield* booked
      assert.strictEqual(accrual?._tag === "Accrual" ? accrual.accrual.paidTxHash : undefined, attempt.hash)
    }).pipe(Effect.provide(layer))
  )

  it.effect.each([
    { forged: "from another contract", change: { guard: address(0x66) } },
    { forged: "with another amount", change: { amountIn: 999_999n } },
    { forged: "with less than the order's minimum", change: { amountOut: 899n } }
  ])("an event $forged is none", ({ change }) =>
    Effect.gen(function* () {
      const { attempt, bury, chain, intent, mineLane, order } = yield* sentSweep()
      yield* chain.setCode(OWNER, designator(source.contracts.delegate))
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order, change)] })
      yield* bury(2)
      assert.strictEqual((yield* tick).failed, 1)
      assert.strictEqual((yield* intent("a")).failureReason, "reverted")
      assert.lengthOf(yield* booked, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is booked once by passes at the same time, and once more looked at after a crash", () =>
    Effect.gen(function* () {
      const { attempt, bury, mineLane, order, status, transaction, unfinished } = yield* sentSweep()
      const intents = yield* Intents
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      // The process died between the intent's progress and the end of the transaction.
      const settled = { _tag: "SettledAtSource", txHash: attempt.hash } as const
      yield* intents.apply("a", [settled, { _tag: "Delivered", txHash: attempt.hash }])
      assert.strictEqual((yield* unfinished)[0]?.id, transaction.id)
      const reports = yield* Effect.all([tick, tick, tick], { concurrency: "unbounded" })
      assert.deepStrictEqual(
        reports.map(({ delivered }) => delivered),
        [0, 0, 0]
      )
      assert.lengthOf(yield* unfinished, 0)
      assert.strictEqual(yield* status, "delivered")
    }).pipe(Effect.provide(layer))
  )

  it.effect("concurrent passes settle once", () =>
    Effect.gen(function* () {
      const { attempt, bury, mineLane, order } = yield* sentSweep()
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      const reports = yield* Effect.all([tick, tick, tick], { concurrency: "unbounded" })
      assert.strictEqual(
        reports.reduce((sum, { delivered }) => sum + delivered, 0),
        1
      )
      assert.lengthOf(yield* booked, 2)
    }).pipe(Effect.provide(layer))
  )
})

describe("a mined transaction without the event", () => {
  interface Case {
    readonly name: string
    readonly mined: "success" | "reverted"
    readonly code?: `0x${string}`
    readonly balance?: bigint
    readonly seconds?: bigint
    readonly spent?: boolean
    readonly reason: string
  }
  const ours = designator(source.contracts.delegate)
  const cases: Array<Case> = [
    { name: "a silent no-op of a plain account", mined: "success", reason: "stale_authorization" },
    {
      name: "a silent no-op of an account with another delegate",
      mined: "success",
      code: designator(address(0x99)),
      reason: "delegation_replaced"
    },
    { name: "a revert", mined: "reverted", code: ours, reason: "reverted" },
    {
      name: "a revert for lack of tokens",
      mined: "reverted",
      code: ours,
      balance: 1n,
      reason: "insufficient_balance"
    },
    { name: "a revert after the deadline", mined: "reverted", code: ours, seconds: 601n, reason: "expired" },
    { name: "a revert for a nonce spent otherwise", mined: "reverted", code: ours, spent: true, reason: "nonce_used" }
  ]

  it.effect.each(cases)("$name fails as $reason, at depth", (each) =>
    Effect.gen(function* () {
      const { attempt, bury, chain, intent, lane, state, status, unfinished } = yield* sentSweep()
      if (each.code !== undefined) yield* chain.setCode(OWNER, each.code)
      if (each.balance !== undefined) state.ownerBalance = each.balance
      if (each.spent === true) state.spentNonces.add(7n)
      yield* chain.mine([{ hash: attempt.hash, status: each.mined }], each.seconds)
      yield* chain.setTransactionCount(lane, 1n)
      yield* bury(1)
      yield* tick
      assert.strictEqual(yield* status, "submitted")
      yield* bury(1)
      assert.strictEqual((yield* tick).failed, 1)
      assert.strictEqual((yield* intent("a")).failureReason, each.reason)
      assert.lengthOf(yield* unfinished, 0)
      assert.lengthOf(yield* booked, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is settled by the transaction of whoever ran the order first, booked once", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, intent, lane, order, state } = yield* sentSweep()
      const foreign = { hash: hash("foreign"), logs: [sweptLog(order)] }
      yield* chain.mine([foreign, { hash: attempt.hash, status: "reverted" }])
      yield* chain.setTransactionCount(lane, 1n)
      yield* chain.setCode(OWNER, designator(source.contracts.delegate))
      state.spentNonces.add(7n)
      yield* bury(2)
      yield* tick
      yield* tick
      const settled = yield* intent("a")
      assert.strictEqual(settled.status, "delivered")
      assert.strictEqual(settled.txHash, foreign.hash)
      const sweepIds = (yield* booked).map((entry) =>
        entry._tag === "Accrual" ? entry.accrual.sweepId : entry.revenue.sweepId
      )
      assert.deepStrictEqual(sweepIds, [`${foreign.hash}_0`, `${foreign.hash}_0`])
    }).pipe(Effect.provide(layer))
  )

  it.effect("stays undecided while the settlement by somebody else is recent", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, lane, order, status } = yield* sentSweep()
      yield* chain.mine([{ hash: attempt.hash, status: "reverted" }])
      yield* chain.setTransactionCount(lane, 1n)
      yield* bury(1)
      yield* chain.mine([{ hash: hash("foreign"), logs: [sweptLog(order)] }])
      yield* tick
      assert.strictEqual(yield* status, "submitted")
      yield* bury(2)
      yield* tick
      assert.strictEqual(yield* status, "delivered")
    }).pipe(Effect.provide(layer))
  )
})

describe("crashes and lost replies", () => {
  it.effect("what was stored and never sent is sent", () =>
    Effect.gen(function* () {
      const { lane, sent, submit } = yield* scene
      yield* submit({ id: "a" })
      const transactions = yield* RelayTransactions
      const sign = yield* RelaySigning.make
      // The process died right after this commit.
      const stored = yield* transactions.allocate({
        chainId: source.id,
        lane,
        chainNonce: 0n,
        intentIds: ["a"],
        sign: (nonce) =>
          sign(lane, {
            chainId: source.id,
            nonce,
            to: OWNER,
            data: "0x1234",
            gas: 200_000n,
            maxFeePerGas: 3n,
            maxPriorityFeePerGas: 1n,
            authorizationList: []
          })
      })
      assert.strictEqual((yield* tick).rebroadcast, 1)
      assert.deepStrictEqual(
        (yield* sent).map(({ raw }) => raw),
        stored.attempts.map(({ raw }) => raw)
      )
      assert.strictEqual((yield* tick).rebroadcast, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("what was sent and not noted is sent again, the same bytes", () =>
    Effect.gen(function* () {
      const { attempt, bury, mineLane, order, sent, status } = yield* sentSweep()
      yield* TestClock.adjust(15_000)
      assert.strictEqual((yield* tick).rebroadcast, 1)
      const bytes = (yield* sent).map(({ raw }) => raw)
      assert.deepStrictEqual(bytes, [attempt.raw, attempt.raw])
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      yield* tick
      assert.strictEqual(yield* status, "delivered")
    }).pipe(Effect.provide(layer))
  )

  it.effect("a transaction that was mined although its reply was lost settles", () =>
    Effect.gen(function* () {
      const { bury, chain, intent, mineLane, pending, sent, submit } = yield* scene
      const order = yield* submit({ id: "a" })
      yield* chain.onSend(() => Effect.fail(new ChainUnavailable({ chainId: 1, method: "send", detail: "timeout" })))
      yield* relay
      yield* mineLane({ hash: (yield* pending).attempts[0]?.hash ?? "0x", logs: [sweptLog(order)] })
      yield* bury(2)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "delivered")
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("a transaction that lost its block is sent again, and settles in another one", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, lane, mineLane, order, pending, sent, status } = yield* sentSweep()
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(1)
      yield* tick
      assert.strictEqual((yield* pending).status, "mined")

      yield* chain.reorg(2)
      yield* chain.setTransactionCount(lane, 0n)
      yield* bury(3)
      assert.strictEqual((yield* tick).rebroadcast, 1)
      assert.strictEqual((yield* pending).status, "pending")
      assert.deepStrictEqual(
        (yield* sent).map(({ raw }) => raw),
        [attempt.raw, attempt.raw]
      )
      assert.strictEqual(yield* status, "submitted")

      yield* mineLane({ hash: attempt.hash, logs: [otherLog, otherLog, sweptLog(order)] })
      yield* bury(2)
      yield* tick
      assert.strictEqual(yield* status, "delivered")
      assert.lengthOf(yield* booked, 2)
    }).pipe(Effect.provide(layer))
  )
})

describe("a transaction that is not mined", () => {
  it.effect("is replaced with at least an eighth more, and whichever version is mined counts", () =>
    Effect.gen(function* () {
      const { attempt, bury, mineLane, order, pending, sent, status } = yield* sentSweep()
      yield* TestClock.adjust(45_000)
      assert.strictEqual((yield* tick).replaced, 1)
      const [first, second] = yield* sent
      assert.isTrue((second?.maxFeePerGas ?? 0n) * 8n >= (first?.maxFeePerGas ?? 0n) * 9n)
      assert.isTrue((second?.maxPriorityFeePerGas ?? 0n) * 8n >= (first?.maxPriorityFeePerGas ?? 0n) * 9n)
      for (const field of ["to", "data", "nonce", "gas"] as const) assert.strictEqual(second?.[field], first?.[field])
      assert.deepStrictEqual(second?.authorizationList, first?.authorizationList)
      assert.lengthOf((yield* pending).attempts, 2)

      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      yield* tick
      assert.strictEqual(yield* status, "delivered")
    }).pipe(Effect.provide(layer))
  )

  it.effect("rises no further than helps", () =>
    Effect.gen(function* () {
      const { pending } = yield* sentSweep({ order: { deadline: 10n ** 12n } })
      for (let round = 0; round < 30; round++) {
        yield* TestClock.adjust(45_000)
        yield* tick
      }
      const { attempts } = yield* pending
      assert.isTrue((attempts.at(-1)?.maxFeePerGas ?? 0n) <= 4n * 3_000_000_000n)
      assert.isTrue(attempts.length < 15)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is not bumped while another nonce of its lane is before it", () =>
    Effect.gen(function* () {
      const { sent, submit } = yield* scene
      yield* submit({ id: "a", owner: 1 })
      yield* submit({ id: "b", owner: 2 })
      yield* relay
      yield* TestClock.adjust(45_000)
      const report = yield* tick
      assert.strictEqual(report.replaced, 1)
      assert.strictEqual((yield* sent).filter(({ nonce }) => nonce === 0n).length, 2)
    }).pipe(Effect.provide(layer))
  )

  it.effect("keeps its nonce though the node refuses it, and its replacement too", () =>
    Effect.gen(function* () {
      const { chain, pending, status } = yield* sentSweep()
      yield* chain.onSend(() =>
        Effect.fail(new SendRejected({ chainId: 1, reason: "NonceTooLow", detail: "nonce too low" }))
      )
      yield* TestClock.adjust(45_000)
      yield* tick
      assert.lengthOf((yield* pending).attempts, 2)
      assert.strictEqual(yield* status, "submitted")
    }).pipe(Effect.provide(layer))
  )

  const expiring = Effect.gen(function* () {
    const the = yield* sentSweep()
    yield* the.chain.mine([], 601n)
    const report = yield* tick
    assert.strictEqual(report.replaced, 1)
    const { attempts, kind } = yield* the.pending
    assert.strictEqual(kind, "cancel")
    assert.strictEqual(yield* the.status, "submitted")
    return { ...the, cancel: attempts.at(-1)?.hash ?? "0x" } as const
  })

  it.effect("is cancelled after its deadline, and fails only when the cancellation is deep", () =>
    Effect.gen(function* () {
      const { bury, cancel, intent, lane, mineLane, sent, status, unfinished } = yield* expiring
      const self = (yield* sent).at(-1)
      assert.strictEqual(self?.to, lane)
      assert.strictEqual(self?.data, "0x")
      assert.strictEqual(self?.nonce, 0n)
      yield* bury(5)
      yield* tick
      assert.strictEqual(yield* status, "submitted")
      yield* mineLane({ hash: cancel })
      yield* tick
      assert.strictEqual(yield* status, "submitted")
      yield* bury(2)
      yield* tick
      assert.strictEqual((yield* intent("a")).failureReason, "expired")
      assert.lengthOf(yield* unfinished, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is sent again if a reorganisation lets its cancellation come before the deadline", () =>
    Effect.gen(function* () {
      const { bury, cancel, chain, mineLane, pending, status, unfinished } = yield* expiring
      yield* chain.reorg(1)
      yield* mineLane({ hash: cancel })
      yield* bury(2)
      yield* tick
      assert.lengthOf(yield* unfinished, 0)
      assert.strictEqual(yield* status, "submitted")
      yield* TestClock.adjust(3_000)
      yield* relay
      assert.strictEqual((yield* pending).nonce, 1n)
    }).pipe(Effect.provide(layer))
  )

  it.effect("settles if the sweep was mined before its cancellation", () =>
    Effect.gen(function* () {
      const { attempt, bury, mineLane, order, status } = yield* expiring
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      yield* tick
      assert.strictEqual(yield* status, "delivered")
    }).pipe(Effect.provide(layer))
  )

  it.effect("lets its intent go when a foreign transaction took the nonce for good", () =>
    Effect.gen(function* () {
      const { alertKinds, bury, mineLane, pending, sent, status, unfinished } = yield* sentSweep()
      yield* mineLane({ hash: hash("foreign use of the key") })
      yield* bury(1)
      yield* tick
      assert.lengthOf(yield* unfinished, 1)
      yield* bury(1)
      yield* tick
      assert.lengthOf(yield* unfinished, 0)
      assert.deepStrictEqual(yield* alertKinds, ["foreign_nonce"])
      assert.strictEqual(yield* status, "submitted")

      yield* relay
      assert.strictEqual((yield* pending).nonce, 1n)
      assert.lengthOf(yield* sent, 2)
    }).pipe(Effect.provide(layer))
  )
})

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

  it.effect("fail as expired by the clock on a chain without new blocks", () =>
    Effect.gen(function* () {
      const { intent, submit } = yield* scene
      yield* submit({ id: "a" })
      yield* TestClock.adjust(660_000)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "submitted")
      yield* TestClock.adjust(1_000)
      yield* tick
      assert.strictEqual((yield* intent("a")).failureReason, "expired")
    }).pipe(Effect.provide(layer))
  )

  it.effect("are settled when the owner ran the order", () =>
    Effect.gen(function* () {
      const { bury, chain, intent, submit } = yield* scene
      const order = yield* submit({ id: "a" })
      yield* chain.mine([{ hash: hash("own"), logs: [sweptLog(order)] }])
      yield* chain.mine([], 601n)
      yield* bury(2)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "delivered")
    }).pipe(Effect.provide(layer))
  )
})

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
      yield* bridge.settle(attempt.hash, { _tag: "Delivered", txHash: hash("fill"), amountOut: 900n })
      assert.strictEqual((yield* tick).delivered, 1)
      const delivered = yield* intent("a")
      assert.strictEqual(delivered.deliveryTxHash, hash("fill"))
      assert.strictEqual(delivered.txHash, attempt.hash)
      assert.lengthOf(yield* booked, 2)
    }).pipe(Effect.provide(layer))
  )

  it.effect("a refunded sweep fails, and its fees stay booked", () =>
    Effect.gen(function* () {
      const { attempt, bridge, intent } = yield* deposited
      yield* bridge.settle(attempt.hash, { _tag: "Refunded" })
      assert.strictEqual((yield* tick).failed, 1)
      assert.strictEqual((yield* intent("a")).failureReason, "bridge_refunded")
      assert.lengthOf(yield* booked, 2)
    }).pipe(Effect.provide(layer))
  )
})

describe("what does not work", () => {
  it.effect("one chain's node being down is alerted, and stops no other chain", () =>
    Effect.gen(function* () {
      const { alertKinds, attempt, bury, chain, destinationChain, mineLane, order, status } = yield* sentSweep()
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      yield* destinationChain.fail("block")
      const report = yield* tick
      assert.deepStrictEqual(report.unavailableChains, [destination.id])
      assert.strictEqual(yield* status, "delivered")
      assert.deepStrictEqual(yield* alertKinds, ["chain_unavailable"])
      yield* destinationChain.fail()
      assert.deepStrictEqual((yield* tick).unavailableChains, [])
      assert.deepStrictEqual(yield* alertKinds, [])
      yield* destinationChain.fail("block")
      yield* tick
      yield* destinationChain.fail()
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, [])
      yield* chain.fail("block")
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, ["chain_unavailable"])
      yield* chain.fail()
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("a node that forgets receipts and logs decides nothing", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, mineLane, order, status } = yield* sentSweep()
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      yield* chain.fail("receipt")
      assert.deepStrictEqual((yield* tick).unavailableChains, [source.id])
      assert.strictEqual(yield* status, "submitted")
      yield* chain.fail()
      yield* tick
      assert.strictEqual(yield* status, "delivered")
    }).pipe(Effect.provide(layer))
  )

  it.effect("a receipt from a block that is not the node's own any more decides nothing", () =>
    Effect.gen(function* () {
      const { alertKinds, attempt, bury, mineLane, order, status } = yield* sentSweep()
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      assert.deepStrictEqual((yield* tick).unavailableChains, [source.id])
      assert.strictEqual(yield* status, "submitted")
      assert.deepStrictEqual(yield* alertKinds, ["chain_unavailable"])
      assert.lengthOf(yield* booked, 0)
    }).pipe(
      Effect.provide(
        layerOnNodes((client) => ({
          ...client,
          receipt: (txHash) =>
            Effect.map(client.receipt(txHash), (found) =>
              Option.map(found, (receipt) => Object.assign(receipt, { blockHash: hash("a dead branch") }))
            )
        }))
      )
    )
  )

  it.effect("a settlement of a failed intent is left to the operator", () =>
    Effect.gen(function* () {
      const { alertKinds, attempt, bury, mineLane, order, status, unfinished } = yield* sentSweep()
      yield* Effect.flatMap(Intents, (intents) => intents.apply("a", [{ _tag: "Failed", reason: "reverted" }]))
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      yield* tick
      assert.strictEqual(yield* status, "failed")
      assert.deepStrictEqual(yield* alertKinds, ["settled_after_failure"])
      assert.lengthOf(yield* unfinished, 0)
    }).pipe(Effect.provide(layer))
  )
})
