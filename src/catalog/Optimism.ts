/** Public facts about OP Mainnet. */
import { assetsOn, assetTokens } from "./Assets.ts"
import {
  type ChainFacts,
  gwei,
  MULTICALL3,
  OP_STACK_WETH,
  PERMIT2,
  QUOTER_V2,
  SANCTIONS_ORACLE,
  SPOKE_POOL_PERIPHERY,
  SWAP_ROUTER_02,
  token
} from "./Facts.ts"

const id = 10

export const OPTIMISM: ChainFacts = {
  id,
  name: "optimism",
  nativeSymbol: "ETH",
  wrappedNative: OP_STACK_WETH,
  stables: [
    "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85", // USDC
    "0x94b008aA00579c1307B0EF2c499aD98a8ce58e58", // USDT
    "0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1" // DAI
  ],
  swapRouter: SWAP_ROUTER_02,
  quoter: QUOTER_V2,
  spokePool: "0x6f26Bf09B1C792e3228e5467807a900A503c0281",
  spokePoolPeriphery: SPOKE_POOL_PERIPHERY,
  permit2: PERMIT2,
  multicall3: MULTICALL3,
  sanctionsOracle: SANCTIONS_ORACLE,
  blockTimeMillis: 2_000,
  // The block's batch is final on Ethereum.
  finalitySeconds: 1_200,
  // The sequencer alone can undo blocks before that, which it has done for minutes at most.
  confirmations: 5,
  confirmationsByValue: [
    { aboveUsd: 10_000, confirmations: 30 },
    { aboveUsd: 100_000, confirmations: 150 }
  ],
  dataFee: "op-stack",
  maxFeePerGasWei: gwei(100),
  maxPriorityFeePerGasWei: gwei(10),
  explorerUrl: "https://optimistic.etherscan.io",
  priceSlug: "optimism",
  assets: assetsOn(id),
  tokens: [
    ...assetTokens(id),
    token(id, "USDC.e", "Bridged USDC", 6, "0x7F5c764cBc14f9669B88837ca1490cCa17c31607"),
    token(id, "OP", "Optimism", 18, "0x4200000000000000000000000000000000000042")
  ]
}
