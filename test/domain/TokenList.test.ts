import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { pad, toHex } from "viem"
import * as Address from "../../src/domain/Address.ts"
import * as TokenList from "../../src/domain/TokenList.ts"

const entry = (index: number, changes: object = {}) => ({
  chainId: 1,
  address: pad(toHex(index + 1), { size: 20 }),
  symbol: `T${index}`,
  name: `Token ${index}`,
  decimals: 18,
  ...changes
})
const symbols = (tokens: ReadonlyArray<unknown>) => TokenList.tokensOf({ tokens }).map(({ symbol }) => symbol)

describe("tokensOf", () => {
  it("keeps the usable entries, with 0 and 24 decimals too", () => {
    expect(
      symbols([
        entry(0, { decimals: 0 }),
        entry(1, { decimals: 24 }),
        entry(2, { decimals: 78 }),
        entry(3, { decimals: 1.5 }),
        entry(4, { address: "0x12" }),
        entry(5, { address: `0x${"0".repeat(40)}` }),
        entry(6, { address: `0x${"e".repeat(40)}` }),
        entry(7, { chainId: "1" }),
        null,
        "T8",
        entry(9)
      ])
    ).toEqual(["T0", "T1", "T9"])
  })

  it("bounds texts and leaves logos out", () => {
    const [token] = TokenList.tokensOf({
      tokens: [entry(0, { symbol: `A\u202e${"B".repeat(100_000)}`, name: "\u0000", logoURI: "javascript:alert(1)" })]
    })
    expect(token).toEqual({
      ...entry(0),
      address: Address.of(entry(0).address),
      symbol: `A${"B".repeat(31)}`,
      name: "UNKNOWN"
    })
  })

  it.prop("never fails", [Schema.Array(Schema.Unknown)], ([tokens]) => {
    expect(TokenList.tokensOf({ tokens }).length).toBeLessThanOrEqual(tokens.length)
  })
})

const Indexes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 })))

describe("merged", () => {
  it.prop("has each token of the chain once, as on the first list that has it", [Schema.Array(Indexes)], ([lists]) => {
    const tokens = lists.map((indexes, list) =>
      TokenList.tokensOf({
        tokens: indexes.flatMap((index) => [entry(index, { name: `list ${list}` }), entry(index, { chainId: 2 })])
      })
    )
    const found = TokenList.merged(tokens, 1)
    expect(new Set(found.map(({ address }) => address)).size).toBe(found.length)
    expect(found.map(({ symbol }) => symbol).toSorted()).toEqual(
      [...new Set(lists.flat())].map((index) => `T${index}`).toSorted()
    )
    for (const token of found) {
      const first = lists.findIndex((indexes) => indexes.some((index) => `T${index}` === token.symbol))
      expect(token.name).toBe(`list ${first}`)
    }
  })

  it("is bounded", () => {
    const tokens = TokenList.tokensOf({ tokens: Array.from({ length: 6_000 }, (_, index) => entry(index)) })
    expect(TokenList.merged([tokens], 1).length).toBe(TokenList.MAX_ON_CHAIN)
  })
})
