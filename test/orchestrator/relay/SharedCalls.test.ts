/** Claims whose sweeps one call cannot run together. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { numberToHex } from "viem"
import { encode } from "../../../src/adapters/evm/codec/Rehearsal.ts"
import type * as Address from "../../../src/domain/Address.ts"
import type { FeeCover } from "../../../src/domain/FeeCover.ts"
import { type ChainClient, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import type { SimulatedStep } from "../../../src/ports/shared/Simulation.ts"
import { address } from "../../support/FakeChain.ts"
import { reverting, source, type Sweep, TOKEN } from "../../support/RelayFixtures.ts"
import { layer, layerOnNodes, layerWith, scene } from "../../support/RelayScene.ts"
import { relay } from "../../support/SentSweep.ts"

const settling = { success: true, returnData: numberToHex(950n, { size: 32 }), gasUsed: 150_000n, logs: [] } as const
const failing = { success: false, returnData: reverting("InsufficientOutput"), gasUsed: 60_000n, logs: [] } as const

/** Gas limit of a sweep whose rehearsal used 4,900,000 gas. */
const BURNER_GAS = 5_440_000n

/** Gas that many public nodes give a call at most, without an error. */
const NODE_GAS = 50_000_000n

const UNLISTED = address(0xb9)

/** The network fees of the sweeps cover ten million gas at the scene's price. */
const COVER: FeeCover = { gas: 200_000n, gasPrice: 2_000_000_000n, value: 20_000_000_000_000_000n }

const unavailable = (isReverted: boolean) =>
  new ChainUnavailable({
    chainId: source.id,
    method: "eth_call",
    detail: isReverted ? "InsufficientGas" : "timeout",
    ...(isReverted ? { isReverted } : {})
  })

const has = (steps: ReadonlyArray<SimulatedStep>, owner: number): boolean =>
  steps.some(({ to }) => to === address(owner))

const idOf = (owner: number): string => `s${String(owner).padStart(2, "0")}`

/** Sweeps of owners 1, 2 …, on a node that runs simulations as `simulate` says. `calls`: owners in each simulation. */
const claimed = Effect.fnUntraced(function* (
  count: number,
  simulate: (steps: ReadonlyArray<SimulatedStep>) => ReturnType<ChainClient["simulate"]>,
  sweepOf: (owner: number) => Partial<Sweep> = () => ({})
) {
  const the = yield* scene
  const calls: Array<ReadonlyArray<Address.Address>> = []
  yield* the.chain.onSimulate((steps) =>
    Effect.suspend(() => {
      calls.push(steps.map(({ to }) => to))
      return simulate(steps)
    })
  )
  for (let owner = 1; owner <= count; owner++) {
    yield* the.submit({ id: idOf(owner), owner, cover: COVER, ...sweepOf(owner) })
  }
  return { ...the, calls }
})

const allSettle = (steps: ReadonlyArray<SimulatedStep>) => Effect.succeed(steps.map(() => settling))

