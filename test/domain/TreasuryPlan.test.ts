import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  type HoldingFacts,
  leastOutput,
  lotOf,
  nextLot,
  nextRoundAtMs,
  planOf,
  retryAtMs
} from "../../src/domain/TreasuryPlan.ts"
import * as Usd from "../../src/domain/Usd.ts"
import { Bps, Units } from "./Arbitraries.ts"
import { address } from "../support/IntentFixtures.ts"

const USD = 10n ** 18n
const HOUR = 3_600_000
const limits = { minValue: 25n * USD, maxValue: 1_000n * USD }

const facts = (changes: Partial<HoldingFacts> = {}): HoldingFacts => ({
  token: address(1),
  held: 100_000_000n,
  asset: address(2),
  isSelling: false,
  failure: undefined,
  price: { usd: USD, decimals: 6 },
  isPriceKnown: true,
  isVaultShared: false,
  ...changes
})

const failure = (failures: number, failedAtMs = 0) => ({
  chainId: 1,
  token: address(1),
  failures,
  reason: "no_route" as const,
  detail: "no pool",
  failedAtMs
})

const state = (changes: Partial<HoldingFacts>, nowMs = 0) => planOf(facts(changes), limits, nowMs).state

/** All lots of a balance, as the sales go through them. */
const lotsOf = (held: bigint, value: bigint, maxValue: bigint): ReadonlyArray<bigint> => {
  const amounts: Array<bigint> = []
  let lot: { readonly amount: bigint; readonly rest: bigint } | undefined = lotOf(held, value, maxValue)
  while (lot !== undefined) {
    amounts.push(lot.amount)
    lot = nextLot(lot)
  }
  return amounts
}

const Positive = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 10n ** 30n }))
const Parts = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 200n }))

describe("the plan of a balance", () => {
  it("sells what is worth the minimum, and names the reason otherwise", () => {
    assert.deepStrictEqual(planOf(facts(), limits, 0), {
      state: "sell",
      value: 100n * USD,
      lot: { amount: 100_000_000n, rest: 0n, lots: 1 }
    })
    assert.strictEqual(state({ held: 24_999_999n }), "small")
    assert.strictEqual(state({ held: 25_000_000n }), "sell")
    assert.strictEqual(state({ held: 0n }), "empty")
    assert.strictEqual(state({ held: undefined }), "unknown")
    assert.strictEqual(state({ asset: undefined }), "no_asset")
    assert.strictEqual(state({ asset: address(1) }), "asset")
    assert.strictEqual(state({ isVaultShared: true }), "shared_vault")
    assert.strictEqual(state({ isVaultShared: true, asset: undefined }), "no_asset")
    assert.strictEqual(state({ isVaultShared: true, held: 0n }), "empty")
    assert.strictEqual(state({ isSelling: true }), "selling")
    assert.strictEqual(state({ isSelling: true, held: undefined }), "selling")
    assert.strictEqual(state({ price: undefined, isPriceKnown: false }), "unknown")
    assert.strictEqual(state({ price: undefined }), "unsellable")
  })

  it("leaves an unsellable token alone for longer after each failure, at most a week", () => {
    assert.deepStrictEqual(
      [1, 2, 3, 8, 9, 60].map((failures) => retryAtMs(failure(failures)) / HOUR),
      [1, 2, 4, 128, 168, 168]
    )
    const failed = { failure: failure(2, 5 * HOUR) }
    assert.deepStrictEqual(planOf(facts(failed), limits, 7 * HOUR - 1), {
      state: "unsellable",
      retryAtMs: 7 * HOUR,
      value: 100n * USD
    })
    assert.strictEqual(state(failed, 7 * HOUR), "sell")
  })

  it("divides a large balance into few equal lots", () => {
    assert.deepStrictEqual(lotsOf(10n, 1_000n, 1_000n), [10n])
    assert.deepStrictEqual(lotsOf(10n, 1_001n, 1_000n), [5n, 5n])
    assert.deepStrictEqual(lotsOf(11n, 2_500n, 1_000n), [4n, 4n, 3n])
    assert.deepStrictEqual(lotsOf(2n, 10_000n, 1_000n), [1n, 1n])
  })

  it.prop("sells the whole balance in lots within the limit", [Positive, Positive, Parts], ([held, value, parts]) => {
    const maxValue = (value + parts - 1n) / parts
    const lots = lotsOf(held, value, maxValue)
    assert.strictEqual(
      lots.reduce((sum, lot) => sum + lot, 0n),
      held
    )
    assert.isTrue(lots.every((lot) => lot > 0n))
    assert.isTrue(BigInt(lots.length) <= parts)
    // A unit cannot be divided, so a lot may exceed the limit by less than one.
    for (const lot of lots) assert.isTrue((lot - 1n) * value < maxValue * held)
  })

  it.prop(
    "asks for the value less the tolerance, and never for nothing",
    [Units, Positive, Bps],
    ([amount, usd, bps]) => {
      const [token, asset] = [
        { usd, decimals: 18 },
        { usd: USD, decimals: 6 }
      ]
      const least = leastOutput(amount, token, asset, bps)
      const fair = (amount * usd) / 10n ** 30n
      assert.isTrue(least >= 1n)
      assert.isTrue(least === 1n || least * 10_000n <= fair * BigInt(10_000 - bps))
      assert.isTrue((least + 1n) * 10_000n > fair * BigInt(10_000 - bps))
    }
  )

  it.prop("never sells more than is held, nor what is worth too little", [Units, Positive], ([held, usd]) => {
    const plan = planOf(facts({ held, price: { usd, decimals: 18 } }), limits, 0)
    assert.strictEqual(plan.state === "sell", Usd.valueOf(held, usd, 18) >= limits.minValue)
    if (plan.lot !== undefined) assert.strictEqual(plan.lot.amount + plan.lot.rest <= held, true)
  })

  it("has a next round only with an interval", () => {
    assert.isUndefined(nextRoundAtMs(5, undefined, 9))
    assert.strictEqual(nextRoundAtMs(undefined, 100, 9), 9)
    assert.strictEqual(nextRoundAtMs(5, 100, 9), 105)
  })
})
