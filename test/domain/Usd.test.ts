import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Usd from "../../src/domain/Usd.ts"

describe("Usd", () => {
  it("formats exactly, without trailing zeros", () => {
    assert.strictEqual(Usd.format(0n), "0")
    assert.strictEqual(Usd.format(10n ** 18n), "1")
    assert.strictEqual(Usd.format(1_500_000_000_000_000_000n), "1.5")
    assert.strictEqual(Usd.format(1n), "0.000000000000000001")
  })

  it("values an amount at a price, rounded down", () => {
    assert.strictEqual(Usd.valueOf(1_500_000n, 2n * 10n ** 18n, 6), 3n * 10n ** 18n)
    assert.strictEqual(Usd.valueOf(1n, 10n ** 17n, 18), 0n)
  })

  it.prop("formats so that the text gives the value back", [Schema.BigInt], ([value]) => {
    const scaled = value < 0n ? -value : value
    const [whole = "0", fraction = ""] = Usd.format(scaled).split(".")
    return BigInt(whole) * 10n ** 18n + BigInt(fraction.padEnd(18, "0")) === scaled
  })
})
