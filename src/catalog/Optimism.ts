/** Public facts about OP Mainnet. */
import { assetsOn, assetTokens } from "./Assets.ts"
import {
  type ChainFacts,
  gwei,
  OP_STACK_WETH,
  QUOTER_V2,
  SANCTIONS_ORACLE,
  SHARED_CONTRACTS,
  SWAP_ROUTER_02,
  token
} from "./Facts.ts"
import { sushiswapV2, sushiswapV3, uniswapV2, uniswapV4 } from "./Venues.ts"

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
  venues: [
    uniswapV2("0x4A7b5Da61326A6379179b40d00F57E5bbDC962c2"),
    uniswapV4({
      router: "0xa6911c5170A0A3B74321fE86A323dFed9241e575",
      poolManager: "0x9a13F98Cb987694C9F086b1F5eB990EeA8264Ec3",
      quoter: "0x1f3131A13296FB91C90870043742C3CDBFF1A8d7"
    }),
    sushiswapV2("0x2ABf469074dc0b54d793850807E6eb5Faf2625b1"),
    sushiswapV3("0x8c32Fd078B89Eccb06B40289A539D84A4aA9FDA6", "0xb1E835Dc2785b52265711e17fCCb0fd018226a6e"),
    {
      name: "velodrome",
      family: "solidly",
      router: "0xa062aE8A9c5e11aaA026fc2670B0D65cCc8B2858",
      factory: "0xF1046053aa5682b4F9a81b5481394DA16BE5FF5a"
    },
    {
      name: "velodrome-slipstream",
      family: "slipstream",
      router: "0x0792a633F0c19c351081CF4B211F68F79bCc9676",
      quoter: "0x89D8218ed5fF1e46d8dcd33fb0bbeE3be1621466"
    }
  ],
  spokePool: "0x6f26Bf09B1C792e3228e5467807a900A503c0281",
  ...SHARED_CONTRACTS,
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
