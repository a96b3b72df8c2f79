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

  it("is that of the same amount, and stands for a missing pool whatever smaller the amount is", () => {
    expect(SaleWorth.applied({ amount: 100n, estimate: paid(7n), atMillis: 0 }, 100n, 14_999)).toEqual(paid(7n))
    expect(SaleWorth.applied({ amount: 100n, estimate: paid(7n), atMillis: 0 }, 49n, 0)).toBeUndefined()
    const none = { amount: 100n, estimate: { _tag: "NoRoute" }, atMillis: 0 } as const
    expect(SaleWorth.applied(none, 1n, 59_999)).toEqual({ _tag: "NoRoute" })
  })
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
