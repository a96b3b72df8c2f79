/**
 * Public facts about chains that operators need not repeat: canonical tokens, Uniswap v3, Across and the sanctions oracle.
 * Each comes from the protocol's own deployment documentation, and each can be overridden in the chains file. The bounds of fees
 * are several times what the chain's busiest days cost, so that a node that lies about fees cannot empty a lane.
 */
import type { Chain } from "../../../domain/Chain.ts"
import type { ChainId } from "../../../domain/ChainId.ts"

/** Facts that no operator decides, and optionally a public WebSocket endpoint for new heads. HTTP endpoints are the operator's. */
type Known = Omit<
  typeof Chain.Encoded,
  "id" | "feeRecipient" | "builderVault" | "permit2" | "multicall3" | "contracts"
> & { readonly wsUrl?: string }

const ORACLE = "0x40C57923924B5c5c5455c48D93317139ADDaC8fb"
const OP_STACK_WETH = "0x4200000000000000000000000000000000000006"
const SWAP_ROUTER_02 = "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45"
const QUOTER_V2 = "0x61fFE014bA17989E743c5F6cB21bF9697530B21e"
/** One address on all of these chains (`broadcast/deployed-addresses.json` of `@across-protocol/contracts`). */
const SPOKE_POOL_PERIPHERY = "0x97CCDBea4632140639aD5eA9b944aa034eb15fD4"

const token = (chainId: ChainId, address: string, symbol: string, name: string, decimals: number) => ({
  chainId,
  address,
  symbol,
  name,
  decimals
})

/** Wei as they are written in the chains file. */
const gwei = (amount: number): string => (BigInt(amount) * 10n ** 9n).toString()

const usdc = (chainId: ChainId, address: string) => token(chainId, address, "USDC", "USD Coin", 6)
const weth = (chainId: ChainId, address: string) => token(chainId, address, "WETH", "Wrapped Ether", 18)

export const KNOWN_CHAINS: Readonly<Record<ChainId, Known>> = {
  1: {
    name: "ethereum",
    nativeSymbol: "ETH",
    wrappedNative: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
    stables: ["0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"],
    swapRouter: SWAP_ROUTER_02,
    quoter: QUOTER_V2,
    spokePool: "0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5",
    spokePoolPeriphery: SPOKE_POOL_PERIPHERY,
    sanctionsOracle: ORACLE,
    confirmations: 3,
    blockTimeMillis: 12_000,
    maxFeePerGasWei: gwei(1_000),
    maxPriorityFeePerGasWei: gwei(100),
    explorerUrl: "https://etherscan.io",
    tokens: [
      usdc(1, "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"),
      weth(1, "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2")
    ]
  },
  10: {
    name: "optimism",
    nativeSymbol: "ETH",
    wrappedNative: OP_STACK_WETH,
    stables: ["0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85"],
    swapRouter: SWAP_ROUTER_02,
    quoter: QUOTER_V2,
    spokePool: "0x6f26Bf09B1C792e3228e5467807a900A503c0281",
    spokePoolPeriphery: SPOKE_POOL_PERIPHERY,
    sanctionsOracle: ORACLE,
    confirmations: 5,
    blockTimeMillis: 2_000,
    dataFee: "op-stack",
    maxFeePerGasWei: gwei(100),
    maxPriorityFeePerGasWei: gwei(10),
    explorerUrl: "https://optimistic.etherscan.io",
    tokens: [usdc(10, "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85"), weth(10, OP_STACK_WETH)]
  },
  137: {
    name: "polygon",
    nativeSymbol: "POL",
    wrappedNative: "0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270",
    stables: ["0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"],
    swapRouter: SWAP_ROUTER_02,
    quoter: QUOTER_V2,
    spokePool: "0x9295ee1d8C5b022Be115A2AD3c30C72E34e7F096",
    spokePoolPeriphery: SPOKE_POOL_PERIPHERY,
    sanctionsOracle: ORACLE,
    confirmations: 16,
    blockTimeMillis: 2_000,
    // Bor takes no lower tip.
    minPriorityFeePerGasWei: gwei(25),
    maxFeePerGasWei: gwei(20_000),
    maxPriorityFeePerGasWei: gwei(5_000),
    explorerUrl: "https://polygonscan.com",
    tokens: [usdc(137, "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359")]
  },
  8453: {
    name: "base",
    nativeSymbol: "ETH",
    wrappedNative: OP_STACK_WETH,
    stables: ["0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"],
    swapRouter: "0x2626664c2603336E57B271c5C0b26F421741e481",
    quoter: "0x3d4e44Eb1374240CE5F1B871ab261CD16335B76a",
    spokePool: "0x09aea4b2242abC8bb4BB78D537A67a245A7bEC64",
    spokePoolPeriphery: SPOKE_POOL_PERIPHERY,
    sanctionsOracle: "0x3A91A31cB3dC49b4db9Ce721F50a9D076c8D739B",
    confirmations: 5,
    blockTimeMillis: 2_000,
    dataFee: "op-stack",
    maxFeePerGasWei: gwei(100),
    maxPriorityFeePerGasWei: gwei(10),
    explorerUrl: "https://basescan.org",
    tokens: [usdc(8453, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"), weth(8453, OP_STACK_WETH)]
  },
  42161: {
    name: "arbitrum",
    nativeSymbol: "ETH",
    wrappedNative: "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1",
    stables: ["0xaf88d065e77c8cC2239327C5EDb3A432268e5831"],
    swapRouter: SWAP_ROUTER_02,
    quoter: QUOTER_V2,
    spokePool: "0xe35e9842fceaCA96570B734083f4a58e8F7C5f2A",
    spokePoolPeriphery: SPOKE_POOL_PERIPHERY,
    sanctionsOracle: ORACLE,
    confirmations: 20,
    blockTimeMillis: 250,
    dataFee: "arbitrum",
    maxFeePerGasWei: gwei(100),
    maxPriorityFeePerGasWei: gwei(10),
    explorerUrl: "https://arbiscan.io",
    tokens: [
      usdc(42161, "0xaf88d065e77c8cC2239327C5EDb3A432268e5831"),
      weth(42161, "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1")
    ]
  }
}
