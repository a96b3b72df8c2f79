/** Public facts about BNB Chain (BNB Smart Chain). */
import { assetsOn, assetTokens } from "./Assets.ts"
import { type ChainFacts, gwei, SANCTIONS_ORACLE, SHARED_CONTRACTS, token } from "./Facts.ts"
import { pancakeswapV2, pancakeswapV3, sushiswapV2, uniswapV2, uniswapV4 } from "./Venues.ts"

const id = 56

const WBNB = "0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c"

export const BNB_CHAIN: ChainFacts = {
  id,
  name: "bnb",
  nativeSymbol: "BNB",
  wrappedNative: WBNB,
  stables: [
    "0x55d398326f99059fF775485246999027B3197955", // USDT, with 18 decimals
    "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d" // USDC, with 18 decimals
  ],
  // Uniswap's own deployment on this chain.
  swapRouter: "0xB971eF87ede563556b2ED4b1C0b0019111Dd85d2",
  quoter: "0x78D78E420Da98ad378D7799bE8f4AF69033EB077",
  venues: [
    pancakeswapV3("0x13f4EA83D0bd40E75C8222255bc855a974568Dd4"),
    pancakeswapV2("0x10ED43C718714eb63d5aA57B78B54704E256024E"),
    uniswapV2("0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24"),
    uniswapV4({
      router: "0xf0B409b06353652f9177983E56B6b793c2bEbe72",
      poolManager: "0x28e2Ea090877bF75740558f6BFB36A5ffeE9e9dF",
      quoter: "0x9F75dD27D6664c475B90e105573E550ff69437B0"
    }),
    sushiswapV2("0x1b02dA8Cb0d097eB8D57A175b88c7D8b47997506")
  ],
  spokePool: "0x4e8E101924eDE233C13e2D8622DC8aED2872d505",
  ...SHARED_CONTRACTS,
  sanctionsOracle: SANCTIONS_ORACLE,
  // Since the Fermi hard fork (BEP-619).
  blockTimeMillis: 450,
  // Fast finality: validators vote on each block (BEP-126).
  finalitySeconds: 2,
  confirmations: 15,
  confirmationsByValue: [
    { aboveUsd: 10_000, confirmations: 30 },
    { aboveUsd: 100_000, confirmations: 120 }
  ],
  // The base fee is zero, so the tip is the whole price. Validators take no lower one.
  minPriorityFeePerGasWei: gwei(0.05),
  maxFeePerGasWei: gwei(50),
  maxPriorityFeePerGasWei: gwei(50),
  explorerUrl: "https://bscscan.com",
  priceSlug: "bsc",
  assets: assetsOn(id),
  tokens: [
    ...assetTokens(id),
    token(id, "WBNB", "Wrapped BNB", 18, WBNB),
    token(id, "DAI", "Binance-Peg Dai Token", 18, "0x1AF3F329e8BE154074D8769D1FFa4eE058B1DBc3"),
    // Not tied to WBTC: another issuer backs it.
    token(id, "BTCB", "Binance-Peg BTCB Token", 18, "0x7130d2A12B9BCbFAe4f2634d864A1Ee1Ce3Ead9c")
  ]
}
