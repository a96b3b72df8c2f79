/** Reservations of sweeps before they are signed: which sweeps have one, how large it is, and when it ends. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { encodeFunctionResult, multicall3Abi, numberToHex } from "viem"
import { designator } from "../../../src/domain/Delegation.ts"
import { batchClass, classOf, firstClass } from "../../../src/domain/Exposure.ts"
import { Exposures } from "../../../src/ports/orchestrator/Exposures.ts"
import type { ChainClient } from "../../../src/ports/shared/Chains.ts"
import { address } from "../../support/FakeChain.ts"
import { source } from "../../support/RelayFixtures.ts"
import { layer, layerOnNodes, layerWith, scene } from "../../support/RelayScene.ts"
import { relay } from "../../support/SentSweep.ts"
import { conclude, exhaust, openOf, sumsOf } from "./concluded.ts"
import { wallet } from "./wallet.ts"

/** Latest deadline, so that no sweep of a test expires. */
const LATE = 1_800_000_000n

const FINNEY = 10n ** 15n
const GWEI = 10n ** 9n

const FIRST = firstClass(source.id, false)
const BATCH = batchClass(source.id)
const LISTED = classOf("listed", "all", source.id)
const UNLISTED = classOf("unlisted", "all", source.id)

const NETWORK = "203.0.113.0/24"

const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe("a sweep of listed tokens whose owner's account is delegated", () => {
  it.effect("counts as a first one until a sweep of the owner has settled, and waits while the pot is full", () =>
    Effect.gen(function* () {
      const { chain, intent, submit, sweptBefore } = yield* scene
      for (const owner of range(20)) {
        yield* chain.setCode(address(owner), designator(source.contracts.delegate))
        yield* submit({ id: `f${owner}`, owner, order: { nonce: BigInt(owner), deadline: LATE } })
      }
      const { sent } = yield* relay
      assert.isTrue(sent > 0 && sent < 20)
      const open = yield* openOf(FIRST)
      assert.isTrue(open > 0n && open <= 5n * FINNEY)
      assert.strictEqual((yield* intent("f20")).status, "submitted")

      yield* sweptBefore(21)
      yield* submit({ id: "known", owner: 21, order: { nonce: 21n, deadline: LATE } })
      assert.strictEqual((yield* relay).sent, 1)
      assert.strictEqual(yield* openOf(FIRST), open)
    }).pipe(Effect.provide(layerWith({ firstSweepsLossBudget: 10n * FINNEY })))
  )
})

describe("the sweeps of an owner who swept before, in one transaction", () => {
  const legs = range(50).map((leg) => ({ id: `leg ${leg}`, order: { deadline: LATE } }))

  it.effect("reserve what exceeds the owner's credit, so that fifty legs go in more than one transaction", () =>
    Effect.gen(function* () {
      const the = yield* wallet(legs, { isAuthorized: false })
      yield* the.sweptBefore(1)
      const { sent } = yield* relay
      assert.isTrue(sent > 10 && sent < 50)
      const open = yield* openOf(BATCH)
      assert.isTrue(open > 0n && open <= 20n * FINNEY)

      yield* conclude(the, "success", FINNEY / 10n)
      assert.strictEqual(yield* openOf(BATCH), 0n)
      assert.isTrue(((yield* sumsOf(BATCH))?.hour.earned ?? 0n) > 0n)
      let left = 50 - sent
      for (let times = 0; times < 3; times++) {
        yield* TestClock.adjust(15_000)
        left -= (yield* relay).sent
        yield* conclude(the, "success", FINNEY / 10n)
      }
      assert.strictEqual(left, 0)
      assert.strictEqual((yield* the.intent("leg 50")).status, "delivered")
    }).pipe(Effect.provide(layer))
  )

  it.effect("use up the budget of batches when they fail", () =>
    Effect.gen(function* () {
      const the = yield* wallet(legs.slice(0, 10), { isAuthorized: false })
      yield* the.sweptBefore(1)
      assert.strictEqual((yield* relay).sent, 10)
      const cost = yield* conclude(the, "reverted", FINNEY)
      const sums = yield* sumsOf(BATCH)
      assert.strictEqual(sums?.open, 0n)
      const lost = sums?.hour.lost ?? 0n
      assert.isTrue(lost > 0n && lost < cost)
      // The losses of owners who swept before count for all of them, too.
      assert.strictEqual((yield* sumsOf(LISTED))?.hour.lost, cost)
    }).pipe(Effect.provide(layer))
  )

  it.effect("reserve nothing within what the owner has paid", () =>
    Effect.gen(function* () {
      const the = yield* wallet(legs.slice(0, 2), { isAuthorized: false })
      // Twice the fee of one.
      yield* the.sweptBefore(1, { gas: 200_000n, gasPrice: 4n * GWEI, value: 960_000n * GWEI })
      assert.strictEqual((yield* relay).sent, 2)
      assert.isUndefined(yield* sumsOf(BATCH))
    }).pipe(Effect.provide(layer))
  )
})

