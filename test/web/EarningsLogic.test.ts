/** Values of a builder's earnings, and the filters of its lists. */
import { assert, describe, it } from "@effect/vitest"
import * as Address from "../../src/domain/Address.ts"
import { linesOf } from "../../src/web/dashboard/balanceLines.ts"
import { changed, filterOf, periodOf } from "../../src/web/dashboard/lists/filter.ts"
import { sumOf, type TokenLine, worthOf } from "../../src/web/dashboard/money/worth.ts"
import type { TokenBook } from "../../src/web/api/tokens.ts"

const usdc = Address.of(`0x${"d1".repeat(20)}`)
const other = Address.of(`0x${"d2".repeat(20)}`)

const book: TokenBook = {
  chains: [],
  chain: () => undefined,
  chainName: String,
  token: (_chainId, token) =>
    token === usdc ? { chainId: 1, address: usdc, symbol: "USDC", name: "USD Coin", decimals: 6 } : undefined
}

const priceOf = (_chainId: number | undefined, token: string) => (token === usdc ? "2" : undefined)

const line = (change: Partial<TokenLine>): TokenLine => ({
  chainId: 1,
  token: usdc,
  sweeps: 1,
  earned: 0n,
  earnedUsd: "0",
  earnedUnpriced: 0n,
  paid: 0n,
  paidUsd: "0",
  paidUnpriced: 0n,
  owed: 0n,
  ...change
})

describe("balances", () => {
  const of = (amount: bigint, chainId = 1) => ({ token: usdc, amount, chainId })

  it("show a debt after the reversal of what was paid, and what was paid as it was", () => {
    assert.deepStrictEqual(linesOf({ balances: [], lifetime: [of(50n)], paid: [of(100n)] }), [
      { chainId: 1, token: usdc, owed: -50n, paid: 100n, lifetime: 50n, isHeld: false }
    ])
    assert.deepStrictEqual(linesOf({ balances: [], lifetime: [], paid: [of(100n)] }), [
      { chainId: 1, token: usdc, owed: -100n, paid: 100n, lifetime: 0n, isHeld: false }
    ])
  })

  it("tell what is owed from what was paid, also to a backend that does not say what was paid", () => {
    const line = { chainId: 1, token: usdc, owed: 20n, paid: 30n, lifetime: 50n, isHeld: false }
    const accruals = { balances: [of(20n)], lifetime: [of(50n)] }
    assert.deepStrictEqual(linesOf({ ...accruals, paid: [of(30n)] }), [line])
    assert.deepStrictEqual(linesOf(accruals), [line])
  })

  it("are held on other chains than that of a contract wallet", () => {
    const owed = [of(20n, 1), of(30n, 2)]
    const lines = linesOf({ balances: owed, lifetime: owed, paid: [], walletChainId: 1 })
    assert.deepStrictEqual(
      lines.map(({ isHeld }) => isHeld),
      [false, true]
    )
  })
})

describe("the value of earnings", () => {
  it("is that of the settlements, and of now for what is owed", () => {
    const { earned, owed, paid } = worthOf(
      line({ earned: 3_000_000n, earnedUsd: "3.3", paidUsd: "1", paid: 1_000_000n, owed: 2_000_000n }),
      book,
      priceOf
    )
    assert.deepStrictEqual(earned, { usd: "3.3", atPresent: "0", unpriced: [] })
    assert.deepStrictEqual(paid, { usd: "1", atPresent: "0", unpriced: [] })
    assert.deepStrictEqual(owed, { usd: "4", atPresent: "0", unpriced: [] })
  })

  it("says which part is valued at the price of now, and which has none", () => {
    const late = line({ earned: 2_000_000n, earnedUsd: "1.1", earnedUnpriced: 1_000_000n })
    const unlisted = line({ token: other, earned: 5n, earnedUnpriced: 5n, owed: 5n })
    const { earned, owed, paid } = sumOf([late, unlisted].map((each) => worthOf(each, book, priceOf)))
    assert.deepStrictEqual(earned, { usd: "3.1", atPresent: "2", unpriced: [unlisted] })
    assert.deepStrictEqual(owed, { usd: "0", atPresent: "0", unpriced: [unlisted] })
    assert.deepStrictEqual(paid, { usd: "0", atPresent: "0", unpriced: [] })
  })
})

describe("filters in an address", () => {
  const isStatus = (status: string) => status === "failed"

  it("are kept if they are valid", () => {
    const search = {
      q: 42,
      status: "failed",
      chain: 8453,
      token: usdc,
      from: "2026-01-31",
      to: "2026-02-01",
      type: "t"
    }
    const filter = filterOf(search, isStatus)
    assert.deepStrictEqual(filter, { ...search, q: "42" })
    assert.deepStrictEqual(periodOf(filter), { fromMs: Date.UTC(2026, 0, 31), toMs: Date.UTC(2026, 1, 2) })
    // Years of a date box while somebody types 2026.
    assert.deepStrictEqual(periodOf({ from: "0002-03-01", to: "0020-03-01" }), { fromMs: 0, toMs: 0 })
    assert.deepStrictEqual(changed(filterOf({ q: "x", chain: 1 }, isStatus), { q: undefined }), { chain: 1 })
  })

  it("are left out otherwise", () => {
    const search = { q: "  ", status: "gone", chain: "x", token: "0x12", from: "2026-13-01", to: "soon", type: 0.5 }
    assert.deepStrictEqual(filterOf({ ...search, type: {} }, isStatus), {})
    assert.deepStrictEqual(filterOf({ chain: -1, from: 20260101, to: undefined }, isStatus), {})
  })
})
