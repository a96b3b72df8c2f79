/** Public facts about Polygon PoS. */
import { assetsOn, assetTokens } from "./Assets.ts"
import { type ChainFacts, gwei, QUOTER_V2, SANCTIONS_ORACLE, SHARED_CONTRACTS, SWAP_ROUTER_02, token } from "./Facts.ts"
import { sushiswapV2, sushiswapV3, uniswapV2, uniswapV4 } from "./Venues.ts"

const id = 137

const WPOL = "0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270"

export const POLYGON: ChainFacts = {
  id,
  name: "polygon",
  nativeSymbol: "POL",
  wrappedNative: WPOL,
  stables: [
    "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", // USDC
    "0xc2132D05D31c914a87C6611C10748AEb04B58e8F", // USDT
    "0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063" // DAI
  ],
  swapRouter: SWAP_ROUTER_02,
  quoter: QUOTER_V2,
  venues: [
    uniswapV2("0xedf6066a2b290C185783862C7F4776A2C8077AD1"),
    uniswapV4({
      router: "0xEae04885a86e97C5E7731915AAF39822DCD832c8",
      poolManager: "0x67366782805870060151383F4BbFF9daB53e5cD6",
      quoter: "0xb3d5c3Dfc3a7aEbFF71895A7191796BFFc2c81b9"
    }),
    sushiswapV2("0x1b02dA8Cb0d097eB8D57A175b88c7D8b47997506"),
    sushiswapV3("0x0aF89E1620b96170e2a9D0b68fEebb767eD044c3", "0xb1E835Dc2785b52265711e17fCCb0fd018226a6e")
  ],
  spokePool: "0x9295ee1d8C5b022Be115A2AD3c30C72E34e7F096",
  ...SHARED_CONTRACTS,
  sanctionsOracle: SANCTIONS_ORACLE,
  blockTimeMillis: 2_000,
  // Milestones of Heimdall v2.
  finalitySeconds: 5,
  // Before milestones, blocks were undone 157 deep.
  confirmations: 16,
  confirmationsByValue: [
    { aboveUsd: 10_000, confirmations: 64 },
    { aboveUsd: 100_000, confirmations: 256 }
  ],
  // Bor takes no lower tip.
  minPriorityFeePerGasWei: gwei(25),
  maxFeePerGasWei: gwei(20_000),
  maxPriorityFeePerGasWei: gwei(5_000),
  explorerUrl: "https://polygonscan.com",
  priceSlug: "polygon",
  assets: assetsOn(id),
  tokens: [
    ...assetTokens(id),
    token(id, "WPOL", "Wrapped POL", 18, WPOL),
    token(id, "USDC.e", "Bridged USDC", 6, "0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174")
  ]
}
