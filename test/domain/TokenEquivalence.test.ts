import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import type { Chain } from "../../src/domain/Chain.ts"
import { equivalent, tie } from "../../src/domain/TokenEquivalence.ts"
import { address, chain } from "../support/FakeChain.ts"

const token = (chainId: number, byte: number, symbol: string, decimals: number) => ({
  chainId,
  address: address(byte),
  symbol,
  name: symbol,
  decimals
})

const from: Chain = {
  ...chain,
  id: 1,
  wrappedNative: address(0xe1),
  tokens: [
    token(1, 0x11, "USDC", 6),
    token(1, 0x12, "USDT", 6),
    token(1, 0x13, "USDC.e", 6),
    token(1, 0x14, "LONELY", 18)
  ],
  assets: { USDC: address(0x11), USDT: address(0x12), WETH: address(0xe1), GONE: address(0x15), HERE: address(0x14) }
}
const to: Chain = {
  ...chain,
  id: 2,
  wrappedNative: address(0xe2),
  tokens: [
    token(2, 0x21, "axlUSDC", 6),
    // As on BNB Chain.
    token(2, 0x22, "USDT", 18),
    // An impostor of a token that the asset does not name.
    token(2, 0x23, "USDC", 6),
    token(2, 0x24, "USDC.e", 6),
    token(2, 0x25, "WETH", 18)
  ],
  assets: { USDC: address(0x21), USDT: address(0x22), WETH: address(0xe2), GONE: address(0x24) }
}

const found = (byte: number, a = from, b = to) => Option.map(equivalent(a, address(byte), b), (entry) => entry.address)

describe("equivalent", () => {
  it("is the token of the same asset, whatever its symbol", () => {
    assert.deepStrictEqual(found(0x11), Option.some(address(0x21)))
    assert.deepStrictEqual(found(0x21, to, from), Option.some(address(0x11)))
  })

  it("tells the decimals of both, which may differ", () => {
    const usdt = { decimals: 6, counterpart: to.tokens[1] }
    assert.deepStrictEqual<unknown>(tie(from, address(0x12), to), Option.some(usdt))
    const back = { decimals: 18, counterpart: from.tokens[1] }
    assert.deepStrictEqual<unknown>(tie(to, address(0x22), from), Option.some(back))
  })

  it("is none for an equal symbol and equal decimals alone", () => {
    assert.deepStrictEqual(found(0x13), Option.none())
    assert.deepStrictEqual(found(0x23, to, from), Option.none())
    const { assets: _, ...silent } = to
    assert.deepStrictEqual(found(0x11, from, silent), Option.none())
  })

  it("is none for a token that a chain does not list, since its decimals are unknown", () => {
    assert.deepStrictEqual(found(0x15), Option.none())
    assert.deepStrictEqual(found(0x24, to, from), Option.none())
    assert.deepStrictEqual(found(0x99), Option.none())
    assert.deepStrictEqual(found(0x14), Option.none())
  })

  it("knows the wrapped native currencies, listed or not", () => {
    const wrapped = { address: address(0xe2), decimals: 18 }
    assert.deepStrictEqual(tie(from, address(0xe1), to), Option.some({ decimals: 18, counterpart: wrapped }))
    const listed: Chain = { ...to, tokens: [token(2, 0xe2, "WETH", 18)] }
    assert.deepStrictEqual(found(0xe1, from, listed), Option.some(address(0xe2)))
  })

  it("is none for a token that is given to two assets", () => {
    const twice: Chain = { ...from, assets: { ...from.assets, USDX: address(0x11) } }
    assert.deepStrictEqual(found(0x11, twice), Option.none())
  })

  it.effect.prop(
    "is mutual",
    [
      Schema.Record(
        Schema.Literals(["USDC", "USDT", "DAI"]),
        Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 }))
      ),
      Schema.Record(
        Schema.Literals(["USDC", "USDT", "DAI"]),
        Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 }))
      )
    ],
    ([here, there]) =>
      Effect.sync(() => {
        const listing = (id: number, assets: Readonly<Record<string, number>>): Chain => ({
          ...chain,
          id,
          tokens: [1, 2, 3].map((index) => token(id, 16 * id + index, "SAME", id + index)),
          assets: Object.fromEntries(Object.entries(assets).map(([name, index]) => [name, address(16 * id + index)]))
        })
        const [a, b] = [listing(1, here), listing(2, there)]
        for (const entry of a.tokens) {
          const counterpart = Option.getOrUndefined(tie(a, entry.address, b))
          if (counterpart === undefined) continue
          assert.strictEqual(counterpart.decimals, entry.decimals)
          const isTwice = Object.values(b.assets ?? {}).filter(
            (each) => each === counterpart.counterpart.address
          ).length
          const back = Option.map(equivalent(b, counterpart.counterpart.address, a), (each) => each.address)
          assert.deepStrictEqual(back, isTwice > 1 ? Option.none() : Option.some(entry.address))
        }
      })
  )
})
