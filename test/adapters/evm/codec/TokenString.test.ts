import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { encodeFunctionResult, erc20Abi, stringToHex } from "viem"
import { textOf } from "../../../../src/adapters/evm/codec/TokenString.ts"

describe("the text that a token returns", () => {
  it("reads a bytes32 whose last character ends in a zero nibble", () => {
    for (const symbol of ["MKR", "REP", "rep", "GEN0", "A@", "`", "P"]) {
      assert.strictEqual(textOf(Option.some(stringToHex(symbol, { size: 32 }))), symbol)
    }
  })

  it("reads a string, and nothing from what is too long or no text", () => {
    const text = (result: string) =>
      textOf(Option.some(encodeFunctionResult({ abi: erc20Abi, functionName: "symbol", result })))
    assert.strictEqual(text("REP"), "REP")
    assert.strictEqual(text("x".repeat(5_000)), "")
    assert.strictEqual(textOf(Option.some("0x12")), "")
    assert.strictEqual(textOf(Option.none()), "")
  })
})
