/** The network fee of a sweep covers its cost when it is sent, whatever the price of gas did since its quote. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { encodeFunctionResult, multicall3Abi, numberToHex } from "viem"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import type { ChainClient, FeesPerGas } from "../../../src/ports/shared/Chains.ts"
import { layer, layerOnNodes, layerWith, scene } from "../../support/RelayScene.ts"
import { relay, tick } from "../../support/SentSweep.ts"
import * as DifferingEndpoints from "../../support/DifferingEndpoints.ts"

const GWEI = 1_000_000_000n

const feesAt = (gwei: bigint): FeesPerGas => ({
  baseFeePerGas: gwei * GWEI,
  maxPriorityFeePerGas: GWEI,
  maxFeePerGas: 2n * gwei * GWEI + GWEI
})

const waitingFor = (id: string) =>
  Effect.flatMap(Intents, (intents) => Effect.map(intents.states([id]), ([state]) => state?.waitingFor))

/** More than the longest pause of a sweep that waits. */
const pause = TestClock.adjust(30_000)

describe("a sweep that was quoted at 1 gwei", () => {
  it.effect("is not sent at 200 gwei, and is sent when the price has fallen", () =>
    Effect.gen(function* () {
      const { alertKinds, chain, intent, sent, submit } = yield* scene
      yield* submit({ id: "a" })
      yield* chain.setFees(feesAt(200n))
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.lengthOf(yield* sent, 0)
      assert.strictEqual(yield* waitingFor("a"), "gas_price")
      assert.deepStrictEqual(yield* alertKinds, ["gas_price"])
      yield* pause
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      yield* chain.setFees(feesAt(1n))
      yield* pause
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      assert.isUndefined(yield* waitingFor("a"))
      assert.strictEqual((yield* intent("a")).status, "submitted")
      yield* pause
      yield* relay
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("leaves no alert behind although the clock was set back", () =>
    Effect.gen(function* () {
      const { alertKinds, chain, submit } = yield* scene
      yield* submit({ id: "a", order: { deadline: 1_800_000_000n } })
      yield* chain.setFees(feesAt(200n))
      yield* relay
      yield* TestClock.adjust(7_200_000)
      yield* relay
      yield* chain.setFees(feesAt(1n))
      yield* pause
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      assert.deepStrictEqual(yield* alertKinds, ["gas_price"])
      yield* TestClock.setTime((yield* Clock.currentTimeMillis) - 3_600_000)
      yield* relay
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("fails as network_fee_insufficient if the price does not fall until its deadline", () =>
    Effect.gen(function* () {
      const { chain, intent, passDeadline, sent, submit } = yield* scene
      yield* submit({ id: "a" })
      yield* chain.setFees(feesAt(200n))
      yield* relay
      yield* passDeadline
      yield* tick
      const { failureReason, status } = yield* intent("a")
      assert.deepStrictEqual({ failureReason, status }, { failureReason: "network_fee_insufficient", status: "failed" })
      assert.lengthOf(yield* sent, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("expires as such if the price is not what it waited for at last", () =>
    Effect.gen(function* () {
      const { chain, intent, passDeadline, submit } = yield* scene
      yield* submit({ id: "a" })
      yield* chain.setFees(feesAt(200n))
      yield* relay
      yield* Effect.flatMap(Intents, (intents) => intents.release(["a"]))
      yield* passDeadline
      yield* tick
      assert.strictEqual((yield* intent("a")).failureReason, "expired")
    }).pipe(Effect.provide(layer))
  )

  it.effect("does not hold up a sweep that pays the present price", () =>
    Effect.gen(function* () {
      const { chain, sent, submit } = yield* scene
      yield* submit({ id: "cheap", owner: 1 })
      yield* submit({
        id: "dear",
        owner: 2,
        cover: { gas: 200_000n, gasPrice: 201n * GWEI, value: 50_000_000n * GWEI }
      })
      yield* chain.setFees(feesAt(200n))
      assert.deepStrictEqual(yield* relay, { claimed: 2, sent: 1 })
      assert.lengthOf(yield* sent, 1)
      assert.strictEqual(yield* waitingFor("cheap"), "gas_price")
      assert.isUndefined(yield* waitingFor("dear"))
    }).pipe(Effect.provide(layer))
  )

  it.effect("is not simulated while it waits", () =>
    Effect.gen(function* () {
      const { chain, submit } = yield* scene
      let simulations = 0
      yield* chain.onSimulate(() => Effect.sync(() => (simulations++, [])))
      yield* submit({ id: "a" })
      yield* chain.setFees(feesAt(200n))
      yield* relay
      assert.strictEqual(simulations, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("waits when it needs more gas than its fee covers by now", () =>
    Effect.gen(function* () {
      const { chain, sent, submit } = yield* scene
      yield* chain.onSimulate((calls) =>
        Effect.succeed(
          calls.map(() => ({
            success: true,
            returnData: `0x${"00".repeat(31)}01` as const,
            gasUsed: 900_000n,
            logs: []
          }))
        )
      )
      yield* submit({ id: "a", gas: 1_000_000n })
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.lengthOf(yield* sent, 0)
      assert.strictEqual(yield* waitingFor("a"), "gas_price")
    }).pipe(Effect.provide(layer))
  )
})

describe("a sweep of a release that did not store what its fee covers", () => {
  it.effect("is taken to cover the price of its quote's block", () =>
    Effect.gen(function* () {
      const { chain, submit } = yield* scene
      yield* submit({ id: "a", cover: "none", quotedAtBlock: 1n })
      yield* chain.setFees(feesAt(200n))
      assert.strictEqual((yield* relay).sent, 0)
      assert.strictEqual(yield* waitingFor("a"), "gas_price")
      yield* chain.setFees(feesAt(1n))
      yield* pause
      assert.strictEqual((yield* relay).sent, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("waits while no node has that block, and does not fail before its deadline", () =>
    Effect.gen(function* () {
      const { intent, submit } = yield* scene
      yield* submit({ id: "a", cover: "none", quotedAtBlock: 99n })
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      yield* pause
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.strictEqual((yield* intent("a")).status, "submitted")
    }).pipe(Effect.provide(layer))
  )
})

describe("a rollup's charge beside gas", () => {
  const answering = (answers: ReadonlyArray<bigint | undefined>) =>
    encodeFunctionResult({
      abi: multicall3Abi,
      functionName: "aggregate3",
      result: answers.map((wei) => ({
        success: wei !== undefined,
        returnData: wei === undefined ? "0x" : numberToHex(wei, { size: 32 })
      }))
    })

  /** The charge of an OP stack chain for any number of bytes, and that of its operator for no gas and for a billion, in wei. */
  const charging =
    (data: bigint, ...operator: ReadonlyArray<bigint>) =>
    (client: ChainClient): ChainClient => ({
      ...client,
      chain: { ...client.chain, dataFee: "op-stack" },
      call: (request) =>
        request.data.toLowerCase().includes("420000000000000000000000000000000000000f")
          ? Effect.succeed(answering([data, operator[0], operator[1]]))
          : client.call(request)
    })

  // The fee covers 480,000 gwei, of which gas needs 400,000. A tenth more is tolerated.
  it.effect.each([
    { gwei: 300_000n, sent: 1 },
    { gwei: 350_000n, sent: 0 }
  ])("of $gwei gwei is part of the cost: $sent sent", ({ gwei, sent }) =>
    Effect.gen(function* () {
      const { submit } = yield* scene
      yield* submit({ id: "a" })
      assert.strictEqual((yield* relay).sent, sent)
    }).pipe(Effect.provide(layerOnNodes(charging(gwei * GWEI))))
  )

  it.effect("that only one endpoint names makes no sweep wait", () =>
    Effect.gen(function* () {
      const { alertKinds, submit } = yield* scene
      yield* submit({ id: "a" })
      assert.strictEqual((yield* relay).sent, 1)
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(
      Effect.provide(
        layerOnNodes((client) =>
          DifferingEndpoints.of(charging(900_000n * GWEI)(client), charging(300_000n * GWEI)(client))
        )
      )
    )
  )

  // The quote counted 200,000 gas.
  it.effect.each([
    { gweiPerGas: 1n, sent: 1 },
    { gweiPerGas: 2n, sent: 0 }
  ])("of $gweiPerGas gwei a gas for the operator is part of the cost: $sent sent", ({ gweiPerGas, sent }) =>
    Effect.gen(function* () {
      const { submit } = yield* scene
      yield* submit({ id: "a" })
      assert.strictEqual((yield* relay).sent, sent)
    }).pipe(Effect.provide(layerOnNodes(charging(GWEI, 100n, 100n + gweiPerGas * GWEI * 10n ** 9n))))
  )
})

describe("the tolerance", () => {
  // The scene's fee covers 2.4 gwei, and the least tip is 0.001 gwei.
  it.effect.each([
    { price: "within a tenth", base: 2_639_000_000n, sent: 1 },
    { price: "above a tenth", base: 2_639_000_001n, sent: 0 }
  ])("sends at a price $price above the cover: $sent", ({ base, sent: expected }) =>
    Effect.gen(function* () {
      const { chain, submit } = yield* scene
      yield* chain.setFees({ baseFeePerGas: base, maxPriorityFeePerGas: GWEI, maxFeePerGas: 2n * base + GWEI })
      yield* submit({ id: "a" })
      assert.strictEqual((yield* relay).sent, expected)
    }).pipe(Effect.provide(layer))
  )

  it.effect("holds for the tip, which is lowered where the market's has jumped", () =>
    Effect.gen(function* () {
      const { chain, sent, submit } = yield* scene
      yield* chain.setFees({ baseFeePerGas: GWEI, maxPriorityFeePerGas: 50n * GWEI, maxFeePerGas: 52n * GWEI })
      yield* submit({ id: "a" })
      assert.strictEqual((yield* relay).sent, 1)
      assert.strictEqual((yield* sent)[0]?.maxPriorityFeePerGas, 1_640_000_000n)
    }).pipe(Effect.provide(layer))
  )
})

describe("a transaction", () => {
  it.effect("never costs more than the fee and the allowed loss of each of its sweeps", () =>
    Effect.gen(function* () {
      const { sent, submit } = yield* scene
      yield* submit({ id: "a", owner: 1 })
      yield* submit({ id: "b", owner: 2, cover: { gas: 200_000n, gasPrice: 2n * GWEI, value: 400_000n * GWEI } })
      yield* relay
      const [only] = yield* sent
      // 2 gwei and half of it are the ceiling of b. An eighth is left for one replacement.
      assert.strictEqual(only?.maxFeePerGas, (3n * GWEI * 8n) / 9n)
    }).pipe(Effect.provide(layer))
  )

  it.effect("risks no loss at all without an allowed loss", () =>
    Effect.gen(function* () {
      const { sent, submit } = yield* scene
      yield* submit({ id: "a" })
      yield* relay
      assert.isAtMost(Number((yield* sent)[0]?.maxFeePerGas), 2_400_000_000)
    }).pipe(Effect.provide(layerWith({ feeCover: { toleranceBps: 1_000, lossBps: 0 } })))
  )

  it.effect("risks no loss once the hourly loss budget is spent", () =>
    Effect.gen(function* () {
      const { sent, submit } = yield* scene
      yield* submit({ id: "a" })
      yield* relay
      assert.isAtMost(Number((yield* sent)[0]?.maxFeePerGas), 2_400_000_000)
    }).pipe(Effect.provide(layerWith({ lossBudget: 0n })))
  )
})
