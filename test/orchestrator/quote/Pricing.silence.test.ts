/** Orders that are priced again while some exchanges say nothing about their fees. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import { coveredValue } from "../../../src/domain/FeeCover.ts"
import { FeeUncertain, type FeeValue } from "../../../src/ports/orchestrator/FeeValue.ts"
import { ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import * as Quoting from "../../support/Quoting.ts"
import { make, UNLISTED } from "./unlistedScene.ts"

const silence = new ChainUnavailable({ chainId: Quoting.source.id, method: "eth_call", detail: "away" })

/** Wei that a fee is charged for with the cost of this much gas. */
const chargedFor = (gas: bigint): bigint =>
  coveredValue(gas * Quoting.GAS_PRICE, orchestratorDefaults.fees.networkMarginBps)

interface Exchanges {
  /** Gas of the fees that every exchange answers for. They sell for what they are charged for. */
  readonly answered: ReadonlyArray<bigint>
  /** Gas that every other fee pays for at least. Default: less than a unit of gas. */
  readonly known?: bigint
}

const feesOf = ({ answered, known = 0n }: Exchanges): FeeValue["Service"] => {
  const charges = new Set(answered.map(chargedFor))
  const atLeast = known * Quoting.GAS_PRICE || 1n
  return {
    realisable: (_client, _token, _amount, unpaid) =>
      unpaid !== undefined && charges.has(unpaid.charged)
        ? Effect.succeed(unpaid.charged)
        : Effect.fail(new FeeUncertain({ atLeast, silence }))
  }
}

/** Quotes an order whose passes cost this much gas. The first one is charged for 225,000. Returns the pass that is offered, or the refusal. */
const offered = Effect.fnUntraced(function* (gas: ReadonlyArray<bigint>, exchanges: Exchanges) {
  const scene = yield* make(100n, { fees: feesOf(exchanges) })
  scene.script.gas = (run) => gas[run] ?? 0n
  const outcome = yield* Effect.result(scene.quote({ tokenIn: UNLISTED, tier: "tier3" }))
  const { created, simulated } = scene.asked
  assert.lengthOf(simulated, gas.length)
  if (Result.isFailure(outcome)) {
    assert.deepStrictEqual(created, [])
    return outcome.failure._tag === "QuoteFailed" ? outcome.failure.reason : outcome.failure._tag
  }
  const { order } = outcome.success
  return {
    pass: simulated.findIndex(({ feeAmount }) => feeAmount === order.feeAmount),
    value: created[0]?.cover?.value
  }
})

describe("an order about whose fee an exchange is silent", () => {
  it.effect("is offered by its first pass if the exchange answered then", () =>
    Effect.gen(function* () {
      const first = yield* offered([180_000n, 180_000n], { answered: [225_000n] })
      assert.deepStrictEqual(first, { pass: 0, value: chargedFor(225_000n) })
    })
  )

  it.effect("is offered by its second pass if the exchange was silent in the third", () =>
    Effect.gen(function* () {
      const second = yield* offered([300_000n, 200_000n, 200_000n], { answered: [225_000n, 300_000n] })
      assert.deepStrictEqual(second, { pass: 1, value: chargedFor(300_000n) })
    })
  )

  it.effect("is offered by its last pass if what is known covers its gas", () =>
    Effect.gen(function* () {
      const covered = { answered: [225_000n], known: 180_000n }
      const last = yield* offered([180_000n, 180_000n], covered)
      assert.deepStrictEqual(last, { pass: 1, value: 180_000n * Quoting.GAS_PRICE })
      const short = yield* offered([180_000n, 180_000n], { ...covered, known: 179_999n })
      assert.deepStrictEqual(short, { pass: 0, value: chargedFor(225_000n) })
    })
  )

  it.effect("is refused for now if no pass before is covered for certain", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* offered([225_000n], { answered: [] }), "chain_unavailable")
      assert.strictEqual(yield* offered([180_000n, 180_000n], { answered: [] }), "chain_unavailable")
      // The fee of the first pass does not cover its gas.
      assert.strictEqual(yield* offered([300_000n, 300_000n], { answered: [225_000n] }), "chain_unavailable")
    })
  )
})
