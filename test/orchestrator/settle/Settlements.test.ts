import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { designator } from "../../../src/domain/Delegation.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { address } from "../../support/FakeChain.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { layer } from "../../support/RelayScene.ts"
import { cancelledLog, otherLog, source, sweptLog } from "../../support/RelayFixtures.ts"
import { isolated, series } from "../../support/Metrics.ts"
import { booked, relay, sentSweep, tick } from "../../support/SentSweep.ts"

const OWNER = address(0x01)

describe("settlement", () => {
  it.effect("comes with the guard's event at depth, and is booked by its place among the transaction's logs", () =>
    Effect.gen(function* () {
      const { attempt, bury, intent, mineLane, order, pending, status, unfinished } = yield* sentSweep()
      const block = yield* mineLane({ hash: attempt.hash, logs: [otherLog, sweptLog(order, { amountOut: 1_234n })] })
      yield* tick
      assert.strictEqual(yield* status, "submitted")
      assert.strictEqual((yield* pending).inclusion?.blockHash, block.hash)
      assert.lengthOf(yield* booked, 0)

      yield* bury(1)
      assert.strictEqual((yield* tick).delivered, 0)
      yield* bury(1)
      const report = yield* tick
      assert.strictEqual(report.delivered, 1)
      // Revenue, accrual, and the two later statuses for the builder. The first status was delivered before.
      assert.strictEqual(report.outboxDelivered, 4)
      assert.strictEqual(yield* status, "delivered")
      assert.strictEqual((yield* intent("a")).amountOut, 1_234n)
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
          accrual: {
            builderId: "bld_1",
            sweepId,
            token: order.order.tokenIn,
            amount: 2_500n,
            chainId: source.id,
            payoutMode: "ledger"
          }
        }
      ])
      assert.strictEqual((yield* tick).transactions, 0)
      assert.lengthOf(yield* booked, 2)
    }).pipe(Effect.provide(layer))
  )

  it.effect("a sale of the fee recipient is no revenue, and a sweep to another account is", () =>
    Effect.gen(function* () {
      const recipient = source.feeRecipient
      const fee = { usd: "1.5", amount: 5_000n }
      const quote = { feeBreakdown: { protocol: fee, network: fee, builder: fee } }
      for (const [destination, lines] of [
        [recipient, 0],
        [address(0xde), 1]
      ] as const) {
        const earned = Effect.gen(function* () {
          const { attempt, bury, mineLane, order, status } = yield* sentSweep({
            owner: 0xf1,
            quote,
            order: { owner: recipient, destination, builderFee: 0n }
          })
          yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
          yield* bury(2)
          yield* tick
          assert.strictEqual(yield* status, "delivered")
          assert.lengthOf(yield* booked, lines)
          return yield* series("sweep_fees_earned_usd_total")
        })
        const found = yield* isolated(earned.pipe(Effect.provide(Layer.fresh(layer))))
        assert.strictEqual(
          found.some((line) => line.includes('fee="protocol"') && line.endsWith(" 1.5")),
          lines === 1
        )
      }
    })
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
      const { attempt, bury, chain, givenUp, mineLane, order } = yield* sentSweep()
      yield* chain.setCode(OWNER, designator(source.contracts.delegate))
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order, change)] })
      yield* bury(2)
      yield* tick
      assert.strictEqual(yield* givenUp("a"), "reverted")
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
    { name: "a revert for a cancelled nonce", mined: "reverted", code: ours, spent: true, reason: "nonce_used" }
  ]

  it.effect.each(cases)("$name fails as $reason, at depth and with proof", (each) =>
    Effect.gen(function* () {
      const { attempt, bury, chain, givenUp, intent, lane, order, passDeadline, state, status, unfinished } =
        yield* sentSweep()
      if (each.code !== undefined) yield* chain.setCode(OWNER, each.code)
      if (each.balance !== undefined) state.ownerBalance = each.balance
      if (each.spent === true) state.spentNonces.add(7n)
      const cancel = each.spent === true ? [{ hash: hash("cancel"), logs: [cancelledLog(order.order)] }] : []
      yield* chain.mine([...cancel, { hash: attempt.hash, status: each.mined }], each.seconds)
      yield* chain.setTransactionCount(lane, 1n)
      yield* bury(1)
      yield* tick
      assert.strictEqual(yield* status, "submitted")
      yield* bury(1)
      if (each.spent !== true && each.seconds === undefined) {
        // Its transaction is over, and its order can still be sent by anybody who has it.
        assert.strictEqual((yield* tick).failed, 0)
        assert.strictEqual(yield* givenUp("a"), each.reason)
        yield* chain.setCode(OWNER, "0x")
        assert.lengthOf(yield* unfinished, 0)
        assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
        yield* passDeadline
      }
      assert.strictEqual((yield* tick).failed, 1)
      assert.strictEqual((yield* intent("a")).failureReason, each.reason)
      assert.lengthOf(yield* unfinished, 0)
      assert.lengthOf(yield* booked, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is settled by whoever runs the order after its own transaction reverted", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, givenUp, intent, mineLane, order, passDeadline, state } = yield* sentSweep()
      yield* chain.setCode(OWNER, designator(source.contracts.delegate))
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(2)
      yield* tick
      assert.strictEqual(yield* givenUp("a"), "reverted")

      const foreign = { hash: hash("foreign"), logs: [sweptLog(order)] }
      yield* chain.mine([foreign])
      state.spentNonces.add(7n)
      yield* passDeadline
      yield* tick
      const settled = yield* intent("a")
      assert.strictEqual(settled.status, "delivered")
      assert.strictEqual(settled.txHash, foreign.hash)
      assert.lengthOf(yield* booked, 2)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is tried again when an operator frees it, and fails with the newest reason", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, givenUp, intent, mineLane, passDeadline, simulatesRevert } = yield* sentSweep()
      yield* chain.setCode(OWNER, designator(source.contracts.delegate))
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(2)
      yield* tick
      yield* simulatesRevert("InsufficientOutput")
      yield* (yield* Intents).release(["a"])
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.strictEqual(yield* givenUp("a"), "simulation_failed")
      yield* passDeadline
      yield* tick
      assert.strictEqual((yield* intent("a")).failureReason, "simulation_failed")
      assert.strictEqual((yield* intent("a")).failureDetail, "InsufficientOutput")
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
      const { attempt, bury, chain, lane, order, state, status } = yield* sentSweep()
      yield* chain.mine([{ hash: attempt.hash, status: "reverted" }])
      yield* chain.setTransactionCount(lane, 1n)
      yield* bury(1)
      yield* chain.mine([{ hash: hash("foreign"), logs: [sweptLog(order)] }])
      state.spentNonces.add(order.order.nonce)
      yield* tick
      assert.strictEqual(yield* status, "submitted")
      yield* bury(2)
      yield* tick
      assert.strictEqual(yield* status, "delivered")
    }).pipe(Effect.provide(layer))
  )
})
