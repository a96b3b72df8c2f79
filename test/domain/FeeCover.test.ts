import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { raise } from "../../src/domain/FeeBump.ts"
import * as FeeCover from "../../src/domain/FeeCover.ts"

const between = (minimum: bigint, maximum: bigint) => Schema.BigInt.check(Schema.isBetweenBigInt({ minimum, maximum }))
const Price = between(1n, 10n ** 13n)
const Cover = Schema.Struct({ gas: between(1n, 30_000_000n), gasPrice: Price, value: between(0n, 10n ** 20n) })
const Bps = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))
const Policy = Schema.Struct({
  toleranceBps: Bps,
  lossBps: Bps,
  lossLeft: Schema.UndefinedOr(between(-(10n ** 18n), 10n ** 20n))
})
const Market = Schema.Struct({ baseFeePerGas: Price, maxFeePerGas: Price, maxPriorityFeePerGas: Price })
const Fees = Schema.Struct({ maxFeePerGas: Price, maxPriorityFeePerGas: between(0n, 10n ** 12n) })
const Ceilings = Schema.Array(Price).check(Schema.isMinLength(1), Schema.isMaxLength(6))

/** As the adapters make them: the cap is twice the base fee and the tip. */
const marketOf = (baseFeePerGas: bigint, tip: bigint): FeeCover.MarketFees => ({
  baseFeePerGas,
  maxPriorityFeePerGas: tip,
  maxFeePerGas: 2n * baseFeePerGas + tip
})

describe("a sweep that is sent", () => {
  it.prop(
    "never costs more than its value and the allowed loss",
    [Cover, Policy, Price],
    ([cover, policy, dataFee]) => {
      const most = cover.value + FeeCover.allowedLoss(cover, policy)
      const ceiling = FeeCover.ceiling(cover, policy, dataFee)
      return ceiling === 0n || cover.gas * ceiling + dataFee <= most
    }
  )

  it.prop("loses nothing once the hourly budget is spent", [Cover, Policy], ([cover, policy]) => {
    const spent = { ...policy, lossLeft: 0n }
    return (
      FeeCover.sendingLimit(cover, spent) === cover.value &&
      FeeCover.ceiling(cover, spent, 0n) * cover.gas <= cover.value
    )
  })

  it.prop(
    "is within its ceiling at any price at which it is sent",
    [Cover, Policy, Price],
    ([cover, policy, price]) => {
      const isSent = FeeCover.presentCost(cover, { price, dataFee: 0n }) <= FeeCover.sendingLimit(cover, policy)
      return !isSent || price <= FeeCover.ceiling(cover, policy, 0n)
    }
  )

  it("waits at 200 gwei when its fee covers 1 gwei", () => {
    const policy = { toleranceBps: 1_000, lossBps: 5_000 }
    const cover = { gas: 200_000n, gasPrice: 10n ** 9n, value: 240_000n * 10n ** 9n }
    const cost = FeeCover.presentCost(cover, { price: 200n * 10n ** 9n, dataFee: 0n })
    assert.isAbove(Number(cost), Number(FeeCover.sendingLimit(cover, policy)))
    assert.strictEqual(FeeCover.ceiling(cover, policy, 0n), 1_800_000_000n)
  })
})

describe("the fees of a new transaction", () => {
  const Limits = Schema.Array(Schema.Struct({ sending: Price, ceiling: Price })).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(6)
  )
  const both = (price: bigint) => ({ sending: price, ceiling: price })

  it.prop(
    "are at most the lowest ceiling and the market's",
    [Market, Limits, between(0n, 10n ** 9n)],
    ([market, sweeps, minimumTip]) => {
      const fees = FeeCover.capped(market, sweeps, minimumTip)
      return (
        fees.maxFeePerGas <= market.maxFeePerGas &&
        fees.maxPriorityFeePerGas <= market.maxPriorityFeePerGas &&
        sweeps.every(({ ceiling }) => fees.maxFeePerGas <= ceiling) &&
        fees.maxPriorityFeePerGas <= fees.maxFeePerGas
      )
    }
  )

  it.prop("pay the present price wherever every limit does", [Price, Price, Ceilings], ([base, tip, limits]) => {
    const market = marketOf(base, tip)
    const price = FeeCover.presentPrice(market)
    const fees = FeeCover.capped(market, limits.map(both), 0n)
    return limits.some((limit) => limit < price) || FeeCover.presentPrice(fees) === price
  })

  it.prop(
    "cost no sweep more than it is sent for, if the least price is within that",
    [Cover, Policy, Price, Price, Price],
    ([cover, policy, base, tip, minimumTip]) => {
      const market = marketOf(base, tip)
      const limits = {
        sending: FeeCover.sendingPrice(cover, policy, 0n),
        ceiling: FeeCover.ceiling(cover, policy, 0n)
      }
      const price = FeeCover.presentPrice(FeeCover.capped(market, [limits], minimumTip))
      return FeeCover.leastPrice(market, minimumTip) > limits.sending || price <= limits.sending
    }
  )

  it("leave room for one replacement", () => {
    const fees = FeeCover.capped(marketOf(1_000n, 10n), [both(1_800n)], 0n)
    assert.strictEqual(fees.maxFeePerGas, 1_600n)
    assert.strictEqual(raise(fees, { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }).maxFeePerGas, 1_800n)
  })

  it("have the tip that the sweeps pay where the market's has jumped", () => {
    const fees = FeeCover.capped(marketOf(1_000n, 90_000n), [{ sending: 1_300n, ceiling: 1_800n }], 10n)
    assert.strictEqual(fees.maxPriorityFeePerGas, 300n)
    assert.strictEqual(FeeCover.presentPrice(fees), 1_300n)
  })
})

