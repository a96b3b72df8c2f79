/** The catalogue's facts fit each other and the lists that the protocols publish. */
import { readFileSync } from "node:fs"
import { TOKEN_SYMBOLS_MAP } from "@across-protocol/constants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { plan } from "../../src/adapters/evm/contracts/UniswapV4Deployment.ts"
import { ASSETS } from "../../src/catalog/Assets.ts"
import { KNOWN_CHAINS } from "../../src/catalog/KnownChains.ts"
import * as Address from "../../src/domain/Address.ts"
import * as ChainMoney from "../../src/domain/ChainMoney.ts"
import { equivalent, type Listing } from "../../src/domain/TokenEquivalence.ts"
import * as Venue from "../../src/domain/Venue.ts"
import { readSwapRouter02 } from "../../src/sdk/review/SwapCall.ts"
import { VENUE_ROUTERS } from "../../src/sdk/review/venues/KnownVenues.ts"
import { readSlipstreamCall } from "../../src/sdk/review/venues/Slipstream.ts"
import { readSolidlyCall } from "../../src/sdk/review/venues/Solidly.ts"
import { readUniswapV2Call } from "../../src/sdk/review/venues/UniswapV2.ts"
import { readUniswapV3Call } from "../../src/sdk/review/venues/UniswapV3.ts"
import { readUniswapV4Call } from "../../src/sdk/review/venues/UniswapV4.ts"

const chains = Object.values(KNOWN_CHAINS)

const NAMES: Readonly<Record<string, number>> = {
  Ethereum: 1,
  "OP Mainnet": 10,
  "BNB Chain": 56,
  Polygon: 137,
  Base: 8453,
  Arbitrum: 42_161
}

const listingOf = (id: number): Listing => {
  const { assets = {}, tokens = [], wrappedNative = "" } = KNOWN_CHAINS[id] ?? {}
  return {
    wrappedNative: Address.of(wrappedNative),
    tokens: tokens.map((token) => ({ ...token, address: Address.of(token.address) })),
    assets: Object.fromEntries(Object.entries(assets).map(([name, address]) => [name, Address.of(address)]))
  }
}

describe("the catalogue", () => {
  it("has the six chains", () => {
    assert.deepStrictEqual(
      chains.map(({ id, name }) => [id, name]),
      [
        [1, "ethereum"],
        [10, "optimism"],
        [56, "bnb"],
        [137, "polygon"],
        [8453, "base"],
        [42161, "arbitrum"]
      ]
    )
  })

  // The contracts of every deployment would move with these (contracts/Deployment.ts).
  it("keeps what the addresses of the contracts depend on", () => {
    const parts = chains.map(({ id, spokePool, spokePoolPeriphery, swapRouter, wrappedNative }) =>
      [id, wrappedNative, swapRouter, spokePool, spokePoolPeriphery].map((part) => String(part).slice(0, 8)).join(" ")
    )
    assert.deepStrictEqual(parts, [
      "1 0xC02aaA 0x68b346 0x5c7BCd 0x97CCDB",
      "10 0x420000 0x68b346 0x6f26Bf 0x97CCDB",
      "56 0xbb4CdB 0xB971eF 0x4e8E10 0x97CCDB",
      "137 0x0d500B 0x68b346 0x9295ee 0x97CCDB",
      "8453 0x420000 0x262666 0x09aea4 0x97CCDB",
      "42161 0x82aF49 0x68b346 0xe35e98 0x97CCDB"
    ])
  })

  it("writes every address with its checksum, and each token once", () => {
    for (const facts of chains) {
      const {
        assets = {},
        multicall3,
        permit2,
        quoter,
        sanctionsOracle,
        spokePool,
        stables,
        tokens,
        wrappedNative
      } = facts
      const listed = tokens.map(({ address }) => address)
      const all = [multicall3, permit2, quoter, sanctionsOracle, spokePool, wrappedNative, ...stables, ...listed]
      for (const each of [...all, ...Object.values(assets)]) assert.strictEqual<unknown>(each, Address.of(String(each)))
      assert.strictEqual(new Set(listed).size, listed.length, facts.name)
      assert.isTrue(tokens.every(({ chainId }) => chainId === facts.id))
      assert.isTrue([...stables, ...Object.values(assets)].every((token) => listed.includes(token)))
      assert.isTrue(listed.includes(wrappedNative), `${facts.name} lists its wrapped native currency`)
    }
  })

  it("is what the reference says", () => {
    const page = readFileSync(new URL("../../docs/reference/chains-file.md", import.meta.url), "utf8")
    const rows = page
      .split("\n")
      .map((line) => line.split("|").map((cell) => cell.trim()))
      .filter(([, name = ""]) => name in NAMES)
    assert.lengthOf(rows, chains.length)
    for (const [, name = "", block, final, ...depths] of rows) {
      const facts = KNOWN_CHAINS[NAMES[name] ?? 0]
      const { blockTimeMillis = 0, confirmations, confirmationsByValue = [], finalitySeconds = 0 } = facts ?? {}
      const finality = finalitySeconds < 60 ? `${finalitySeconds} s` : `${Math.round(finalitySeconds / 60)} minutes`
      assert.deepStrictEqual([block, final], [`${blockTimeMillis / 1_000} s`, finality], name)
      const said = depths.slice(0, 3).map((depth) => Number(depth.replace(",", "")))
      assert.deepStrictEqual(said, [confirmations, ...confirmationsByValue.map((rule) => rule.confirmations)], name)
      assert.deepStrictEqual(
        confirmationsByValue.map(({ aboveUsd }) => aboveUsd),
        [10_000, 100_000]
      )
    }
  })

  it("waits longer for more value, and states limits without contradiction", () => {
    for (const { confirmations, confirmationsByValue = [], maxFeePerGasWei, maxPriorityFeePerGasWei, name } of chains) {
      assert.isUndefined(ChainMoney.objection({ confirmations, confirmationsByValue }), name)
      const rules = [{ aboveUsd: 0, confirmations }, ...confirmationsByValue]
      assert.isTrue(rules.length > 1, name)
      const isRising = rules.every(
        (rule, index) =>
          index === 0 ||
          (rule.aboveUsd > (rules[index - 1]?.aboveUsd ?? 0) &&
            rule.confirmations > (rules[index - 1]?.confirmations ?? 0))
      )
      assert.isTrue(isRising, name)
      assert.isTrue(BigInt(maxPriorityFeePerGasWei ?? 0) <= BigInt(maxFeePerGasWei ?? 0), name)
    }
  })
})

