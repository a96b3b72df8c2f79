import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as TokenMetadata from "../../../src/adapters/risk/TokenMetadata.ts"

describe("TokenMetadata.sanitize", () => {
  it("keeps ordinary symbols", () => {
    for (const symbol of ["USDC", "USDC.e", "aBasUSDC", "₮", "UNI-V2", "1INCH", "€URS"]) {
      assert.strictEqual(TokenMetadata.sanitize(symbol), symbol)
    }
  })

  it("drops what forges a layout, and bounds the rest", () => {
    assert.strictEqual(TokenMetadata.sanitize("US\u202eDC\u0000\u200b\n"), "USDC")
    assert.strictEqual(TokenMetadata.sanitize("  A \t B "), "A B")
    assert.strictEqual(TokenMetadata.sanitize("x".repeat(1_000)), "x".repeat(32))
    assert.strictEqual(TokenMetadata.sanitize("\u0000\u0001"), "UNKNOWN")
  })

  it.prop("never returns more than 32 characters, nothing, or anything unprintable", [Schema.String], ([symbol]) => {
    const clean = TokenMetadata.sanitize(symbol)
    return clean !== "" && Array.from(clean).length <= 32 && !/[\p{C}\p{Zl}\p{Zp}]/u.test(clean)
  })
})