describe("a sweep with unlisted tokens that is put off", () => {
  const BUDGETS = { unlisted: { hour: 20n * FINNEY, day: 100n * FINNEY }, listedHour: 0n }

  /** Submits it, and reserves as its submission does. */
  const accepted = Effect.gen(function* () {
    const the = yield* scene
    yield* the.submit({ id: "u", order: { tokenIn: address(0x61), deadline: LATE } })
    yield* (yield* Exposures).reserve([{ intentId: "u", classes: [UNLISTED], wei: 5n * FINNEY }], BUDGETS)
    return the
  })

  it.effect("because of its owner's pending transaction reserves nothing until it can be sent", () =>
    Effect.gen(function* () {
      const { chain, intent } = yield* accepted
      yield* chain.setTransactionCount(address(1), 0n, 1n)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.strictEqual(yield* openOf(UNLISTED), 0n)
      assert.strictEqual((yield* intent("u")).status, "submitted")

      yield* chain.setTransactionCount(address(1), 0n)
      yield* TestClock.adjust(3_000)
      assert.strictEqual((yield* relay).sent, 1)
      assert.isTrue((yield* openOf(UNLISTED)) > 0n)
    }).pipe(Effect.provide(layer))
  )

  it.effect("because of the price of gas reserves nothing until it can be sent", () =>
    Effect.gen(function* () {
      const { chain, client } = yield* accepted
      const cheap = yield* client.feesPerGas
      yield* chain.setFees({ baseFeePerGas: 100n * GWEI, maxFeePerGas: 200n * GWEI, maxPriorityFeePerGas: GWEI })
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.strictEqual(yield* openOf(UNLISTED), 0n)

      yield* chain.setFees(cheap)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* relay).sent, 1)
      assert.isTrue((yield* openOf(UNLISTED)) > 0n)
    }).pipe(Effect.provide(layer))
  )
})

describe("a rollup's charge for data", () => {
  const CHARGE = 4n * FINNEY

  const charging = (client: ChainClient): ChainClient => ({
    ...client,
    chain: { ...client.chain, dataFee: "op-stack" },
    call: (request) =>
      request.data.toLowerCase().includes("420000000000000000000000000000000000000f")
        ? Effect.succeed(
            encodeFunctionResult({
              abi: multicall3Abi,
              functionName: "aggregate3",
              result: [CHARGE, undefined, undefined].map((wei) => ({
                success: wei !== undefined,
                returnData: wei === undefined ? "0x" : numberToHex(wei, { size: 32 })
              }))
            })
          )
        : client.call(request)
  })

  it.effect(
    "ten times the price of the gas is part of what sweeps reserve, so that they lose no more than the budget",
    () =>
      Effect.gen(function* () {
        const the = yield* scene
        const cover = { gas: 200_000n, gasPrice: 2n * GWEI, value: 6n * FINNEY }
        for (const owner of range(20)) {
          yield* the.submit({
            id: `u${owner}`,
            owner,
            cover,
            attributed: { builderId: `bld_${owner}`, payoutMode: "ledger" },
            order: { nonce: BigInt(owner), tokenIn: address(0x60 + owner), deadline: LATE }
          })
        }
        const cost = yield* exhaust(the, CHARGE + 4n * (FINNEY / 10n))
        assert.isTrue(cost > 0n && cost <= 20n * FINNEY)
        assert.strictEqual((yield* sumsOf(UNLISTED))?.hour.lost, cost)
      }).pipe(Effect.provide(layerOnNodes(charging)))
  )
})

describe("losses of first sweeps", () => {
  it.effect("use up no budget of owners who swept before, and make nobody else of their network wait", () =>
    Effect.gen(function* () {
      const the = yield* scene
      for (const owner of range(60)) {
        yield* the.submit({ id: `f${owner}`, owner, network: NETWORK, order: { nonce: BigInt(owner), deadline: LATE } })
      }
      const cost = yield* exhaust(the, FINNEY)
      assert.isTrue(cost > 10n * FINNEY && cost <= 40n * FINNEY)
      const pots = yield* Effect.forEach([FIRST, firstClass(source.id, true)], sumsOf)
      assert.strictEqual(
        pots.reduce((sum, each) => sum + (each?.hour.lost ?? 0n), 0n),
        cost
      )
      assert.isUndefined(yield* sumsOf(LISTED))
      assert.isUndefined(yield* sumsOf(classOf("listed", "network", source.id, NETWORK)))
      assert.strictEqual((yield* sumsOf(classOf("listed", "owner", source.id, address(1))))?.hour.lost, FINNEY)

      yield* the.sweptBefore(70)
      // The present cost is 400,000 gwei.
      const value = (400_000n * GWEI * 100n) / 105n
      const cover = { gas: 200_000n, gasPrice: 2n * GWEI, value }
      yield* the.submit({ id: "known", owner: 70, network: NETWORK, cover, order: { nonce: 70n, deadline: LATE } })
      assert.strictEqual((yield* relay).sent, 1)
    }).pipe(Effect.provide(layerWith({ firstSweepsLossBudget: 40n * FINNEY, lossBudget: 10n * FINNEY })))
  )

  it.effect("make their owner wait as before", () =>
    Effect.gen(function* () {
      const the = yield* scene
      const submit = (id: string, nonce: bigint) => the.submit({ id, owner: 1, order: { nonce, deadline: LATE } })
      yield* submit("a", 1n)
      yield* relay
      yield* conclude(the, "reverted", 3n * FINNEY)
      yield* submit("b", 2n)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
    }).pipe(Effect.provide(layer))
  )
})
