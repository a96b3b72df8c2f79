/** Public facts about Base. */
import { assetsOn, assetTokens } from "./Assets.ts"
import { type ChainFacts, gwei, OP_STACK_WETH, SHARED_CONTRACTS, token } from "./Facts.ts"
import { pancakeswapV2, pancakeswapV3, sushiswapV2, sushiswapV3, uniswapV2, uniswapV4 } from "./Venues.ts"

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
  venues: [
    {
      name: "aerodrome",
      family: "solidly",
      router: "0xcF77a3Ba9A5CA399B7c97c74d54e5b1Beb874E43",
      factory: "0x420DD381b31aEf6683db6B902084cB0FFECe40Da"
    },
    {
      name: "aerodrome-slipstream",
      family: "slipstream",
      router: "0xBE6D8f0d05cC4be24d5167a3eF062215bE6D18a5",
      quoter: "0x254cF9E1E6e233aa1AC962CB9B05b2cfeAaE15b0"
    },
    uniswapV2("0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24"),
    uniswapV4({
      router: "0x0416627c2316Df6fce444a50BaF6c734039847a7",
      poolManager: "0x498581fF718922c3f8e6A244956aF099B2652b2b",
      quoter: "0x0d5e0F971ED27FBfF6c2837bf31316121532048D"
    }),
    sushiswapV2("0x6BDED42c6DA8FBf0d2bA55B2fa120C5e0c8D7891"),
    sushiswapV3("0xFB7eF66a7e61224DD6FcD0D7d9C3be5C8B049b9f", "0xb1E835Dc2785b52265711e17fCCb0fd018226a6e"),
    pancakeswapV2("0x8cFe327CEc66d1C090Dd72bd0FF11d690C33a2Eb"),
    pancakeswapV3("0x678Aa4bF4E210cf2166753e054d5b7c31cc7fa86")
  ],
  spokePool: "0x09aea4b2242abC8bb4BB78D537A67a245A7bEC64",
  ...SHARED_CONTRACTS,
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
