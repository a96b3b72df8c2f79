/** Public facts about Base. */
import { assetsOn, assetTokens } from "./Assets.ts"
import { type ChainFacts, gwei, MULTICALL3, OP_STACK_WETH, PERMIT2, SPOKE_POOL_PERIPHERY, token } from "./Facts.ts"

const id = 8453

export const BASE: ChainFacts = {
  id,
  name: "base",
  nativeSymbol: "ETH",
  wrappedNative: OP_STACK_WETH,
  stables: [
    "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", // USDC
    "0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2", // USDT
    "0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb" // DAI
  ],
  // Uniswap's own deployment on this chain.
  swapRouter: "0x2626664c2603336E57B271c5C0b26F421741e481",
  quoter: "0x3d4e44Eb1374240CE5F1B871ab261CD16335B76a",
  spokePool: "0x09aea4b2242abC8bb4BB78D537A67a245A7bEC64",
  spokePoolPeriphery: SPOKE_POOL_PERIPHERY,
  permit2: PERMIT2,
  multicall3: MULTICALL3,
  // Base's oracle has its own address.
  sanctionsOracle: "0x3A91A31cB3dC49b4db9Ce721F50a9D076c8D739B",
  blockTimeMillis: 2_000,
  // The block's batch is final on Ethereum.
  finalitySeconds: 1_200,
  // The sequencer alone can undo blocks before that.
  confirmations: 5,
  confirmationsByValue: [
    { aboveUsd: 10_000, confirmations: 30 },
    { aboveUsd: 100_000, confirmations: 150 }
  ],
  dataFee: "op-stack",
  maxFeePerGasWei: gwei(100),
  maxPriorityFeePerGasWei: gwei(10),
  explorerUrl: "https://basescan.org",
  priceSlug: "base",
  assets: assetsOn(id),
  tokens: [...assetTokens(id), token(id, "USDbC", "Bridged USD Coin", 6, "0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA")]
}
