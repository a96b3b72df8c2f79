/** Constants of the generated module that differ between deployments. */
import { KNOWN_HANDLERS } from "../../sdk/arrivals.ts"
import { KNOWN_BRIDGES } from "../../sdk/index.ts"
import {
  readSlipstreamCall,
  readSolidlyCall,
  readSwapRouter02,
  readUniswapV2Call,
  readUniswapV3Call,
  readUniswapV4Call,
  type SwapReader,
  VENUE_ROUTERS
} from "../../sdk/venues.ts"
import { literal, optionalLiteral } from "./Literal.ts"

export interface SnippetOptions {
  readonly orchestratorUrl: string
  /** API key of the builder to whom sweeps are attributed. */
  readonly builderApiKey: string | undefined
  /** Router of the retained allowance path. The code refuses to delegate an account to it. */
  readonly sweepRouter: string | undefined
  /** EIP-712 domain name of the deployment. */
  readonly domainName: string
  readonly sourceChainId: number
}

const bridges = Object.entries(KNOWN_BRIDGES)
  .map(([id, { decimals, periphery, spokePool, tokens, wrappedNative }]) => {
    const named = Object.entries(tokens).map(([name, address]) => {
      return `      ${name}: { address: ${literal(address)}, decimals: ${decimals[name]} }`
    })
    return `\
  ${id}: {
    spokePool: ${literal(spokePool)},
    periphery: ${literal(periphery)},
    wrappedNative: ${literal(wrappedNative)},
    tokens: {
${named.join(",\n")}
    }
  }`
  })
  .join(",\n")

/** Name of each reader's routers in the module. */
const KINDS = new Map<SwapReader, string>([
  [readSwapRouter02, "router02"],
  [readUniswapV2Call, "pairs"],
  [readSolidlyCall, "solidly"],
  [readUniswapV3Call, "fees"],
  [readSlipstreamCall, "ticks"],
  [readUniswapV4Call, "pools"]
])

const routers = Object.entries(VENUE_ROUTERS)
  .map(([id, readers]) => {
    const kinds = Object.entries(readers).flatMap(([address, read]) => {
      const kind = KINDS.get(read)
      return kind === undefined ? [] : [`    ${literal(address)}: ${literal(kind)}`]
    })
    return `  ${id}: {\n${kinds.join(",\n")}\n  }`
  })
  .join(",\n")

const handlers = Object.entries(KNOWN_HANDLERS)
  .map(([id, handler]) => `  ${id}: ${literal(handler)}`)
  .join(",\n")

export const configuration = ({
  builderApiKey,
  domainName,
  orchestratorUrl,
  sourceChainId,
  sweepRouter
}: SnippetOptions): string => `\
const ORCHESTRATOR_URL = ${literal(orchestratorUrl.replace(/\/+$/, ""))}
/** Chain on which sweeps start. */
const SOURCE_CHAIN_ID = ${sourceChainId}
/** Delegate of that chain, as the service's operator publishes it. The account will run it: never take it from a response. */
const DELEGATE: Hex | undefined = undefined
/** Delegates of further chains, by chain id, for sweeps of tokens on several chains. The operator publishes them too. */
const MORE_DELEGATES: Partial<Record<number, Hex>> = {}
/** EIP-712 domain name of the delegates. */
const DOMAIN_NAME = ${literal(domainName)}
/** API key of the builder to whom sweeps are attributed. */
const BUILDER_API_KEY: string | undefined = ${optionalLiteral(builderApiKey)}
/** Router of the older allowance path, which is not used. It is refused as a delegate. */
const SWEEP_ROUTER: Hex | undefined = ${optionalLiteral(sweepRouter)}
/** Upper limit of all fees, in basis points of the amount. */
const MAX_FEE_BPS = 500n
/** Upper limit of the difference between the expected and the least amount, in basis points of the expected one. */
const MAX_SLIPPAGE_BPS = 100n
/** Upper limit of what the bridge keeps before a swap on arrival, in basis points. */
const MAX_BRIDGE_FEE_BPS = 500n
/** Upper limit of the time until an order's deadline. */
const MAX_LIFETIME_SECONDS = 3600

interface Bridge {
  /** SpokePool of Across, which takes deposits. */
  spokePool: Hex
  /** SpokePoolPeriphery, which swaps before a deposit. */
  periphery: Hex
  /** Token that the bridge delivers as native currency. */
  wrappedNative: Hex
  /** Bridged tokens. The same name on two chains is the same asset. */
  tokens: Record<string, { address: Hex; decimals: number }>
}

/**
 * Kinds of routers. router02: Uniswap's SwapRouter02 and PancakeSwap v3. pairs: Uniswap v2, SushiSwap v2 and PancakeSwap v2.
 * fees: SushiSwap v3. solidly and ticks: basic and concentrated pools of Aerodrome and Velodrome. pools: this service's router for Uniswap v4.
 */
type RouterKind = "router02" | "pairs" | "solidly" | "fees" | "ticks" | "pools"

/** Routers by chain id. Swaps by other ones, and on other chains, are refused: add yours. */
const ROUTERS: Partial<Record<number, Record<Hex, RouterKind>>> = {
${routers}
}

/** Facts about the bridge by chain id. Sweeps from other chains to another one are refused: add yours. */
const BRIDGES: Partial<Record<number, Bridge>> = {
${bridges}
}

/** Contracts of Across that swap on arrival, by chain id. */
const HANDLERS: Partial<Record<number, Hex>> = {
${handlers}
}
`
