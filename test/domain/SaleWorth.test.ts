import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as SaleWorth from "../../src/domain/SaleWorth.ts"
import * as Usd from "../../src/domain/Usd.ts"
import { address } from "../support/FakeChain.ts"

const MONEY = address(0xd1)
const between = (minimum: bigint, maximum: bigint) => Schema.BigInt.check(Schema.isBetweenBigInt({ minimum, maximum }))
const Amount = between(1n, 2n ** 128n)
const Price = between(0n, 10n ** 30n)
const Decimals = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 }))
const Age = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 120_000 }))

/** Output of a pool with constant product, the usual concave function. */
const poolOf = (reserveIn: bigint, reserveOut: bigint) => (amount: bigint) =>
  (amount * reserveOut) / (reserveIn + amount)
const paid = (amount: bigint): SaleWorth.SaleEstimate => ({ _tag: "Paid", outputs: [{ token: MONEY, amount }] })
const amountOf = (estimate: SaleWorth.SaleEstimate | undefined): bigint | undefined =>
  estimate?._tag === "Paid" ? estimate.outputs[0]?.amount : undefined

describe("an estimate of another amount", () => {
  it.prop(
    "never promises more than the pool pays for a smaller amount",
    [Amount, Amount, Amount, Amount],
    ([reserveIn, reserveOut, amount, other]) => {
      const pool = poolOf(reserveIn, reserveOut)
      const known = { amount, estimate: paid(pool(amount)), atMillis: 0 }
      const estimate = amountOf(SaleWorth.applied(known, other, 0))
      if (estimate !== undefined) expect(estimate <= pool(other)).toBe(true)
    }
  )

  it.prop("is none for a larger amount, or after its time", [Amount, Amount, Age], ([amount, other, age]) => {
    for (const estimate of [paid(amount), { _tag: "NoRoute" } as const]) {
      const applied = SaleWorth.applied({ amount, estimate, atMillis: 0 }, other, age)
      const lifetime = estimate._tag === "Paid" ? SaleWorth.OUTPUT_LIFETIME_MILLIS : SaleWorth.NO_ROUTE_LIFETIME_MILLIS
      if (other > amount || age >= lifetime) expect(applied).toBeUndefined()
    }
  })

  it("is that of the same amount, and of no amount below a half of it", () => {
    expect(SaleWorth.applied({ amount: 100n, estimate: paid(7n), atMillis: 0 }, 100n, 14_999)).toEqual(paid(7n))
    expect(SaleWorth.applied({ amount: 100n, estimate: paid(7n), atMillis: 0 }, 49n, 0)).toBeUndefined()
    // A pool may buy a small amount although it has no money for a large one.
    const none = { amount: 100n, estimate: { _tag: "NoRoute" }, atMillis: 0 } as const
    expect(SaleWorth.applied(none, 50n, 59_999)).toEqual({ _tag: "NoRoute" })
    expect(SaleWorth.applied(none, 49n, 0)).toBeUndefined()
  })
})

describe("the estimate that is remembered", () => {
  const none = (amount: bigint, atMillis: number) => ({ amount, estimate: { _tag: "NoRoute" }, atMillis }) as const

  it("stays an output if no pool buys a larger amount, until the output expires", () => {
    const output = { amount: 100n, estimate: paid(7n), atMillis: 0 }
    expect(SaleWorth.remembered(output, none(10_000n, 14_999))).toEqual(output)
    expect(SaleWorth.remembered(output, none(10_000n, 15_000))).toEqual(none(10_000n, 15_000))
    expect(SaleWorth.remembered(output, none(100n, 1))).toEqual(none(100n, 1))
    expect(SaleWorth.remembered(none(100n, 0), output)).toEqual(output)
  })

  it("of a token without a pool applies to all amounts that were read, until the oldest reading expires", () => {
    const first = SaleWorth.remembered(none(10_000n, 0), none(10n, 1_000))
    const known = SaleWorth.remembered(first, none(100n, 2_000))
    for (const amount of [5n, 10n, 777n, 10_000n]) {
      expect(SaleWorth.applied(known, amount, 59_999)).toEqual({ _tag: "NoRoute" })
      expect(SaleWorth.applied(known, amount, 60_000)).toBeUndefined()
    }
    expect(SaleWorth.applied(known, 4n, 2_000)).toBeUndefined()
    expect(SaleWorth.applied(known, 10_001n, 2_000)).toBeUndefined()
    expect(SaleWorth.remembered(known, none(20n, 60_000))).toEqual(none(20n, 60_000))
  })

  it.prop(
    "says of no amount that the pool buys that there is none",
    [Amount, Schema.Array(Amount), Amount],
    ([most, amounts, other]) => {
      // A pool that has no money for more than `most`.
      const read = (amount: bigint): SaleWorth.KnownEstimate =>
        amount > most ? none(amount, 0) : { amount, estimate: paid(amount), atMillis: 0 }
      const known = amounts.map(read).reduce<SaleWorth.KnownEstimate | undefined>(SaleWorth.remembered, undefined)
      const estimate = known === undefined ? undefined : SaleWorth.applied(known, other, 0)
      if (estimate?._tag === "NoRoute") expect(other * 2n > most).toBe(true)
    }
  )
})

describe("the price of a sale", () => {
  it.prop(
    "is never above the token's price, and never values the balance above its proceeds",
    [Price, Price, Amount, Decimals],
    ([price, proceeds, balance, decimals]) => {
      const sold = SaleWorth.priceOfSale(price, proceeds, { balance, decimals })
      expect(sold <= price).toBe(true)
      expect(Usd.valueOf(balance, sold, decimals) <= proceeds).toBe(true)
    }
  )

  it.prop("falls with the proceeds", [Price, Price, Price, Amount], ([price, one, other, balance]) => {
    const at = (proceeds: bigint) => SaleWorth.priceOfSale(price, proceeds, { balance, decimals: 18 })
    expect(at(one < other ? one : other) <= at(one < other ? other : one)).toBe(true)
  })

  it.prop("is the token's price while the proceeds are not known", [Price, Amount], ([price, balance]) => {
    expect(SaleWorth.priceOfSale(price, undefined, { balance, decimals: 6 })).toBe(price)
  })
})

describe("proceeds", () => {
  it("are the highest output in dollars, of those whose money has a price", () => {
    const other = address(0xd2)
    const monies = new Map([[MONEY, { usd: 2n * 10n ** 18n, decimals: 6 }]])
    const outputs = [
      { token: MONEY, amount: 3_000_000n },
      { token: other, amount: 10n ** 30n },
      { token: MONEY, amount: 1n }
    ]
    expect(SaleWorth.proceedsUsd(outputs, monies)).toBe(6n * 10n ** 18n)
    expect(SaleWorth.proceedsUsd(outputs.slice(1, 2), monies)).toBeUndefined()
  })
})