describe("sweeps that burn almost the gas that a quote can measure", () => {
  it.effect("are sent with the others, on a node that gives a call less than all need together", () =>
    Effect.gen(function* () {
      const capped = (steps: ReadonlyArray<SimulatedStep>) =>
        encode(steps, address(0x99)).gas > NODE_GAS ? Effect.fail(unavailable(true)) : allSettle(steps)
      const { calls } = yield* claimed(12, capped, (owner) => (owner <= 10 ? { gas: BURNER_GAS } : {}))
      assert.deepStrictEqual(yield* relay, { claimed: 12, sent: 12 })
      // Each sweep ran once, in its order.
      assert.deepStrictEqual(
        calls.flat(),
        Array.from({ length: 12 }, (_, index) => address(index + 1))
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("do not fail for good if they settle only behind a sweep of another call", () =>
    Effect.gen(function* () {
      // Owner 1 pays owner 12, whose sweep settles only behind that. The sweep of owner 11 never settles.
      const behind = (steps: ReadonlyArray<SimulatedStep>) =>
        Effect.succeed(
          steps.map(({ to }) => (to === address(11) || (to === address(12) && !has(steps, 1)) ? failing : settling))
        )
      const { givenUp, intent } = yield* claimed(12, behind, (owner) => ({
        gas: BURNER_GAS,
        ...(owner === 1 ? { order: { destination: address(12) } } : {})
      }))
      assert.deepStrictEqual(yield* relay, { claimed: 12, sent: 10 })
      assert.strictEqual(yield* givenUp(idOf(11)), "simulation_failed")
      assert.isUndefined(yield* givenUp(idOf(12)))
      assert.isUndefined((yield* intent(idOf(12))).txHash)
    }).pipe(Effect.provide(layer))
  )
})

describe("a sweep that no call can run", () => {
  it.effect("waits alone, for longer than others", () =>
    Effect.gen(function* () {
      const broken = (steps: ReadonlyArray<SimulatedStep>) =>
        has(steps, 3) ? Effect.fail(unavailable(true)) : allSettle(steps)
      const { calls, givenUp, submit } = yield* claimed(8, broken)
      assert.deepStrictEqual(yield* relay, { claimed: 8, sent: 7 })
      // The whole, and two halves each time. Then the seven of these calls together, as they are sent.
      assert.strictEqual(calls.length, 8)
      assert.strictEqual(calls.at(-1)?.length, 7)
      assert.isUndefined(yield* givenUp(idOf(3)))
      yield* TestClock.adjust(3_000)
      yield* submit({ id: "next", owner: 9 })
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      yield* TestClock.adjust(30_000)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
    }).pipe(Effect.provide(layer))
  )

  it.effect("costs a bounded number of calls, however many there are", () =>
    Effect.gen(function* () {
      const { calls } = yield* claimed(60, () => Effect.fail(unavailable(true)))
      assert.deepStrictEqual(yield* relay, { claimed: 60, sent: 0 })
      assert.isAtMost(calls.length, 64)
      const alone = calls.filter(({ length }) => length === 1).length
      assert.isTrue(alone > 10)
      // Those that shared every failing call come first.
      yield* TestClock.adjust(3_000)
      assert.deepStrictEqual(yield* relay, { claimed: 60 - alone, sent: 0 })
    }).pipe(Effect.provide(layerWith({ batch: 100 })))
  )

  it.effect("waits alone if it fails only when it is tried again", () =>
    Effect.gen(function* () {
      const broken = (steps: ReadonlyArray<SimulatedStep>) =>
        steps.length === 1
          ? Effect.fail(unavailable(false))
          : Effect.succeed(steps.map(({ to }) => (to === address(2) ? failing : settling)))
      const { givenUp } = yield* claimed(3, broken)
      assert.deepStrictEqual(yield* relay, { claimed: 3, sent: 2 })
      assert.isUndefined(yield* givenUp(idOf(2)))
    }).pipe(Effect.provide(layer))
  )
})

describe("a node that does not answer", () => {
  it.effect("is asked once", () =>
    Effect.gen(function* () {
      const { calls } = yield* claimed(8, () => Effect.fail(unavailable(false)))
      assert.deepStrictEqual(yield* relay, { claimed: 8, sent: 0 })
      assert.strictEqual(calls.length, 1)
      yield* TestClock.adjust(3_000)
      assert.strictEqual((yield* relay).claimed, 8)
    }).pipe(Effect.provide(layer))
  )

  it.effect("to one of several calls holds up only the sweeps of that call", () =>
    Effect.gen(function* () {
      const silent = (steps: ReadonlyArray<SimulatedStep>) =>
        has(steps, 12) ? Effect.fail(unavailable(false)) : allSettle(steps)
      const { calls } = yield* claimed(12, silent, () => ({ gas: BURNER_GAS }))
      assert.deepStrictEqual(yield* relay, { claimed: 12, sent: 8 })
      assert.deepStrictEqual(
        calls.map(({ length }) => length),
        [4, 4, 4]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("to what explains the failure of a sweep holds up no others", () => {
    const nodes = layerOnNodes((client) => ({
      ...client,
      call: (request) => (request.to === TOKEN ? Effect.fail(unavailable(false)) : client.call(request))
    }))
    return Effect.gen(function* () {
      const { givenUp } = yield* claimed(3, (steps) =>
        Effect.succeed(steps.map(({ to }) => (to === address(2) ? failing : settling)))
      )
      assert.deepStrictEqual(yield* relay, { claimed: 3, sent: 2 })
      assert.isUndefined(yield* givenUp(idOf(2)))
    }).pipe(Effect.provide(nodes))
  })

  it.effect("to sweeps of unlisted tokens holds up no others", () =>
    Effect.gen(function* () {
      const silent = (steps: ReadonlyArray<SimulatedStep>) =>
        has(steps, 2) ? Effect.fail(unavailable(false)) : allSettle(steps)
      const { givenUp, intent } = yield* claimed(3, silent, (owner) =>
        owner === 2 ? { order: { tokenIn: UNLISTED } } : {}
      )
      assert.deepStrictEqual(yield* relay, { claimed: 3, sent: 2 })
      assert.isUndefined(yield* givenUp(idOf(2)))
      assert.isUndefined((yield* intent(idOf(2))).txHash)
      yield* TestClock.adjust(3_000)
      assert.strictEqual((yield* relay).claimed, 1)
    }).pipe(Effect.provide(layer))
  )
})
