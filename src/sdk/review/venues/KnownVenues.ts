/** Routers of exchanges on public chains, from their documentation, each with the reader of its calls. */
import { type Routers, readSwapRouter02, type SwapReader } from "../SwapCall.ts"
import { readKyberSwapCall } from "./KyberSwap.ts"
import { readLiFiCall } from "./LiFi.ts"
import { readSlipstreamCall } from "./Slipstream.ts"
import { readSolidlyCall } from "./Solidly.ts"
import { readUniswapV2Call } from "./UniswapV2.ts"
import { readUniswapV3Call } from "./UniswapV3.ts"
import { readUniswapV4Call } from "./UniswapV4.ts"
import { readZeroExCall } from "./ZeroEx.ts"

/** Routers of exchanges by chain id: Ethereum, OP Mainnet, BNB Chain, Polygon, Base and Arbitrum. Their calls are read in full. */
export const VENUE_ROUTERS: Readonly<Record<number, Routers>> = {
  1: {
    // Uniswap
    "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45": readSwapRouter02,
    "0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D": readUniswapV2Call,
    "0x51aeeaEdA19F2907247Bdc07175dCdb70960D36e": readUniswapV4Call,
    // SushiSwap
    "0xd9e1cE17f2641f24aE83637ab66a2cca9C378B9F": readUniswapV2Call,
    "0x2E6cd2d30aa43f40aa81619ff4b6E0a41479B13F": readUniswapV3Call,
    // PancakeSwap
    "0xEfF92A263d31888d860bD50809A8D171709b7b1c": readUniswapV2Call,
    "0x13f4EA83D0bd40E75C8222255bc855a974568Dd4": readSwapRouter02
  },
  10: {
    // Uniswap
    "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45": readSwapRouter02,
    "0x4A7b5Da61326A6379179b40d00F57E5bbDC962c2": readUniswapV2Call,
    "0xa6911c5170A0A3B74321fE86A323dFed9241e575": readUniswapV4Call,
    // SushiSwap
    "0x2ABf469074dc0b54d793850807E6eb5Faf2625b1": readUniswapV2Call,
    "0x8c32Fd078B89Eccb06B40289A539D84A4aA9FDA6": readUniswapV3Call,
    // Velodrome
    "0xa062aE8A9c5e11aaA026fc2670B0D65cCc8B2858": readSolidlyCall,
    "0x0792a633F0c19c351081CF4B211F68F79bCc9676": readSlipstreamCall
  },
  56: {
    // Uniswap
    "0xB971eF87ede563556b2ED4b1C0b0019111Dd85d2": readSwapRouter02,
    "0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24": readUniswapV2Call,
    "0xf0B409b06353652f9177983E56B6b793c2bEbe72": readUniswapV4Call,
    // SushiSwap
    "0x1b02dA8Cb0d097eB8D57A175b88c7D8b47997506": readUniswapV2Call,
    // PancakeSwap
    "0x10ED43C718714eb63d5aA57B78B54704E256024E": readUniswapV2Call,
    "0x13f4EA83D0bd40E75C8222255bc855a974568Dd4": readSwapRouter02
  },
  137: {
    // Uniswap
    "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45": readSwapRouter02,
    "0xedf6066a2b290C185783862C7F4776A2C8077AD1": readUniswapV2Call,
    "0xEae04885a86e97C5E7731915AAF39822DCD832c8": readUniswapV4Call,
    // SushiSwap
    "0x1b02dA8Cb0d097eB8D57A175b88c7D8b47997506": readUniswapV2Call,
    "0x0aF89E1620b96170e2a9D0b68fEebb767eD044c3": readUniswapV3Call
  },
  8453: {
    // Uniswap
    "0x2626664c2603336E57B271c5C0b26F421741e481": readSwapRouter02,
    "0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24": readUniswapV2Call,
    "0x0416627c2316Df6fce444a50BaF6c734039847a7": readUniswapV4Call,
    // SushiSwap
    "0x6BDED42c6DA8FBf0d2bA55B2fa120C5e0c8D7891": readUniswapV2Call,
    "0xFB7eF66a7e61224DD6FcD0D7d9C3be5C8B049b9f": readUniswapV3Call,
    // PancakeSwap
    "0x8cFe327CEc66d1C090Dd72bd0FF11d690C33a2Eb": readUniswapV2Call,
    "0x678Aa4bF4E210cf2166753e054d5b7c31cc7fa86": readSwapRouter02,
    // Aerodrome
    "0xcF77a3Ba9A5CA399B7c97c74d54e5b1Beb874E43": readSolidlyCall,
    "0xBE6D8f0d05cC4be24d5167a3eF062215bE6D18a5": readSlipstreamCall
  },
  42161: {
    // Uniswap
    "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45": readSwapRouter02,
    "0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24": readUniswapV2Call,
    "0xed17c1EEe917019ff2f70FDf79A8d4D07ADbc2bE": readUniswapV4Call,
    // SushiSwap
    "0x1b02dA8Cb0d097eB8D57A175b88c7D8b47997506": readUniswapV2Call,
    "0x8A21F6768C1f8075791D08546Dadf6daA0bE820c": readUniswapV3Call,
    // PancakeSwap
    "0x8cFe327CEc66d1C090Dd72bd0FF11d690C33a2Eb": readUniswapV2Call,
    "0x32226588378236Fd0c7c4053999F88aC0e5cAc77": readSwapRouter02
  }
}

/** One address each on all of these chains. */
const AGGREGATORS: Routers = {
  "0x0000000000001fF3684f28c67538d4D072C22734": readZeroExCall,
  "0x6131B5fae19EA4f9D964eAc0408E4408b66337b5": readKyberSwapCall,
  "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE": readLiFiCall
}

/** The contracts of 0x, KyberSwap and LI.FI by chain id. Their calls are read in part: the review adds a warning. */
export const AGGREGATOR_ROUTERS: Readonly<Record<number, Routers>> = {
  1: AGGREGATORS,
  10: AGGREGATORS,
  56: AGGREGATORS,
  137: AGGREGATORS,
  8453: AGGREGATORS,
  42161: AGGREGATORS
}

/**
 * Returns the routers of the public chains for `review.routers`.
 *
 * @param trustAggregators - also those of 0x, KyberSwap and LI.FI. Default: false
 * @example
 * const client = createSweepClient({ orchestratorUrl, review: { routers: venueRouters({ trustAggregators: true }) } })
 */
export const venueRouters = ({
  trustAggregators = false
}: {
  readonly trustAggregators?: boolean
} = {}): Readonly<Record<number, Routers>> =>
  trustAggregators
    ? Object.fromEntries(
        Object.entries(VENUE_ROUTERS).map(([id, routers]) => [id, { ...routers, ...AGGREGATOR_ROUTERS[Number(id)] }])
      )
    : VENUE_ROUTERS

const FAMILIES: ReadonlyArray<SwapReader> = [
  readSwapRouter02,
  readUniswapV2Call,
  readUniswapV3Call,
  readSolidlyCall,
  readSlipstreamCall,
  readUniswapV4Call
]

/** Reads a call of any exchange's router, for routers whose kind is not known: `review.unlistedRouter`. Aggregators are not among them. */
export const readVenueCall: SwapReader = (target, calldata) => {
  for (const read of FAMILIES) {
    const call = read(target, calldata)
    if (call !== undefined) return call
  }
  return undefined
}