describe("a replacement", () => {
  const members = (ceilings: ReadonlyArray<bigint>) => ceilings.map((ceiling) => ({ ceiling }))

  it.prop("never exceeds the ceiling of a member", [Fees, Market, Ceilings], ([previous, market, ceilings]) => {
    const made = FeeCover.replacement(previous, market, members(ceilings))
    return made === undefined || made.members.every(({ ceiling }) => made.fees.maxFeePerGas <= ceiling)
  })

  it.prop(
    "never exceeds the limit of the chain, and leaves out only what it or the member's own ceiling excludes",
    [Fees, Market, Ceilings, Schema.UndefinedOr(Price)],
    ([previous, market, ceilings, limit]) => {
      const isAble = (ceiling: bigint) => FeeCover.replacement(previous, market, [{ ceiling }]) !== undefined
      const within = ceilings.map((ceiling) => FeeCover.ceilingWithin(ceiling, limit))
      const made = FeeCover.replacement(previous, market, members(within))
      const able = ceilings.filter((ceiling) => isAble(ceiling) && (limit === undefined || isAble(limit)))
      const isWithin = made === undefined || limit === undefined || made.fees.maxFeePerGas <= limit
      return isWithin && (made?.members.length ?? 0) === able.length
    }
  )

  it("is not made while the base fee is above the limit of the chain", () => {
    const previous = { maxFeePerGas: 40_000n, maxPriorityFeePerGas: 1_000n }
    const market = { baseFeePerGas: 55_000n, maxFeePerGas: 50_000n, maxPriorityFeePerGas: 1_000n }
    // Its sweeps were quoted at 41,000, and half of that may be lost.
    assert.strictEqual(FeeCover.replacement(previous, market, members([61_500n]))?.fees.maxFeePerGas, 56_125n)
    const ceiling = FeeCover.ceilingWithin(61_500n, 50_000n)
    assert.isUndefined(FeeCover.replacement(previous, market, members([ceiling])))
  })

  it("is made with the tip that its members pay where the market's has jumped", () => {
    const previous = { maxFeePerGas: 1_200n, maxPriorityFeePerGas: 100n }
    const made = FeeCover.replacement(previous, marketOf(1_000n, 90_000n), members([1_800n]))
    assert.deepStrictEqual(made?.fees, { maxFeePerGas: 1_800n, maxPriorityFeePerGas: 800n })
  })

  it.prop(
    "is accepted by nodes and useful in the next block",
    [Fees, Market, Ceilings],
    ([previous, market, ceilings]) => {
      const made = FeeCover.replacement(previous, market, members(ceilings))
      if (made === undefined) return true
      const { maxFeePerGas, maxPriorityFeePerGas } = made.fees
      return (
        maxFeePerGas * 8n >= previous.maxFeePerGas * 9n &&
        maxPriorityFeePerGas * 8n >= previous.maxPriorityFeePerGas * 9n &&
        maxFeePerGas >= market.baseFeePerGas + maxPriorityFeePerGas
      )
    }
  )

  it.prop(
    "leaves a member out only if its ceiling is too low",
    [Fees, Market, Ceilings],
    ([previous, market, ceilings]) => {
      const made = FeeCover.replacement(previous, market, members(ceilings))
      const alone = ceilings.filter((ceiling) => FeeCover.replacement(previous, market, [{ ceiling }]) !== undefined)
      return (made?.members.length ?? 0) === alone.length
    }
  )

  it.prop("costs at most what is allowed", [Fees, Market, Price, Price], ([previous, market, gas, allowed]) => {
    const fees = FeeCover.replacementWithin(previous, market, { gas, allowed })
    return fees === undefined || fees.maxFeePerGas * gas <= allowed
  })
})

describe("the wait for a lower price", () => {
  it.prop("lasts no longer than the base fee needs at least", [Price, Price], ([cost, limit]) => {
    const blocks = FeeCover.blocksUntil(cost, limit)
    let before = cost
    for (let block = 1; block < blocks; block++) before -= (before + 7n) / 8n
    return blocks === 0 ? cost <= limit : before > limit
  })

  it("is 40 blocks after a rise by 200 times", () =>
    assert.strictEqual(FeeCover.blocksUntil(200n * 10n ** 9n, 10n ** 9n), 40))
})
