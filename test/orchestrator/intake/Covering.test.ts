/** A submission is told at once that it waits for a lower price of gas, and is accepted in any case. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as EvmSweepContracts from "../../../src/adapters/evm/contracts/SweepContracts.ts"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import type { FeeCover } from "../../../src/domain/FeeCover.ts"
import { NONE, RATE_GAS } from "../../../src/domain/RollupFee.ts"
import * as Covering from "../../../src/orchestrator/intake/Covering.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { SweepContracts } from "../../../src/ports/orchestrator/SweepContracts.ts"
import { type ChainClient, ChainUnavailable, type FeesPerGas } from "../../../src/ports/shared/Chains.ts"
import { chain, client } from "../../support/FakeChain.ts"
import { newIntent } from "../../support/IntentFixtures.ts"
import { ID, make } from "./intakeScene.ts"

const GWEI = 1_000_000_000n

const feesAt = (baseFee: bigint): FeesPerGas => ({
  baseFeePerGas: baseFee * GWEI,
  maxPriorityFeePerGas: 0n,
  maxFeePerGas: 4n * baseFee * GWEI
})

/** 10 gwei are covered, and with the tolerance of the defaults 11. */
const cover: FeeCover = { gas: 100_000n, gasPrice: 10n * GWEI, value: 1_000_000n * GWEI }
const tolerance = orchestratorDefaults.relayer.feeCover.toleranceBps

/** The comparison over a node, and the number of times that its fees were read. */
const comparing = Effect.fnUntraced(function* (
  answers: Partial<ChainClient>,
  contracts: Partial<SweepContracts["Service"]> = {}
) {
  let reads = 0
  const { feesPerGas = Effect.never } = answers
  const node = client({ ...answers, feesPerGas: Effect.suspend(() => ((reads += 1), feesPerGas)) })
  const waitsFor = yield* Covering.make.pipe(
    Effect.provide(OrchestratorSettings.layer(orchestratorDefaults)),
    Effect.provide(
      Layer.effect(
        SweepContracts,
        Effect.map(SweepContracts, (real) => ({ ...real, ...contracts }))
      ).pipe(Layer.provide(EvmSweepContracts.layer))
    )
  )
  const { order } = newIntent({ id: "a" })
  return {
    waitsFor: (of: Partial<{ cover: FeeCover }> = { cover }) => waitsFor(node, { order, ...of }),
    reads: () => reads
  }
})

