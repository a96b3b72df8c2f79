import { describe, expect, it } from "@effect/vitest"
import { Exit, Option, Schema } from "effect"
import { hashAuthorization as ethersHashAuthorization } from "ethers"
import { hashAuthorization } from "viem/utils"
import * as Delegation from "../../src/domain/Delegation.ts"
import type { Hex } from "../../src/domain/Hex.ts"
import vectors from "../vectors/authorization.json"
import * as Arbitraries from "./Arbitraries.ts"

const decode = Schema.decodeUnknownExit(Delegation.Authorization)
const delegate = Arbitraries.address(0xabcdef0123n)
const word = (digits: string): Hex => `0x${digits.padStart(64, "0")}`

const wire = { address: delegate, chainId: 8453, nonce: 7, r: word("1234"), s: word("5678"), yParity: 1 }
const decoded = { address: delegate, chainId: 8453, nonce: 7n, r: word("1234"), s: word("5678"), yParity: 1 }

const ChainId = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }))

describe("Authorization", () => {
  it("takes numbers as integers, decimal strings or JSON-RPC quantities, and short words", () => {
    for (const posted of [
      wire,
      { ...wire, chainId: "8453", nonce: "7", yParity: "1" },
      { ...wire, chainId: "0x2105", nonce: "0x7", yParity: "0x1" },
      { ...wire, address: delegate.toLowerCase() },
      { ...wire, r: "0x1234", s: "0x5678" }
    ]) {
      expect(decode(posted)).toEqual(Exit.succeed(decoded))
    }
  })

  it("takes an absent yParity, and null, for 0", () => {
    const { yParity: _, ...posted } = wire
    for (const each of [posted, { ...wire, yParity: null }]) {
      expect(decode(each)).toEqual(Exit.succeed({ ...decoded, yParity: 0 }))
    }
  })

  it("writes words in lower case, as the database does", () => {
    expect(decode({ ...wire, r: "0xAB", s: word("CD") })).toEqual(
      Exit.succeed({ ...decoded, r: word("ab"), s: word("cd") })
    )
  })

  it("reads chain 0, valid on every chain, as what it is: no source chain's id, so that intake refuses it", () => {
    for (const chainId of [0, "0"]) {
      expect(decode({ ...wire, chainId })).toEqual(Exit.succeed({ ...decoded, chainId: 0 }))
    }
  })

  it("refuses what cannot be part of an authorization", () => {
    for (const change of [
      { address: "0x12" },
      { chainId: -1 },
      { chainId: 1.5 },
      { chainId: "9007199254740993" },
      { chainId: "0x" },
      { chainId: "0x20000000000001" },
      { nonce: -1 },
      { nonce: (2n ** 64n).toString() },
      { nonce: "" },
      { r: "0x" },
      { r: `0x1${"0".repeat(64)}` },
      { s: "1234" },
      { s: null },
      { yParity: 2 },
      { yParity: 27 },
      { yParity: "2" },
      { yParity: "" }
    ]) {
      expect(Exit.isFailure(decode({ ...wire, ...change })), JSON.stringify(change)).toBe(true)
    }
    for (const field of ["address", "chainId", "nonce", "r", "s"]) {
      expect(Exit.isFailure(decode({ ...wire, [field]: undefined })), field).toBe(true)
    }
  })

  it.prop(
    "survives the wire",
    [Arbitraries.Account, ChainId, Arbitraries.Uint64, Arbitraries.Uint256, Arbitraries.Uint256],
    ([account, chainId, nonce, r, s]) => {
      const authorization: Delegation.Authorization = {
        address: Arbitraries.address(account),
        chainId,
        nonce,
        r: word(r.toString(16)),
        s: word(s.toString(16)),
        yParity: 1
      }
      const encoded: unknown = JSON.parse(JSON.stringify(Schema.encodeSync(Delegation.Authorization)(authorization)))
      expect(decode(encoded)).toEqual(Exit.succeed(authorization))
    }
  )
})

describe("authorizationHash", () => {
  const agrees = (account: bigint, chainId: number, nonce: bigint) => {
    const address = Arbitraries.address(account)
    const hash = Delegation.authorizationHash({ address, chainId, nonce })
    expect(hash).toBe(ethersHashAuthorization({ address, chainId, nonce }))
    if (nonce <= BigInt(Number.MAX_SAFE_INTEGER)) {
      expect(hash).toBe(hashAuthorization({ address, chainId, nonce: Number(nonce) }))
    }
  }

  it("agrees with viem and ethers where integers change their length", () => {
    for (const nonce of [0n, 1n, 127n, 128n, 255n, 256n, 65_535n, 2n ** 64n - 1n]) {
      for (const chainId of [1, 127, 128, 255, 256, 8453, 42161, Number.MAX_SAFE_INTEGER]) agrees(1n, chainId, nonce)
    }
  })

  it.prop(
    "agrees with viem and ethers",
    [Arbitraries.Account, ChainId, Arbitraries.Uint64],
    ([account, chainId, nonce]) => agrees(account, chainId, nonce)
  )
})

describe("the vectors that the contracts are tested with", () => {
  it.each(vectors.authorizations)("hold: $name", ({ address, chainId, hash, nonce, r, s, yParity }) => {
    const signed = Schema.decodeUnknownSync(Delegation.Authorization)({ address, chainId, nonce, r, s, yParity })
    expect(Delegation.authorizationHash(signed)).toBe(hash)
    expect([signed.r, signed.s]).toEqual([r, s])
  })

  it("are all there", () => {
    expect(vectors.count).toBeGreaterThan(0)
    expect(vectors.authorizations).toHaveLength(vectors.count)
  })
})

describe("accountCode", () => {
  it.prop("reads back the designator, in any case", [Arbitraries.Account], ([account]) => {
    const address = Arbitraries.address(account)
    const code = Delegation.designator(address)
    expect(code).toBe(`0xef0100${address.slice(2).toLowerCase()}`)
    for (const text of [code, `0x${code.slice(2).toUpperCase()}` as const]) {
      expect(Delegation.accountCode(text)).toEqual({ _tag: "Delegated", delegate: address })
      expect(Delegation.delegateOf(text)).toEqual(Option.some(address))
    }
  })

  it("tells plain accounts and contracts from delegated ones", () => {
    const designator = Delegation.designator(delegate)
    expect(Delegation.accountCode("0x")).toEqual({ _tag: "Plain" })
    for (const code of [`${designator}00`, designator.slice(0, -2), "0xef0100", "0xef01", "0x6000"] as Array<Hex>) {
      expect(Delegation.accountCode(code)).toEqual({ _tag: "Contract" })
      expect(Delegation.delegateOf(code)).toEqual(Option.none())
    }
  })
})
