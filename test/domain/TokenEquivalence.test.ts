import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import type { Chain } from "../../src/domain/Chain.ts"
import { equivalent } from "../../src/domain/TokenEquivalence.ts"
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
    token(1, 0x13, "TWIN", 18),
    token(1, 0x14, "TWIN", 18),
    token(1, 0x15, "CLONE", 18),
    token(1, 0x16, "LONELY", 18)
  ]
}
const to: Chain = {
  ...chain,
  id: 2,
  wrappedNative: address(0xe2),
  tokens: [
    token(2, 0x21, "USDC", 6),
    // As on BNB Chain.
    token(2, 0x22, "USDT", 18),
    token(2, 0x23, "TWIN", 18),
    token(2, 0x24, "CLONE", 18),
    token(2, 0x25, "CLONE", 18)
  ]
}

const found = (byte: number, a = from, b = to) => Option.map(equivalent(a, address(byte), b), (entry) => entry.address)

describe("equivalent", () => {
  it("is the token of the same symbol and decimals", () => {
    assert.deepStrictEqual(found(0x11), Option.some(address(0x21)))
    assert.deepStrictEqual(found(0x21, to, from), Option.some(address(0x11)))
  })

  it("is none for other decimals, an unlisted token, or one without a counterpart", () => {
    for (const byte of [0x12, 0x16, 0x99]) assert.deepStrictEqual(found(byte), Option.none())
  })

  it("is none where a symbol is ambiguous on either side", () => {
    for (const byte of [0x13, 0x14, 0x15]) assert.deepStrictEqual(found(byte), Option.none())
  })

  it("knows the wrapped native currencies, listed or not", () => {
    assert.deepStrictEqual(found(0xe1), Option.some(address(0xe2)))
    const listed: Chain = { ...to, tokens: [token(2, 0xe2, "WETH", 18)] }
    assert.deepStrictEqual(found(0xe1, from, listed), Option.some(address(0xe2)))
    assert.deepStrictEqual(found(0xe1, from, { ...to, nativeSymbol: "POL" }), Option.none())
  })

  it("is none where the list holds an impostor of the wrapped native currency", () => {
    const impostor: Chain = { ...to, tokens: [token(2, 0x66, "WETH", 18)] }
    assert.deepStrictEqual(found(0xe1, from, impostor), Option.none())
  })

  it.effect.prop(
    "is mutual",
    [
      Schema.Array(Schema.Literals(["USDC", "USDT", "DAI", "WETH"])),
      Schema.Array(Schema.Literals(["USDC", "USDT", "WETH"]))
    ],
    ([here, there]) =>
      Effect.sync(() => {
        const a: Chain = { ...from, tokens: here.map((symbol, index) => token(1, 0x10 + index, symbol, 18)) }
        const b: Chain = { ...to, tokens: there.map((symbol, index) => token(2, 0x60 + index, symbol, 18)) }
        for (const entry of a.tokens) {
          const counterpart = equivalent(a, entry.address, b)
          if (Option.isNone(counterpart)) continue
          const back = equivalent(b, counterpart.value.address, a)
          assert.deepStrictEqual(
            Option.map(back, (each) => each.address),
            Option.some(entry.address)
          )
        }
      })
  )
})
