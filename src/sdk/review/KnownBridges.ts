/**
 * Routers of Uniswap, and contracts and tokens of Across, on public chains. The operator's guard contract lists the targets that an
 * order may call, but not the bridge's pool and token. Without these tables a hostile operator could list a target of its own, and a
 * hostile service could bridge a worthless token.
 */
import { type Address, sameAddress } from "../model/Address.ts"

/** Facts about the bridge on one chain. */
export interface KnownBridge {
  /** Across's SpokePool, which takes deposits. */
  readonly spokePool?: Address
  /** Across's SpokePoolPeriphery, which swaps before a deposit. */
  readonly periphery?: Address
  /** Token that the bridge delivers as the chain's native currency. */
  readonly wrappedNative?: Address
  /** Bridged tokens, by names of your choice. The same name on two chains is the same asset with the same decimals. */
  readonly tokens?: Readonly<Record<string, Address>>
}

/** By chain id. */
export type KnownBridges = Readonly<Record<number, KnownBridge>>

const ROUTER: Address = "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45"

/** Uniswap's SwapRouter02 by chain id: Ethereum, Optimism, Polygon, Base and Arbitrum. */
export const KNOWN_ROUTERS: Readonly<Record<number, Address>> = {
  1: ROUTER,
  10: ROUTER,
  137: ROUTER,
  8453: "0x2626664c2603336E57B271c5C0b26F421741e481",
  42161: ROUTER
}

/** One address on all of these chains. */
const PERIPHERY: Address = "0x97CCDBea4632140639aD5eA9b944aa034eb15fD4"

const OP_STACK_WETH: Address = "0x4200000000000000000000000000000000000006"

/** Built-in facts about Ethereum, Optimism, Polygon, Base and Arbitrum. Pools are those of `@across-protocol/contracts`. */
export const KNOWN_BRIDGES: Readonly<Record<number, Required<KnownBridge>>> = {
  1: {
    spokePool: "0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5",
    periphery: PERIPHERY,
    wrappedNative: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
    tokens: {
      USDC: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
      WETH: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"
    }
  },
  10: {
    spokePool: "0x6f26Bf09B1C792e3228e5467807a900A503c0281",
    periphery: PERIPHERY,
    wrappedNative: OP_STACK_WETH,
    tokens: { USDC: "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85", WETH: OP_STACK_WETH }
  },
  137: {
    spokePool: "0x9295ee1d8C5b022Be115A2AD3c30C72E34e7F096",
    periphery: PERIPHERY,
    wrappedNative: "0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270",
    tokens: { USDC: "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359" }
  },
  8453: {
    spokePool: "0x09aea4b2242abC8bb4BB78D537A67a245A7bEC64",
    periphery: PERIPHERY,
    wrappedNative: OP_STACK_WETH,
    tokens: { USDC: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", WETH: OP_STACK_WETH }
  },
  42161: {
    spokePool: "0xe35e9842fceaCA96570B734083f4a58e8F7C5f2A",
    periphery: PERIPHERY,
    wrappedNative: "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1",
    tokens: {
      USDC: "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
      WETH: "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1"
    }
  }
}

/** Returns the facts about a chain. The caller's take precedence over the built-in ones. */
export const knownBridge = (chainId: number, own: KnownBridges = {}): KnownBridge => ({
  ...KNOWN_BRIDGES[chainId],
  ...own[chainId],
  tokens: { ...KNOWN_BRIDGES[chainId]?.tokens, ...own[chainId]?.tokens }
})

/** Returns the token of `to` that is the same asset as `token` of `from`. Returns undefined if none is known. */
export const counterpart = (from: KnownBridge, token: Address, to: KnownBridge): Address | undefined => {
  const name = Object.entries(from.tokens ?? {}).find(([, address]) => sameAddress(address, token))?.[0]
  return name === undefined ? undefined : to.tokens?.[name]
}
