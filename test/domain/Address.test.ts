import { describe, expect, it } from "@effect/vitest"
import { Exit, Schema } from "effect"
import { getAddress as ethersChecksum } from "ethers"
import * as Address from "../../src/domain/Address.ts"
import * as Arbitraries from "./Arbitraries.ts"

const decode = Schema.decodeUnknownExit(Address.Address)
const encode = Schema.encodeSync(Address.Address)

/** The examples of EIP-55. */
const EIP55 = [
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
  "0xde709f2102306220921060314715629080e2fb77",
  "0x27b1fdb04752bbc536007a920d24acb045561c26",
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb"
]

describe("Address", () => {
  it("decodes any case to the EIP-55 checksum, a wrong one too", () => {
    for (const expected of EIP55) {
      const digits = expected.slice(2)
      const wrong = Array.from(digits, (digit) =>
        digit === digit.toUpperCase() ? digit.toLowerCase() : digit.toUpperCase()
      )
      for (const text of [expected, `0x${digits.toLowerCase()}`, `0x${digits.toUpperCase()}`, `0x${wrong.join("")}`]) {
        expect(decode(text)).toEqual(Exit.succeed(expected))
      }
    }
  })

  it("refuses everything else", () => {
    const [good = ""] = EIP55
    const bad = [
      "",
      "0x",
      good.slice(0, -1),
      `${good}0`,
      good.slice(2),
      good.replace("0x", "0X"),
      ` ${good}`,
      `${good}\n`
    ]
    for (const text of [...bad, good.replace("7", "g"), null, undefined, 1, {}, [good]]) {
      expect(Exit.isFailure(decode(text)), String(text)).toBe(true)
    }
  })

  it("knows the zero address, which nobody may own or receive with", () => {
    expect(Address.isZero(Address.zero)).toBe(true)
    expect(Exit.isSuccess(decode(Address.zero))).toBe(true)
    expect(Exit.isFailure(Schema.decodeUnknownExit(Address.NonZeroAddress)(Address.zero))).toBe(true)
    expect(Exit.isSuccess(Schema.decodeUnknownExit(Address.NonZeroAddress)(EIP55[0]))).toBe(true)
  })

  it.prop("survives the wire, in any case, and agrees with ethers", [Arbitraries.Account], ([account]) => {
    const address = Arbitraries.address(account)
    expect(address).toBe(ethersChecksum(address.toLowerCase()))
    for (const text of [encode(address), address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`]) {
      expect(decode(text)).toEqual(Exit.succeed(address))
    }
  })
})
