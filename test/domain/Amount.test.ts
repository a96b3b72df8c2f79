import { describe, expect, it } from "@effect/vitest"
import { Exit, Schema } from "effect"
import { lessBps, MAX_UINT256, mulDivDown, mulDivUp, Uint256 } from "../../src/domain/Amount.ts"
import * as Arbitraries from "./Arbitraries.ts"

const decode = Schema.decodeUnknownExit(Uint256)
const encode = Schema.encodeSync(Uint256)

describe("Uint256", () => {
  it("decodes decimal strings up to 2^256 - 1, with leading zeros", () => {
    for (const [text, value] of [
      ["0", 0n],
      ["000", 0n],
      ["007", 7n],
      [MAX_UINT256.toString(), MAX_UINT256]
    ] as const) {
      expect(decode(text)).toEqual(Exit.succeed(value))
    }
  })

  it("refuses everything else", () => {
    const overflow = (MAX_UINT256 + 1n).toString()
    for (const text of [
      "",
      "-1",
      "+1",
      "1.0",
      "1e3",
      "0x10",
      " 1",
      "1 ",
      "1\n",
      "١",
      overflow,
      "9".repeat(78),
      "0".repeat(79),
      1,
      1n,
      null
    ]) {
      expect(Exit.isFailure(decode(text)), String(text)).toBe(true)
    }
  })

  it.prop("survives the wire", [Arbitraries.Uint256], ([value]) => {
    expect(encode(value)).toBe(value.toString())
    expect(decode(encode(value))).toEqual(Exit.succeed(value))
  })
})

describe("mulDiv", () => {
  it.prop(
    "rounds up or down by less than one unit, and not at all when it divides",
    [Arbitraries.Uint256, Arbitraries.Uint256, Arbitraries.Uint256],
    ([a, b, other]) => {
      const c = other + 1n
      const [down, up] = [mulDivDown(a, b, c), mulDivUp(a, b, c)]
      expect(down * c <= a * b && a * b < (down + 1n) * c).toBe(true)
      expect(up - down).toBe((a * b) % c === 0n ? 0n : 1n)
    }
  )
})

describe("lessBps", () => {
  it.prop(
    "leaves at most the exact rest, and never more than the amount",
    [Arbitraries.Uint256, Arbitraries.Bps],
    ([amount, bps]) => {
      const rest = lessBps(amount, bps)
      const exact = amount * (10_000n - BigInt(bps))
      expect(rest * 10_000n <= exact && exact < (rest + 1n) * 10_000n).toBe(true)
      expect(rest <= amount).toBe(true)
    }
  )

  it("takes nothing for 0 and everything for 10,000", () => {
    expect(lessBps(123n, 0)).toBe(123n)
    expect(lessBps(123n, 10_000)).toBe(0n)
  })
})
