/** Public facts about Ethereum. */
import { assetsOn, assetTokens } from "./Assets.ts"
import { type ChainFacts, gwei, QUOTER_V2, SANCTIONS_ORACLE, SHARED_CONTRACTS, SWAP_ROUTER_02 } from "./Facts.ts"
import { pancakeswapV2, pancakeswapV3, sushiswapV2, sushiswapV3, uniswapV2, uniswapV4 } from "./Venues.ts"

const id = 1

export const ETHEREUM: ChainFacts = {
  id,
  name: "ethereum",
  nativeSymbol: "ETH",
  wrappedNative: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
  stables: [
    "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", // USDC
    "0xdAC17F958D2ee523a2206206994597C13D831ec7", // USDT
    "0x6B175474E89094C44Da98b954EedeAC495271d0F" // DAI
  ],
  swapRouter: SWAP_ROUTER_02,
  quoter: QUOTER_V2,
  venues: [
    uniswapV2("0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D"),
    uniswapV4({
      router: "0x51aeeaEdA19F2907247Bdc07175dCdb70960D36e",
      poolManager: "0x000000000004444c5dc75cB358380D2e3dE08A90",
      quoter: "0x52F0E24D1c21C8A0cB1e5a5dD6198556BD9E1203"
    }),
    sushiswapV2("0xd9e1cE17f2641f24aE83637ab66a2cca9C378B9F"),
    sushiswapV3("0x2E6cd2d30aa43f40aa81619ff4b6E0a41479B13F", "0x64e8802FE490fa7cc61d3463958199161Bb608A7"),
    pancakeswapV2("0xEfF92A263d31888d860bD50809A8D171709b7b1c"),
    pancakeswapV3("0x13f4EA83D0bd40E75C8222255bc855a974568Dd4")
  ],
  spokePool: "0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5",
  ...SHARED_CONTRACTS,
  sanctionsOracle: SANCTIONS_ORACLE,
  blockTimeMillis: 12_000,
  // Two epochs.
  finalitySeconds: 768,
  confirmations: 3,
  confirmationsByValue: [
    { aboveUsd: 10_000, confirmations: 12 },
    { aboveUsd: 100_000, confirmations: 64 }
  ],
  maxFeePerGasWei: gwei(1_000),
  maxPriorityFeePerGasWei: gwei(100),
  explorerUrl: "https://etherscan.io",
  priceSlug: "ethereum",
  assets: assetsOn(id),
  tokens: assetTokens(id)
}
