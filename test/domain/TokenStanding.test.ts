import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Address from "../../src/domain/Address.ts"
import { NATIVE } from "../../src/domain/Token.ts"
import * as TokenStanding from "../../src/domain/TokenStanding.ts"
import * as TokenText from "../../src/domain/TokenText.ts"

const at = (byte: number) => Address.of(`0x${byte.toString(16).padStart(2, "0").repeat(20)}`)
const named = (byte: number, symbol: string, name = symbol) => ({ address: at(byte), symbol, name })

const USDC = named(1, "USDC", "USD Coin")
const WETH = named(2, "WETH", "Wrapped Ether")
const ARB = named(3, "ARB", "Arbitrum")
const majors = TokenStanding.majorsOf([USDC, WETH], [ARB, named(9, "USDC", "USD Coin")])

const standing = (
  token: TokenStanding.Subject["token"],
  voucher: TokenStanding.Voucher = "none",
  isSpam = false
): TokenStanding.Standing | undefined => TokenStanding.standingOf({ token, voucher, isSpam }, majors)

describe("standingOf", () => {
  it("marks the symbol or the name of a major at another address", () => {
    expect(standing(named(7, "USDC"))).toBe("impersonator")
    expect(standing(named(7, "XYZ", "USD Coin"))).toBe("impersonator")
    expect(standing(named(7, "usd coin", "Something"))).toBe("impersonator")
    expect(standing(named(7, "ARB"))).toBe("impersonator")
  })

  it("marks texts that only look like those of a major", () => {
    for (const symbol of [
      "UЅDС",
      "USDＣ",
      "U S D C",
      "usdc",
      "USDC\u200b",
      "ÜSDC",
      "U$DC",
      "USDС",
      "𝐔𝐒𝐃𝐂",
      "ꓴꓢꓓꓚ",
      "USDC."
    ]) {
      expect([symbol, standing(named(7, symbol))]).toEqual([symbol, "impersonator"])
    }
    expect(standing(named(7, "X", "Wгаррed Εther"))).toBe("impersonator")
    expect(standing(named(7, "VVETH"))).toBe("unlisted")
  })

  it("trusts majors and the operator's tokens, whatever a provider says", () => {
    expect(standing(USDC, "none", true)).toBeUndefined()
    expect(standing(named(7, "USDC"), "operator", true)).toBeUndefined()
    expect(standing({ address: NATIVE, symbol: "ETH", name: "Ether" }, "none", true)).toBeUndefined()
  })

  it("lets a list vouch for bridged names and tokens of other chains, but not for a major's symbol", () => {
    expect(standing(named(7, "USDC.e", "USD Coin"), "list")).toBeUndefined()
    expect(standing(named(7, "ARB", "Arbitrum"), "list")).toBeUndefined()
    expect(standing(named(7, "USDC", "Better"), "list")).toBe("impersonator")
  })

  it("marks spam by a provider's flag and by advertisements", () => {
    expect(standing(named(7, "GOOD"), "list", true)).toBe("spam")
    expect(standing(named(7, "$ rewards at op-gift.xyz", "Visit now"))).toBe("spam")
    expect(standing(named(7, "X", "https://a.b"))).toBe("spam")
    expect(standing(named(7, "X", "Claim your voucher"))).toBe("spam")
    expect(standing(named(7, "YFI", "yearn.finance"), "list")).toBeUndefined()
    expect(standing(named(7, "ABC", "Abc Protocol"))).toBe("unlisted")
  })

  it.prop(
    "marks every spelling of a major's symbol with case, spaces, accents and invisible characters",
    [
      Schema.Array(
        Schema.Literals(["\u200b", " ", "\u0301", "-", "\u202e", ".", "\u3164", "\u115f", "\uffa0", "\u2800"])
      ),
      Schema.Boolean
    ],
    ([noise, isLower]) => {
      const letters = Array.from(isLower ? "usdc" : "USDC")
      const symbol = letters.map((letter, index) => letter + (noise[index] ?? "")).join("") + noise.slice(4).join("")
      expect(standing(named(7, symbol))).toBe("impersonator")
    }
  )

  it.prop(
    "never marks an address of the operator or a major",
    [Schema.String, Schema.String, Schema.Boolean],
    (texts) => {
      const [symbol, name, isSpam] = texts
      expect(standing({ address: at(7), symbol, name }, "operator", isSpam)).toBeUndefined()
      expect(standing({ address: USDC.address, symbol, name }, "none", isSpam)).toBeUndefined()
    }
  )

  it.prop("warns of everything that nobody vouches for", [Schema.String, Schema.String], ([symbol, name]) => {
    expect(standing({ address: at(7), symbol, name })).toBeDefined()
  })
})

describe("TokenText", () => {
  it.prop("is bounded, never empty and safe to show", [Schema.String, Schema.Int], ([text, times]) => {
    const long = text.repeat(1 + (Math.abs(times) % 50))
    for (const [shown, length] of [
      [TokenText.symbol(long), 32],
      [TokenText.name(long), 64]
    ] as const) {
      expect(Array.from(shown).length).toBeLessThanOrEqual(length)
      expect(shown).not.toBe("")
      expect(shown).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
    }
  })

  it("has no letters that nobody sees, and no pile of marks", () => {
    for (const empty of ["\u3164", "\u115f\u1160", "\uffa0\u2800", "\ufe0f\u034f", "\u202e\u2066\n\u001b"]) {
      expect(TokenText.symbol(empty)).toBe(TokenText.UNNAMED)
      expect(TokenText.name(`a${empty}b`)).toBe("ab")
    }
    expect(TokenText.symbol(`A${"\u0316".repeat(30)}B`)).toBe("A\u0316\u0316\u0316B")
    expect(TokenText.symbol("Tiền")).toBe("Tiền")
  })

  it.prop("has a skeleton that does not change when it is made again", [Schema.String], ([text]) => {
    const once = TokenText.skeleton(text)
    expect(TokenText.skeleton(once)).toBe(once)
  })

  it("has no skeleton without letters and digits", () => {
    expect(TokenText.skeleton(" -. \u200b")).toBe("")
    expect(standing(named(7, "...", "---"))).toBe("unlisted")
  })

  it("reads endless texts no further than it needs", () => {
    expect(TokenText.symbol("A".repeat(1_000_000))).toBe("A".repeat(32))
  })
})
