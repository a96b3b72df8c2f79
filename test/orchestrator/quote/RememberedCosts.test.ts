/** The memory of costs that quotes of everybody assume. */
import { assert, describe, it } from "@effect/vitest"
import { MOST_BESIDE_GAS } from "../../../src/domain/CostMemory.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import * as RememberedCosts from "../../../src/orchestrator/quote/RememberedCosts.ts"
import type * as Routing from "../../../src/orchestrator/quote/Routing.ts"
import type { SimulatedSweep } from "../../../src/ports/orchestrator/SweepSimulation.ts"
import { address } from "../../support/FakeChain.ts"
import * as Quoting from "../../support/Quoting.ts"

const ROUTE_GAS = 100_000n
const ORDINARY = 220_000n
const BURNED = 15_000_000n

/** A route that does not tell its gas. */
const untold: Routing.Route = {
  provider: "venue",
  target: address(0xa9),
  calldata: "0x",
  estimatedAmountOut: 1n,
  guaranteedAmountOut: 1n,
  bridgeSeconds: 0,
  slippageBps: 0,
  passing: 0,
  sellsWhatArrives: false
}

const route: Routing.Route = { ...untold, gas: ROUTE_GAS }

const simulated = (gas: bigint, dataGas = 0n): SimulatedSweep => ({
  amountOut: 1n,
  gas,
  limits: { execution: 0n, transaction: 0n },
  dataGas,
  dataFee: 0n
})

const termsOf = (changes: Partial<typeof Quoting.request>): RememberedCosts.Terms => ({
  client: { chain: Quoting.source },
  request: { ...Quoting.request, ...changes },
  isDelegated: false
})

const toOwner = termsOf({ tokenOut: NATIVE, destination: Quoting.OWNER })
const toOther = termsOf({ tokenOut: NATIVE, destination: Quoting.DESTINATION })
const toContract = termsOf({ tokenOut: NATIVE, destination: address(0xdd) })
const otherPair = termsOf({ tokenIn: address(0xb7) })

/** A memory with some samples of each. */
const remembering = (...sweeps: ReadonlyArray<readonly [RememberedCosts.Terms, gas: bigint]>) => {
  const memory = RememberedCosts.make()
  for (const [terms, gas] of sweeps)
    for (const _ of Array.from({ length: 5 })) memory.remember(terms, route, simulated(gas))
  return memory
}

describe("the remembered cost of a pair", () => {
  it("does not depend on native currency that other accounts received, whose code may burn gas", () => {
    const { typical } = remembering([toOwner, ORDINARY], [toContract, BURNED])
    assert.strictEqual(typical(toOwner)?.gas, ORDINARY)
    assert.strictEqual(typical(toOther)?.gas, ORDINARY)
    const poisoned = remembering([toContract, BURNED])
    assert.isUndefined(poisoned.typical(toOwner))
  })

  it("is told by what other accounts received to sweeps to other accounts, while nothing else is known", () => {
    const { knowsLane, typical } = remembering([toContract, ORDINARY])
    assert.strictEqual(typical(toOther)?.gas, ORDINARY)
    assert.isTrue(knowsLane(toOther))
    assert.isFalse(knowsLane(toOwner))
  })

  it("does not depend on the destination of tokens, or of what arrives on another chain", () => {
    const token = { destination: address(0xdd) }
    assert.strictEqual(remembering([termsOf({}), ORDINARY]).typical(termsOf(token))?.gas, ORDINARY)
    const { crossChain } = Quoting
    const across = termsOf({ ...crossChain, tokenOut: NATIVE })
    const other = termsOf({ ...crossChain, tokenOut: NATIVE, ...token })
    assert.strictEqual(remembering([across, ORDINARY]).typical(other)?.gas, ORDINARY)
    assert.isTrue(remembering([across, ORDINARY]).knowsLane(other))
  })

  it("is bounded by what a sweep needs beside its route, without the gas of a rollup's data", () => {
    const most = ROUTE_GAS + MOST_BESIDE_GAS
    const terms = termsOf({})
    assert.strictEqual(remembering([terms, BURNED]).typical(terms)?.gas, most)
    assert.strictEqual(remembering([terms, most]).typical(terms)?.gas, most)
    const memory = RememberedCosts.make()
    memory.remember(terms, route, simulated(ORDINARY, BURNED))
    assert.strictEqual(memory.typical(terms)?.gas, ORDINARY + BURNED)
    memory.remember(otherPair, untold, simulated(BURNED))
    assert.isBelow(Number(memory.typical(otherPair)?.gas), 2_000_000)
  })
})

describe("the cost that is expected of another pair", () => {
  it("does not depend on native currency that other accounts received", () => {
    const { expected, knowsLane } = remembering([toOwner, ORDINARY], [toContract, BURNED])
    assert.strictEqual(expected(otherPair, route)?.gas, ORDINARY)
    assert.strictEqual(expected(otherPair, { ...route, provider: "other" })?.gas, ORDINARY)
    assert.isTrue(knowsLane(otherPair))
    assert.isFalse(remembering([toContract, BURNED]).knowsLane(otherPair))
  })
})
