import { describe, expect, it } from "@effect/vitest"
import { Option } from "effect"
import type { Address } from "../../src/domain/Address.ts"
import * as Chain from "../../src/domain/Chain.ts"
import { NATIVE } from "../../src/domain/Token.ts"
import * as FakeChain from "../support/FakeChain.ts"

const { chain } = FakeChain
const unlisted = FakeChain.address(0x99)

describe("token", () => {
  it("finds listed tokens, the native currency always, and nothing else", () => {
    expect(Chain.token(chain, FakeChain.address(0xd1))).toEqual(Option.fromUndefinedOr(chain.tokens[0]))
    expect(Chain.token(chain, unlisted)).toEqual(Option.none())
    expect(Option.getOrThrow(Chain.token({ ...chain, tokens: [] }, NATIVE))).toEqual({
      chainId: chain.id,
      address: NATIVE,
      symbol: "ETH",
      name: "ETH",
      decimals: 18
    })
  })
})

describe("spokePools", () => {
  it("are the present one and the former ones, each once", () => {
    const [a, b, c] = [0x51, 0x52, 0x53].map((byte) => FakeChain.address(byte)) as [Address, Address, Address]
    expect(Chain.spokePools({})).toEqual([])
    expect(Chain.spokePools({ spokePool: a })).toEqual([a])
    expect(Chain.spokePools({ spokePool: a, formerSpokePools: [b, c] })).toEqual([a, b, c])
    expect(Chain.spokePools({ spokePool: a, formerSpokePools: [b, a, b] })).toEqual([a, b])
    expect(Chain.spokePools({ formerSpokePools: [b, c] })).toEqual([b, c])
  })
})

describe("vaults", () => {
  it("are the present one and the former ones, each once", () => {
    const [a, b, c] = [0x51, 0x52, 0x53].map((byte) => FakeChain.address(byte)) as [Address, Address, Address]
    expect(Chain.vaults({ builderVault: a })).toEqual([a])
    expect(Chain.vaults({ builderVault: a, formerVaults: [b, a, c, b] })).toEqual([a, b, c])
  })
})

describe("erc20", () => {
  it("is the wrapped native for the native currency, and the token itself else", () => {
    expect(Chain.erc20(chain, NATIVE)).toBe(chain.wrappedNative)
    expect(Chain.erc20(chain, chain.wrappedNative)).toBe(chain.wrappedNative)
    expect(Chain.erc20(chain, unlisted)).toBe(unlisted)
  })
})

describe("listedTier", () => {
  it("calls the native currency, its wrapped form and stables tier1, the list tier2, the rest tier3", () => {
    const bare = { ...chain, tokens: [] }
    for (const token of [NATIVE, chain.wrappedNative, ...chain.stables]) {
      expect(Chain.listedTier(chain, token)).toBe("tier1")
      expect(Chain.listedTier(bare, token)).toBe("tier1")
    }
    expect(Chain.listedTier(chain, FakeChain.address(0xb1))).toBe("tier2")
    expect(Chain.listedTier(bare, FakeChain.address(0xb1))).toBe("tier3")
    expect(Chain.listedTier(chain, unlisted)).toBe("tier3")
  })
})
