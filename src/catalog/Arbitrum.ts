/** Public facts about Arbitrum One. */
import { assetsOn, assetTokens } from "./Assets.ts"
import {
  type ChainFacts,
  gwei,
  MULTICALL3,
  PERMIT2,
  QUOTER_V2,
  SANCTIONS_ORACLE,
  SPOKE_POOL_PERIPHERY,
  SWAP_ROUTER_02,
  token
} from "./Facts.ts"

const id = 42_161

export const ARBITRUM: ChainFacts = {
  id,
  name: "arbitrum",
  nativeSymbol: "ETH",
  wrappedNative: "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1",
  stables: [
    "0xaf88d065e77c8cC2239327C5EDb3A432268e5831", // USDC
    "0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9", // USDT
    "0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1" // DAI
  ],
  swapRouter: SWAP_ROUTER_02,
  quoter: QUOTER_V2,
  spokePool: "0xe35e9842fceaCA96570B734083f4a58e8F7C5f2A",
  spokePoolPeriphery: SPOKE_POOL_PERIPHERY,
  permit2: PERMIT2,
  multicall3: MULTICALL3,
  sanctionsOracle: SANCTIONS_ORACLE,
  blockTimeMillis: 250,
  // The block's batch is final on Ethereum.
  finalitySeconds: 1_200,
  // The sequencer alone can undo blocks before that.
  confirmations: 20,
  confirmationsByValue: [
    { aboveUsd: 10_000, confirmations: 240 },
    { aboveUsd: 100_000, confirmations: 1_200 }
  ],
  dataFee: "arbitrum",
  maxFeePerGasWei: gwei(100),
  maxPriorityFeePerGasWei: gwei(10),
  explorerUrl: "https://arbiscan.io",
  priceSlug: "arbitrum",
  assets: assetsOn(id),
  tokens: [
    ...assetTokens(id),
    token(id, "USDC.e", "Bridged USDC", 6, "0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8"),
    token(id, "ARB", "Arbitrum", 18, "0x912CE59144191C1204E64559FE8253a0e49E6548")
  ]
}
