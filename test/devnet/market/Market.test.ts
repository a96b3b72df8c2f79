import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Market from "../../../src/devnet/market/Market.ts"
import * as Tokens from "../../../src/devnet/Tokens.ts"

const Seed = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 }))
const Shape = Schema.Literals(Market.SHAPES)

/** Reserves of Uniswap v2 have so many bits. */
const RESERVE_BITS = 112n

const tokensOf = ({ chains }: Market.Market) =>
  chains.flatMap((chain) => chain.tokens.map((token) => ({ token, venues: chain.venues })))

describe("a replayable market", () => {
  it.prop("is the same for the same seed, and begins like a larger one", [Seed, Shape, Shape], ([seed, a, b]) => {
    const small = Market.make({ tokens: 20, seed, shapes: [a, b] })
    const large = Market.make({ tokens: 40, seed, shapes: [a, b] })
    assert.deepStrictEqual(Market.make({ tokens: 20, seed, shapes: [a, b] }), small)
    for (const [index, { tokens }] of small.chains.entries()) {
      assert.deepStrictEqual(large.chains[index]?.tokens.slice(0, tokens.length), tokens)
    }
  })

  it.prop("has pools only where its exchanges can have them", [Seed, Shape, Shape], ([seed, a, b]) => {
    for (const { token, venues } of tokensOf(Market.make({ tokens: 40, seed, shapes: [a, b] }))) {
      for (const { kind, venue } of token.pools) {
        const found = venues.find(({ name }) => name === venue)
        assert.isTrue(venue === Market.DARK || found !== undefined)
        assert.isTrue(found === undefined || found.kinds.length === 0 ? kind === 0 : found.kinds.includes(kind))
        // The pools of Uniswap v3 take no token that delivers another amount than it says.
        const isOdd = token.kind === "taxed" || token.kind === "rebasing"
        assert.isTrue(!isOdd || found === undefined || found.kinds.length === 0)
      }
      const places = token.pools.map(({ kind, money, venue }) => `${venue} ${money} ${kind}`)
      assert.strictEqual(new Set(places).size, places.length)
    }
  })

  it.prop("has amounts that tokens and pools can hold", [Seed], ([seed]) => {
    for (const { token } of tokensOf(Market.make({ tokens: 40, seed, shapes: ["base", "bnb"] }))) {
      assert.isTrue(token.usd > 0n && token.amount >= 1n)
      assert.strictEqual(token.taxBps > 0, token.kind === "taxed")
      for (const { money, usd } of token.pools) {
        const { decimals, usd: price } = Tokens.TOKENS[money]
        const sides = [Market.amountOf(token, usd), Market.amountOf({ usd: price * 10n ** 18n, decimals }, usd)]
        for (const side of sides) assert.isTrue(side >= 10n && side < 1n << RESERVE_BITS)
        // No sweep takes more of its best pool than the price bears.
        assert.isAtMost(token.amountUsd, Math.max(...token.pools.map((pool) => pool.usd)) * 0.1 + 1e-6)
      }
    }
  })

  it("has every kind of token, of symbol and of decimals that it names, in the market of the bench", () => {
    const tokens = tokensOf(Market.make()).map(({ token }) => token)
    assert.strictEqual(tokens.length, 400)
    assert.deepStrictEqual(new Set(tokens.map(({ kind }) => kind)), new Set(Market.TOKEN_KINDS))
    assert.deepStrictEqual(new Set(tokens.map(({ form }) => form)), new Set(["string", "bytes32", "nothing"]))
    assert.deepStrictEqual(new Set(tokens.map(({ decimals }) => decimals)), new Set([0, 6, 8, 9, 18, 24]))
  })
})
