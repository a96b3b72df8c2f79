/** Public facts about Arbitrum One. */
import { assetsOn, assetTokens } from "./Assets.ts"
import { type ChainFacts, gwei, QUOTER_V2, SANCTIONS_ORACLE, SHARED_CONTRACTS, SWAP_ROUTER_02, token } from "./Facts.ts"
import { pancakeswapV2, pancakeswapV3, sushiswapV2, sushiswapV3, uniswapV2, uniswapV4 } from "./Venues.ts"

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
  venues: [
    uniswapV2("0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24"),
    uniswapV4({
      router: "0xed17c1EEe917019ff2f70FDf79A8d4D07ADbc2bE",
      poolManager: "0x360E68faCcca8cA495c1B759Fd9EEe466db9FB32",
      quoter: "0x3972C00f7ed4885e145823eb7C655375d275A1C5"
    }),
    sushiswapV2("0x1b02dA8Cb0d097eB8D57A175b88c7D8b47997506"),
    sushiswapV3("0x8A21F6768C1f8075791D08546Dadf6daA0bE820c", "0x0524E833cCD057e4d7A296e3aaAb9f7675964Ce1"),
    pancakeswapV2("0x8cFe327CEc66d1C090Dd72bd0FF11d690C33a2Eb"),
    pancakeswapV3("0x32226588378236Fd0c7c4053999F88aC0e5cAc77")
  ],
  spokePool: "0xe35e9842fceaCA96570B734083f4a58e8F7C5f2A",
  ...SHARED_CONTRACTS,
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