describe("venues", () => {
  const readerOf = ({
    family,
    hasDeadlineInSwap
  }: {
    readonly family: string
    readonly hasDeadlineInSwap?: boolean
  }) => {
    if (family === "uniswap-v2") return readUniswapV2Call
    if (family === "solidly") return readSolidlyCall
    if (family === "slipstream") return readSlipstreamCall
    if (family === "uniswap-v4") return readUniswapV4Call
    return hasDeadlineInSwap === true ? readUniswapV3Call : readSwapRouter02
  }

  it("are those whose calls the client reads, by the same interfaces", () => {
    for (const { id, name, swapRouter = "", venues = [] } of chains) {
      const ofService = new Map<string, unknown>([
        [swapRouter, readSwapRouter02],
        ...venues.map((venue) => [venue.router, readerOf(venue)] as const)
      ])
      assert.deepStrictEqual(new Map<string, unknown>(Object.entries(VENUE_ROUTERS[id] ?? {})), ofService, name)
    }
  })

  // A change of the contract moves its addresses.
  it("have the router for Uniswap v4 at the address that it is deployed to", () => {
    for (const { name, venues = [], wrappedNative } of chains) {
      const { poolManager = "", router } = venues.find(({ family }) => family === "uniswap-v4") ?? assert.fail(name)
      const planned = plan({ poolManager: Address.of(poolManager), wrappedNative: Address.of(wrappedNative) })
      assert.strictEqual<string>(planned.address, router, name)
    }
  })

  it.effect("have what their families need, and addresses with checksums", () =>
    Effect.gen(function* () {
      for (const { name, swapRouter = "", venues = [] } of chains) {
        assert.isTrue(venues.length > 0)
        const decoded = yield* Schema.decodeEffect(Schema.Array(Venue.Venue))(venues)
        assert.deepStrictEqual<unknown>(decoded, venues)
        assert.isUndefined(Venue.objection({ swapRouter: Address.of(swapRouter), venues: decoded }), name)
      }
    })
  )
})

/** Names of Across for tokens that have other decimals on BNB Chain. */
const ON_BNB: Readonly<Record<string, string>> = { USDC: "USDC-BNB", USDT: "USDT-BNB" }

describe("assets", () => {
  const ofAcross: Readonly<
    Record<string, { readonly decimals: number; readonly addresses: Readonly<Record<number, string>> } | undefined>
  > = TOKEN_SYMBOLS_MAP

  it("are those that Across exchanges, with its decimals", () => {
    for (const name of ["USDC", "USDT", "DAI", "WETH", "WBTC"]) {
      for (const { address, chainId, decimals } of Object.values(ASSETS[name] ?? {})) {
        const known = ofAcross[chainId === 56 ? (ON_BNB[name] ?? name) : name]
        // Across does not carry it. Its issuer mints it there by the same standard (OFT).
        if (name === "WBTC" && chainId === 8453) continue
        assert.strictEqual(known?.addresses[chainId], address, `${name} on ${chainId}`)
        assert.strictEqual(known?.decimals, decimals, `${name} on ${chainId}`)
      }
    }
  })

  it("do not hold the older bridged forms", () => {
    for (const chainId of [10, 137, 42_161]) {
      const bridged = Address.of(ofAcross["USDC.e"]?.addresses[chainId] ?? "")
      assert.isTrue(listingOf(chainId).tokens.some(({ address }) => address === bridged))
      for (const other of chains) {
        assert.deepStrictEqual(equivalent(listingOf(chainId), bridged, listingOf(other.id)), Option.none())
      }
    }
  })

  it("tie USDC of BNB Chain, which has 18 decimals, to the others, which have 6", () => {
    const [bnb, base] = [listingOf(56), listingOf(8453)]
    const usdc = Address.of(ASSETS["USDC"]?.[8453]?.address ?? "")
    const there = Option.getOrThrow(equivalent(base, usdc, bnb))
    assert.strictEqual<string>(there.address, "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d")
    assert.strictEqual(there.decimals, 18)
    assert.deepStrictEqual(
      Option.map(equivalent(bnb, there.address, base), ({ address, decimals }) => [address, decimals]),
      Option.some([usdc, 6])
    )
  })

  it("never tie a native currency's wrapped form to another currency's", () => {
    for (const { id, wrappedNative } of chains.filter(({ nativeSymbol }) => nativeSymbol !== "ETH")) {
      for (const other of chains) {
        assert.deepStrictEqual(equivalent(listingOf(id), Address.of(wrappedNative), listingOf(other.id)), Option.none())
      }
    }
  })
})
