/** Amounts that the user enters for a token of the list. */
import { assert, describe, it } from "vitest"
import type { SweepableToken } from "../../src/sdk/index.ts"
import { parse, type Separator } from "../../src/web/lib/amounts.ts"
import { keyOf, NATIVE } from "../../src/web/sweep/catalog.ts"
import {
  amountOf,
  defaultAmount,
  enteredBesides,
  isNoAmount,
  restAfter,
  restWithout,
  shownAmount,
  ticked
} from "../../src/web/sweep/selection.ts"

const token: SweepableToken = {
  chainId: 1,
  address: `0x${"a1".repeat(20)}`,
  symbol: "USDC",
  name: "USD Coin",
  decimals: 6,
  tier: "tier1",
  balance: 40_000_000n,
  priceUsd: "1",
  valueUsd: "40",
  sweepable: true,
  reason: null,
  delegation: "none",
  estimatedNetAmount: 39_000_000n,
  estimatedNetUsd: "39"
}

describe("an entered amount", () => {
  it("counts while the account holds it, and is none once it holds less", () => {
    assert.strictEqual(amountOf(token, 15n), 15n)
    assert.strictEqual(amountOf(token, undefined), defaultAmount(token))
    assert.isFalse(isNoAmount(token, undefined) || isNoAmount(token, token.balance))
    for (const entered of [null, token.balance + 1n]) assert.isTrue(isNoAmount(token, entered))
  })
})

describe("the field for an amount", () => {
  const shown = (entered: bigint | null | undefined, typed: string, of = token, sign: Separator = ".") =>
    shownAmount({ token: of, amount: amountOf(of, entered), lacksAmount: isNoAmount(of, entered) }, typed, sign)

  it("follows the balance until something is typed", () => {
    assert.strictEqual(shown(undefined, ""), "40")
    assert.strictEqual(shown(undefined, "", { ...token, balance: 55_000_000n }), "55")
  })

  it("shows what is typed, as it is typed, also if it is no amount", () => {
    for (const text of ["1", "1.", "1.50", "01"]) assert.strictEqual(shown(parse(text, 6, "."), text), text)
    for (const text of ["", "x", "0"]) assert.strictEqual(shown(null, text), text)
    assert.strictEqual(shown(50_000_000n, "50"), "50", "more than the account holds by now")
  })

  it("shows the separator of the language", () => {
    assert.strictEqual(shown(1_125_000n, "", token, ","), "1,125")
    assert.strictEqual(shown(1_125_000n, "1.1250", token, ","), "1.1250", "as it is typed")
  })

  it("shows what is swept once the typed amount is forgotten", () => {
    assert.strictEqual(shown(undefined, "15"), "40")
    assert.strictEqual(shown(7_000_000n, "15"), "7")
  })
})

describe("the rest of a sweep", () => {
  const key = keyOf(token)

  it("has the amounts that failed, and no more than the account holds", () => {
    const rest = (amount: bigint | undefined, of = token) => amountOf(of, undefined, amount)
    assert.strictEqual(rest(15n), 15n)
    assert.strictEqual(rest(token.balance), token.balance)
    assert.strictEqual(rest(token.balance + 1n), token.balance)
    assert.strictEqual(rest(undefined), token.balance, "the default of a token that is no part of it")
  })

  it("grows with refunds that arrive later, up to what failed", () => {
    const failed = 30n
    const amounts = [0n, 10n, 30n, 45n].map((balance) => amountOf({ ...token, balance }, undefined, failed))
    assert.deepStrictEqual(amounts, [0n, 10n, 30n, 30n])
  })

  it("takes the place of amounts that were entered before, and gives way to one that is entered later", () => {
    const before = new Map([
      ["other", 1n],
      [key, 3n]
    ])
    assert.deepStrictEqual(enteredBesides(before, new Map([[key, 15n]])), new Map([["other", 1n]]))
    assert.strictEqual(amountOf(token, 20n, 15n), 20n)
    assert.isTrue(isNoAmount(token, null), "an input that is no amount still has to be mended")
  })

  it("is forgotten for the tokens that are entered or swept, in any case of their letters", () => {
    const rest = new Map([
      [key, 15n],
      ["other", 7n]
    ])
    assert.deepStrictEqual(restWithout(rest, [key.toUpperCase()]), new Map([["other", 7n]]))
    assert.deepStrictEqual(restWithout(rest, []), rest)
  })

  it("leaves gas money if less is there than failed", () => {
    const native = { ...token, address: NATIVE, symbol: "ETH" } as const
    for (const failed of [native.balance, native.balance + 1n]) {
      const amount = amountOf(native, undefined, failed)
      assert.strictEqual(amount, defaultAmount(native))
      assert.isBelow(Number(amount), Number(native.balance))
    }
  })
})

describe("a tick", () => {
  const entry = (key: string, isChosen: boolean) => ({ key, isChosen })
  const entries = [entry("a", true), entry("b", false)]
  const of = (picked: ReadonlyArray<string>, rest: ReadonlyArray<string>) => ({
    picked: new Set(picked),
    rest: new Map(rest.map((key) => [key, 1n]))
  })

  it("changes its token, and leaves the others that are listed as they are", () => {
    assert.deepStrictEqual(ticked(entries, of([], []), [["b", true]]), new Set(["a", "b"]))
    assert.deepStrictEqual(ticked(entries, of(["a"], []), [["a", false]]), new Set())
  })

  it("leaves the part of a rest that has not arrived ticked", () => {
    const rest = of(["a", "refund"], ["a", "refund"])
    const next = ticked(entries, rest, [
      ["a", false],
      ["b", true]
    ])
    assert.deepStrictEqual(next, new Set(["b", "refund"]))
    assert.deepStrictEqual(restAfter(rest.rest, entries, next), rest.rest)
  })

  it("that is the last to go takes the part of a rest with it that has not arrived", () => {
    const { picked, rest } = of(["a", "refund"], ["a", "refund"])
    const next = ticked(entries, { picked, rest }, [["a", false]])
    assert.deepStrictEqual(next, new Set())
    assert.deepStrictEqual(restAfter(rest, entries, next), new Map([["a", 1n]]))
    const arrived = [entry("a", false), entry("b", false), entry("refund", false)]
    assert.deepStrictEqual(ticked(arrived, { picked: next, rest }, [["b", true]]), new Set(["b"]))
  })

  it("does not tick what is no part of a rest any more, or is ticked no more", () => {
    assert.deepStrictEqual(ticked(entries, of(["a", "gone"], []), [["b", true]]), new Set(["a", "b"]))
    assert.deepStrictEqual(ticked(entries, of(["a"], ["refund", "b"]), []), new Set(["a"]))
  })
})