describe("the comparison of a submission", () => {
  it.effect("lets a sweep wait above the tolerance, and not below it", () =>
    Effect.gen(function* () {
      assert.strictEqual(tolerance, 1_000)
      for (const [gwei, waits] of [
        [1n, undefined],
        [10n, undefined],
        [11n, undefined],
        [12n, "gas_price"],
        [200n, "gas_price"]
      ] as const) {
        const { waitsFor } = yield* comparing({ feesPerGas: Effect.succeed(feesAt(gwei)) })
        assert.strictEqual(yield* waitsFor(), waits, `${gwei} gwei`)
      }
    })
  )

  it.effect("counts the price of a rollup's data, in proportion to its bytes, and the fee of its operator", () =>
    Effect.gen(function* () {
      const asked: Array<number> = []
      const rollupFee: SweepContracts["Service"]["rollupFee"] = (_client, bytes) =>
        Effect.sync(() => (asked.push(bytes), { ...NONE, data: BigInt(bytes) * 5_000n * GWEI }))
      const node = { chain: { ...chain, dataFee: "op-stack" as const }, feesPerGas: Effect.succeed(feesAt(1n)) }
      const { waitsFor } = yield* comparing(node, { rollupFee })
      assert.strictEqual(yield* waitsFor(), "gas_price")
      assert.isUndefined(yield* waitsFor({ cover: { ...cover, value: 100_000_000n * GWEI } }))
      assert.lengthOf(asked, 1)

      const operated = (gweiPerGas: bigint) =>
        comparing(node, {
          rollupFee: () => Effect.succeed({ ...NONE, operatorRate: gweiPerGas * GWEI * RATE_GAS })
        })
      assert.isUndefined(yield* (yield* operated(9n)).waitsFor())
      assert.strictEqual(yield* (yield* operated(11n)).waitsFor(), "gas_price")
    })
  )

  it.effect("reads the prices of a chain once a second", () =>
    Effect.gen(function* () {
      const { reads, waitsFor } = yield* comparing({ feesPerGas: Effect.succeed(feesAt(1n)) })
      yield* waitsFor()
      yield* waitsFor()
      assert.strictEqual(reads(), 1)
      yield* TestClock.adjust("1 second")
      yield* waitsFor()
      assert.strictEqual(reads(), 2)
    })
  )

  it.effect("goes on with prices of up to three seconds while one submission reads them again", () =>
    Effect.gen(function* () {
      let answer: Effect.Effect<FeesPerGas> = Effect.succeed(feesAt(200n))
      const { reads, waitsFor } = yield* comparing({ feesPerGas: Effect.suspend(() => answer) })
      yield* waitsFor()
      answer = Effect.never
      for (const read of [2, 3]) {
        yield* TestClock.adjust("1 second")
        yield* Effect.forkChild(waitsFor(), { startImmediately: true })
        assert.strictEqual(yield* waitsFor(), "gas_price")
        assert.strictEqual(reads(), read)
      }
      yield* TestClock.adjust("1 second")
      const asking = [yield* Effect.forkChild(waitsFor()), yield* Effect.forkChild(waitsFor())]
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Effect.forEach(asking, Fiber.join), [undefined, undefined])
      assert.strictEqual(reads(), 5)
    })
  )

  it.effect("goes on with no older prices, whenever they are read again", () =>
    Effect.gen(function* () {
      let answer: Effect.Effect<FeesPerGas> = Effect.succeed(feesAt(200n))
      const { reads, waitsFor } = yield* comparing({ feesPerGas: Effect.suspend(() => answer) })
      yield* waitsFor()
      answer = Effect.never
      yield* TestClock.adjust("2900 millis")
      yield* Effect.forkChild(waitsFor(), { startImmediately: true })
      assert.strictEqual(yield* waitsFor(), "gas_price")
      yield* TestClock.adjust("100 millis")
      yield* Effect.forkChild(waitsFor(), { startImmediately: true })
      assert.strictEqual(reads(), 3)
    })
  )

  it.effect("tells nothing if the node fails or is late, or if the quote did not store what its fee covers", () =>
    Effect.gen(function* () {
      const unavailable = new ChainUnavailable({ chainId: chain.id, method: "eth_feeHistory", detail: "down" })
      const failing = yield* comparing({ feesPerGas: Effect.fail(unavailable) })
      assert.isUndefined(yield* failing.waitsFor())
      const late = yield* comparing({ feesPerGas: Effect.never })
      const waiting = yield* Effect.forkChild(late.waitsFor())
      yield* TestClock.adjust("1 second")
      assert.isUndefined(yield* Fiber.join(waiting))
      const unread = yield* comparing({ feesPerGas: Effect.succeed(feesAt(200n)) })
      assert.isUndefined(yield* unread.waitsFor({}))
    })
  )
})

describe("a submission", () => {
  const tooLittle: FeeCover = { gas: 100_000n, gasPrice: 1n, value: 100_000n }

  it.effect("is accepted and waits for a price that its fee covers", () =>
    Effect.gen(function* () {
      const scene = yield* make({ cover: tooLittle })
      assert.deepStrictEqual(yield* scene.submit(), { id: ID, status: "submitted", waitingFor: "gas_price" })
      assert.strictEqual(yield* scene.waitingFor, "gas_price")
    })
  )

  it.effect("does not wait while its fee covers the cost, or while the node does not tell the cost", () =>
    Effect.gen(function* () {
      const covered = yield* make({ cover })
      yield* covered.chain.setFees(feesAt(10n))
      assert.deepStrictEqual(yield* covered.submit(), { id: ID, status: "submitted" })
      assert.isUndefined(yield* covered.waitingFor)
      const untold = yield* make({ cover: tooLittle })
      yield* untold.chain.fail("feesPerGas")
      assert.deepStrictEqual(yield* untold.submit(), { id: ID, status: "submitted" })
    })
  )
})
