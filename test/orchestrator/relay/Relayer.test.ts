import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import { TestClock } from "effect/testing"
import { ScreeningState } from "../../../src/adapters/memory/shared/Screening.ts"
import { designator } from "../../../src/domain/Delegation.ts"
import { batchGasLimit, itemGas, sweepGasLimit } from "../../../src/domain/RelayGas.ts"
import { Relayer } from "../../../src/orchestrator/relay/Relayer.ts"
import { ChainUnavailable, SendRejected } from "../../../src/ports/shared/Chains.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { SweepContracts } from "../../../src/ports/orchestrator/SweepContracts.ts"
import { address } from "../../support/FakeChain.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { layer, scene } from "../../support/RelayScene.ts"
import { source } from "../../support/RelayFixtures.ts"

const OWNER = address(0x01)

const run = Effect.flatMap(Relayer, (relayer) => relayer.runOnce(source.id))

describe("what is sent", () => {
  it.effect(
    "a plain owner's sweep goes through the entry, which checks the owner's account, with the authorization",
    () =>
      Effect.gen(function* () {
        const { chain, intent, lane, pending, sent, submit } = yield* scene
        const { decodeRun } = yield* SweepContracts
        yield* chain.setTransactionCount(lane, 5n)
        const { submission } = yield* submit({ id: "a" })
        assert.deepStrictEqual(yield* run, { claimed: 1, sent: 1 })

        const [transaction, ...others] = yield* sent
        assert.lengthOf(others, 0)
        assert.strictEqual(transaction?.to, source.contracts.entry)
        const [item] = decodeRun(transaction?.data ?? "0x")
        assert.strictEqual(item?.account, OWNER)
        // 150,000 used, a tenth and 55,000 on top.
        assert.strictEqual(item?.gasLimit, 220_000n)
        assert.strictEqual(transaction?.nonce, 5n)
        assert.lengthOf(transaction?.authorizationList ?? [], 1)
        assert.deepStrictEqual(transaction?.authorizationList[0], submission?.authorization)
        const carried = { gasLimit: 220_000n, data: item?.data ?? "0x", authorizations: 1 }
        assert.strictEqual(transaction?.gas, batchGasLimit([itemGas(carried)]))
        assert.strictEqual(transaction?.maxFeePerGas, 3_000_000_000n)

        const stored = yield* pending
        assert.strictEqual(stored.attempts[0]?.raw, transaction?.raw)
        assert.isDefined(stored.attempts[0]?.broadcastAtMs)
        assert.strictEqual((yield* intent("a")).txHash, stored.attempts[0]?.hash)
        assert.deepStrictEqual(yield* run, { claimed: 0, sent: 0 })
      }).pipe(Effect.provide(layer))
  )

  /** Values of network fees in wei, which earlier sweeps of the owner paid. The next one's is 480,000 gwei. */
  const PAID = [
    ["as much", 480_000_000_000_000n, OWNER],
    ["less", 479_999_999_999_999n, source.contracts.entry]
  ] as const

  it.effect.each(PAID)("the sweep of an owner who paid %s before goes where a burner costs no more", ([, value, to]) =>
    Effect.gen(function* () {
      const { sent, submit, sweptBefore } = yield* scene
      yield* sweptBefore(1, { gas: 200_000n, gasPrice: 2_000_000_000n, value })
      yield* submit({ id: "a" })
      yield* run
      const [transaction] = yield* sent
      assert.strictEqual(transaction?.to, to)
      if (to !== OWNER) return
      const data = transaction?.data ?? "0x"
      assert.strictEqual(transaction?.gas, sweepGasLimit({ gasLimit: 220_000n, data, authorizations: 0 }))
    }).pipe(Effect.provide(layer))
  )

  it.effect("an account that runs our delegate needs no authorization, and no delegation in the simulation", () =>
    Effect.gen(function* () {
      const { chain, sent, submit } = yield* scene
      yield* chain.setCode(OWNER, designator(source.contracts.delegate))
      yield* chain.setTransactionCount(OWNER, 9n)
      yield* submit({ id: "a" })
      yield* run
      assert.deepStrictEqual((yield* sent)[0]?.authorizationList, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("another delegate is replaced as long as the authorization applies", () =>
    Effect.gen(function* () {
      const { chain, sent, submit } = yield* scene
      yield* chain.setCode(OWNER, designator(address(0x99)))
      yield* submit({ id: "a" })
      yield* run
      assert.lengthOf((yield* sent)[0]?.authorizationList ?? [], 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("passes at the same time send an intent once", () =>
    Effect.gen(function* () {
      const { sent, submit, unfinished } = yield* scene
      for (const owner of [1, 2, 3, 4]) yield* submit({ id: `intent-${owner}`, owner })
      const reports = yield* Effect.all([run, run, run], { concurrency: "unbounded" })
      assert.strictEqual(
        reports.reduce((sum, report) => sum + report.sent, 0),
        4
      )
      const carried = (yield* unfinished).flatMap(({ intentIds }) => intentIds)
      assert.deepStrictEqual(carried.toSorted(), ["intent-1", "intent-2", "intent-3", "intent-4"])
      assert.lengthOf(yield* sent, (yield* unfinished).length)
    }).pipe(Effect.provide(layer))
  )
})

describe("what waits", () => {
  it.effect("nothing is lost while the node is down, and the intent is sent afterwards", () =>
    Effect.gen(function* () {
      const { chain, intent, sent, submit } = yield* scene
      yield* submit({ id: "a" })
      yield* chain.fail("simulate")
      assert.deepStrictEqual(yield* run, { claimed: 1, sent: 0 })
      assert.deepStrictEqual(yield* run, { claimed: 0, sent: 0 })
      yield* chain.fail()
      yield* TestClock.adjust(3_000)
      assert.deepStrictEqual(yield* run, { claimed: 1, sent: 1 })
      assert.lengthOf(yield* sent, 1)
      assert.strictEqual((yield* intent("a")).status, "submitted")
    }).pipe(Effect.provide(layer))
  )

  it.effect("a lane that cannot be looked at gives the claimed intents back", () =>
    Effect.gen(function* () {
      const { chain, sent, submit } = yield* scene
      yield* run
      yield* submit({ id: "a" })
      yield* chain.fail("balance")
      assert.deepStrictEqual(yield* run, { claimed: 1, sent: 0 })
      yield* chain.fail()
      yield* TestClock.adjust(3_000)
      yield* run
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("without a screening answer nothing is sent and nothing fails", () =>
    Effect.gen(function* () {
      const { intent, sent, submit } = yield* scene
      const screening = yield* ScreeningState
      yield* submit({ id: "a" })
      yield* TestClock.adjust(60_001)
      yield* Ref.update(screening, (state) => ({ ...state, available: false }))
      yield* run
      assert.lengthOf(yield* sent, 0)
      assert.strictEqual((yield* intent("a")).status, "submitted")
      yield* Ref.update(screening, (state) => ({ ...state, available: true }))
      yield* TestClock.adjust(3_000)
      yield* run
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("an owner's own pending transaction decides first whether the authorization applies", () =>
    Effect.gen(function* () {
      const { chain, intent, sent, submit } = yield* scene
      yield* submit({ id: "a" })
      yield* chain.setTransactionCount(OWNER, 0n, 1n)
      yield* run
      assert.lengthOf(yield* sent, 0)
      assert.strictEqual((yield* intent("a")).status, "submitted")
      yield* chain.setTransactionCount(OWNER, 0n)
      yield* TestClock.adjust(3_000)
      yield* run
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("a lane short of gas money pauses and alerts, and goes on when refilled", () =>
    Effect.gen(function* () {
      const { alertKinds, chain, lane, sent, submit } = yield* scene
      yield* submit({ id: "a" })
      yield* chain.setBalance(lane, 1n)
      assert.deepStrictEqual(yield* run, { claimed: 0, sent: 0 })
      assert.deepStrictEqual(yield* alertKinds, ["lane_low"])
      yield* chain.setBalance(lane, 10n ** 18n)
      assert.deepStrictEqual(yield* run, { claimed: 1, sent: 1 })
      assert.deepStrictEqual(yield* alertKinds, [])
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("a lane that runs dry between two passes gives its claims back", () =>
    Effect.gen(function* () {
      const { alertKinds, chain, lane, sent, submit } = yield* scene
      yield* run
      yield* submit({ id: "a" })
      yield* chain.setBalance(lane, 1n)
      assert.deepStrictEqual(yield* run, { claimed: 1, sent: 0 })
      assert.deepStrictEqual(yield* alertKinds, ["lane_low"])
      yield* chain.setBalance(lane, 10n ** 18n)
      yield* TestClock.adjust(3_000)
      yield* run
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("a lane with code sends nothing until its code is gone", () =>
    Effect.gen(function* () {
      const { alertKinds, chain, lane, sent, submit } = yield* scene
      yield* submit({ id: "a" })
      yield* chain.setCode(lane, designator(address(0x99)))
      yield* run
      assert.deepStrictEqual(yield* alertKinds, ["lane_delegated"])
      assert.lengthOf(yield* sent, 0)
      yield* chain.setCode(lane, "0x")
      yield* run
      assert.deepStrictEqual(yield* alertKinds, [])
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(layer))
  )
})

describe("how a send ends", () => {
  it.effect("a lost reply leaves the signed bytes, noted as offered", () =>
    Effect.gen(function* () {
      const { chain, pending, sent, submit } = yield* scene
      yield* submit({ id: "a" })
      yield* chain.onSend(() =>
        Effect.fail(new ChainUnavailable({ chainId: source.id, method: "eth_sendRawTransaction", detail: "timeout" }))
      )
      assert.deepStrictEqual(yield* run, { claimed: 1, sent: 1 })
      const stored = yield* pending
      assert.isDefined(stored.attempts[0]?.broadcastAtMs)
      assert.strictEqual(stored.attempts[0]?.raw, (yield* sent)[0]?.raw)
    }).pipe(Effect.provide(layer))
  )

  const rejections: Array<{ readonly reason: SendRejected["reason"]; readonly alerts: Array<string> }> = [
    { reason: "NonceTooLow", alerts: [] },
    { reason: "Underpriced", alerts: [] },
    { reason: "InsufficientFunds", alerts: ["lane_low"] },
    { reason: "Invalid", alerts: ["transaction_rejected"] }
  ]

  it.effect.each(rejections)("a rejection ($reason) frees neither the nonce nor the intent", ({ alerts, reason }) =>
    Effect.gen(function* () {
      const { alertKinds, chain, pending, submit } = yield* scene
      yield* submit({ id: "a", owner: 1 })
      yield* chain.onSend(() => Effect.fail(new SendRejected({ chainId: source.id, reason, detail: "no" })))
      yield* run
      assert.strictEqual((yield* pending).nonce, 0n)
      assert.deepStrictEqual(yield* alertKinds, alerts)
      yield* TestClock.adjust(60_000)
      assert.deepStrictEqual(yield* run, { claimed: 0, sent: 0 })
    }).pipe(Effect.provide(layer))
  )

  it.effect("a worker whose lease has ended does not fail what another one has sent", () =>
    Effect.gen(function* () {
      const { chain, intent, lane, submit } = yield* scene
      const submitted = yield* submit({ id: "a" })
      const transactions = yield* RelayTransactions
      const attempt = {
        hash: hash("other"),
        raw: "0x",
        maxFeePerGas: 1n,
        maxPriorityFeePerGas: 1n,
        signedAtMs: 0
      } as const
      // While this worker prepares, another one sends; what this one then sees is that transaction.
      const allocation = yield* Effect.cached(
        transactions.allocate({
          chainId: source.id,
          lane,
          chainNonce: 0n,
          intentIds: [submitted.id],
          sign: () => Effect.succeed(attempt)
        })
      )
      yield* chain.onSimulate(() =>
        allocation.pipe(Effect.orDie, Effect.as([{ success: false, returnData: "0x" as const, gasUsed: 0n, logs: [] }]))
      )
      yield* run
      assert.strictEqual((yield* intent("a")).status, "submitted")
    }).pipe(Effect.provide(layer))
  )
})
