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
  /** Bridged tokens by the name of their asset. The same name on two chains is the same asset. */
  readonly tokens?: Readonly<Record<string, Address>>
  /** Decimals of those tokens by the same names. Default: those of the other chain's token. */
  readonly decimals?: Readonly<Record<string, number>>
}

/** By chain id. */
export type KnownBridges = Readonly<Record<number, KnownBridge>>

const ROUTER: Address = "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45"

/** Uniswap's SwapRouter02 by chain id: Ethereum, Optimism, BNB Chain, Polygon, Base and Arbitrum. */
export const KNOWN_ROUTERS: Readonly<Record<number, Address>> = {
  1: ROUTER,
  10: ROUTER,
  56: "0xB971eF87ede563556b2ED4b1C0b0019111Dd85d2",
  137: ROUTER,
  8453: "0x2626664c2603336E57B271c5C0b26F421741e481",
  42161: ROUTER
}

/** One address on all of these chains. */
const PERIPHERY: Address = "0x97CCDBea4632140639aD5eA9b944aa034eb15fD4"

const OP_STACK_WETH: Address = "0x4200000000000000000000000000000000000006"
const DAI: Address = "0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1"
const CBBTC: Address = "0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf"

/** Decimals on all chains but BNB Chain. */
const DECIMALS: Readonly<Record<string, number>> = { USDC: 6, USDT: 6, DAI: 18, WETH: 18, WBTC: 8, cbBTC: 8 }

/** Built-in facts about Ethereum, Optimism, BNB Chain, Polygon, Base and Arbitrum. Pools are those of `@across-protocol/contracts`. */
export const KNOWN_BRIDGES: Readonly<Record<number, Required<KnownBridge>>> = {
  1: {
    spokePool: "0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5",
    periphery: PERIPHERY,
    wrappedNative: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
    tokens: {
      USDC: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
      USDT: "0xdAC17F958D2ee523a2206206994597C13D831ec7",
      DAI: "0x6B175474E89094C44Da98b954EedeAC495271d0F",
      WETH: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
      WBTC: "0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599",
      cbBTC: CBBTC
    },
    decimals: DECIMALS
  },
  10: {
    spokePool: "0x6f26Bf09B1C792e3228e5467807a900A503c0281",
    periphery: PERIPHERY,
    wrappedNative: OP_STACK_WETH,
    tokens: {
      USDC: "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85",
      USDT: "0x94b008aA00579c1307B0EF2c499aD98a8ce58e58",
      DAI,
      WETH: OP_STACK_WETH,
      WBTC: "0x68f180fcCe6836688e9084f035309E29Bf0A2095"
    },
    decimals: DECIMALS
  },
  56: {
    spokePool: "0x4e8E101924eDE233C13e2D8622DC8aED2872d505",
    periphery: PERIPHERY,
    wrappedNative: "0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c",
    tokens: {
      USDC: "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d",
      USDT: "0x55d398326f99059fF775485246999027B3197955",
      WETH: "0x2170Ed0880ac9A755fd29B2688956BD959F933F8"
    },
    decimals: { USDC: 18, USDT: 18, WETH: 18 }
  },
  137: {
    spokePool: "0x9295ee1d8C5b022Be115A2AD3c30C72E34e7F096",
    periphery: PERIPHERY,
    wrappedNative: "0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270",
    tokens: {
      USDC: "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
      USDT: "0xc2132D05D31c914a87C6611C10748AEb04B58e8F",
      DAI: "0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063",
      WETH: "0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619",
      WBTC: "0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6"
    },
    decimals: DECIMALS
  },
  8453: {
    spokePool: "0x09aea4b2242abC8bb4BB78D537A67a245A7bEC64",
    periphery: PERIPHERY,
    wrappedNative: OP_STACK_WETH,
    tokens: {
      USDC: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
      USDT: "0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2",
      DAI: "0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb",
      WETH: OP_STACK_WETH,
      WBTC: "0x0555E30da8f98308EdB960aa94C0Db47230d2B9c",
      cbBTC: CBBTC
    },
    decimals: DECIMALS
  },
  42161: {
    spokePool: "0xe35e9842fceaCA96570B734083f4a58e8F7C5f2A",
    periphery: PERIPHERY,
    wrappedNative: "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1",
    tokens: {
      USDC: "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
      USDT: "0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9",
      DAI,
      WETH: "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1",
      WBTC: "0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f",
      cbBTC: CBBTC
    },
    decimals: DECIMALS
  }
}

/** Returns the facts about a chain. The caller's take precedence over the built-in ones. */
export const knownBridge = (chainId: number, own: KnownBridges = {}): KnownBridge => ({
  ...KNOWN_BRIDGES[chainId],
  ...own[chainId],
  tokens: { ...KNOWN_BRIDGES[chainId]?.tokens, ...own[chainId]?.tokens },
  decimals: { ...KNOWN_BRIDGES[chainId]?.decimals, ...own[chainId]?.decimals }
})

/** The name of the asset that a token of the chain is, if it is known. */
const assetOf = ({ tokens = {} }: KnownBridge, token: Address): string | undefined =>
  Object.entries(tokens).find(([, address]) => sameAddress(address, token))?.[0]

/** Returns the token of `to` that is the same asset as `token` of `from`. Returns undefined if none is known. */
export const counterpart = (from: KnownBridge, token: Address, to: KnownBridge): Address | undefined => {
  const name = assetOf(from, token)
  return name === undefined ? undefined : to.tokens?.[name]
}

/** True if `paid` of an asset on one chain is worth at least `promised` of its `token` on the other. Compares exactly. */
export const isCovered = (
  source: KnownBridge,
  paid: bigint,
  destination: KnownBridge,
  token: Address,
  promised: bigint
): boolean => {
  const name = assetOf(destination, token) ?? ""
  const [here, there] = [source.decimals?.[name], destination.decimals?.[name]]
  const more = here === undefined || there === undefined ? 0 : there - here
  return paid * 10n ** BigInt(Math.max(more, 0)) >= promised * 10n ** BigInt(Math.max(-more, 0))
}
