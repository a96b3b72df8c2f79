import { describe, expect, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as Fees from "../../src/domain/Fees.ts"
import type { Tier } from "../../src/domain/Tier.ts"
import * as Arbitraries from "./Arbitraries.ts"

const policy: Fees.FeePolicy = {
  protocolBps: { tier1: 25, tier2: 50, tier3: 100 },
  subscriberShareBps: 5_000,
  networkMarginBps: 2_000
}
const TIERS: ReadonlyArray<Tier> = ["tier1", "tier2", "tier3"]
const protocolFee = (amountIn: bigint, tier: Tier, subscriptionActive: boolean) =>
  Fees.protocolFee(policy, { amountIn, tier, subscriptionActive })

describe("protocolFee", () => {
  it("takes the tier's rate, and half of it from subscribers", () => {
    expect(TIERS.map((tier) => protocolFee(1_000_000n, tier, false))).toEqual([2_500n, 5_000n, 10_000n])
    expect(TIERS.map((tier) => protocolFee(1_000_000n, tier, true))).toEqual([1_250n, 2_500n, 5_000n])
  })

  it("rounds up", () => {
    expect(protocolFee(1n, "tier1", false)).toBe(1n)
    expect(protocolFee(401n, "tier1", false)).toBe(2n)
    expect(protocolFee(401n, "tier1", true)).toBe(1n)
    expect(protocolFee(0n, "tier3", false)).toBe(0n)
  })

  it.prop("is off the exact rate by less than a unit, to the protocol's side", [Arbitraries.Units], ([amountIn]) => {
    for (const tier of TIERS) {
      const rate = BigInt(policy.protocolBps[tier])
      const full = protocolFee(amountIn, tier, false) * 10_000n - amountIn * rate
      const subscribed = protocolFee(amountIn, tier, true) * 20_000n - amountIn * rate
      expect(0n <= full && full < 10_000n && 0n <= subscribed && subscribed < 20_000n).toBe(true)
    }
  })

  it.prop(
    "grows with amount and tier, and never with a subscription",
    [Arbitraries.Units, Arbitraries.Units],
    ([a, b]) => {
      for (const subscribed of [true, false]) {
        for (const tier of TIERS) {
          expect(protocolFee(a, tier, subscribed) <= protocolFee(a + b, tier, subscribed)).toBe(true)
          expect(protocolFee(a, tier, true) <= protocolFee(a, tier, false)).toBe(true)
        }
        const [first = 0n, second = 0n, third = 0n] = TIERS.map((tier) => protocolFee(a, tier, subscribed))
        expect(first <= second && second <= third && third <= a).toBe(true)
      }
    }
  )
})

describe("builderFee", () => {
  it.prop(
    "is off the exact markup by less than a unit, to the owner's side",
    [Arbitraries.Units, Arbitraries.Bps],
    ([amountIn, bps]) => {
      const short = amountIn * BigInt(bps) - Fees.builderFee(amountIn, bps) * 10_000n
      expect(0n <= short && short < 10_000n).toBe(true)
      expect(Fees.builderFee(amountIn, bps) <= amountIn).toBe(true)
    }
  )
})

describe("networkFee", () => {
  const USD = 10n ** 18n
  const options = {
    // 200,000 gas at 1 gwei.
    cost: 200_000n * 10n ** 9n,
    nativeUsd: 3_000n * USD,
    tokenUsd: USD,
    tokenDecimals: 6
  }

  it("turns wei into the token, with the margin", () => {
    // That is 0.0002 ETH or 0.60 USD; a fifth more is 0.72 USD.
    expect(Fees.networkFee(policy, options)).toBe(720_000n)
    expect(Fees.networkFee(policy, { ...options, tokenDecimals: 18 })).toBe(72n * 10n ** 16n)
    expect(Fees.networkFee(policy, { ...options, tokenDecimals: 0 })).toBe(1n)
    expect(Fees.networkFee(policy, { ...options, tokenUsd: 3_000n * USD, tokenDecimals: 18 })).toBe(24n * 10n ** 13n)
  })

  const Cost = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 10n ** 32n }))
  const Price = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 10n ** 24n }))
  const Decimals = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 77 }))

  it.prop(
    "covers the cost, by less than one unit too much",
    [Cost, Price, Price, Decimals],
    ([wei, nativeUsd, tokenUsd, tokenDecimals]) => {
      const fee = Fees.networkFee(policy, { cost: wei, nativeUsd, tokenUsd, tokenDecimals })
      // Both sides in dollars, scaled until nothing is lost.
      const paid = (units: bigint) => units * tokenUsd * 10n ** 18n * 10_000n
      const cost = wei * nativeUsd * 10n ** BigInt(tokenDecimals) * 12_000n
      expect(paid(fee) >= cost && (fee === 0n || paid(fee - 1n) < cost)).toBe(true)
    }
  )

  it.prop(
    "grows with the cost, and shrinks as the token is worth more",
    [Cost, Price, Price],
    ([cost, price, more]) => {
      const fee = (changes: Partial<typeof options>) => Fees.networkFee(policy, { ...options, ...changes })
      expect(fee({ cost }) <= fee({ cost: cost + more })).toBe(true)
      expect(fee({ nativeUsd: price }) <= fee({ nativeUsd: price + more })).toBe(true)
      expect(fee({ tokenUsd: price }) >= fee({ tokenUsd: price + more })).toBe(true)
    }
  )
})

describe("breakdown", () => {
  it.prop(
    "sums exactly to the amount, or refuses",
    [Arbitraries.Units, Arbitraries.Units, Arbitraries.Units, Arbitraries.Units],
    ([amountIn, protocol, network, builder]) => {
      const outcome = Fees.breakdown({ amountIn, protocolFee: protocol, networkFee: network, builderFee: builder })
      const total = protocol + network + builder
      if (Result.isFailure(outcome)) {
        expect(total >= amountIn).toBe(true)
        expect(outcome.failure.total).toBe(total)
        return
      }
      const { builderFee, feeAmount, swapAmount } = outcome.success
      expect(feeAmount + builderFee + swapAmount).toBe(amountIn)
      expect([feeAmount, builderFee]).toEqual([protocol + network, builder])
      expect(swapAmount > 0n).toBe(true)
    }
  )

  it("refuses fees that leave nothing, and takes those that leave one unit", () => {
    const parts = { protocolFee: 3n, networkFee: 4n, builderFee: 5n }
    expect(Result.isFailure(Fees.breakdown({ amountIn: 12n, ...parts }))).toBe(true)
    expect(Fees.breakdown({ amountIn: 13n, ...parts })).toEqual(
      Result.succeed({ feeAmount: 7n, protocolFee: 3n, networkFee: 4n, builderFee: 5n, swapAmount: 1n })
    )
    expect(Result.isFailure(Fees.breakdown({ amountIn: 0n, protocolFee: 0n, networkFee: 0n, builderFee: 0n }))).toBe(
      true
    )
  })
})
