/**
 * Facts of the deployment that the review of the page rests on, in place of what the orchestrator says of itself: delegates, routers and the
 * bridge, and the EIP-712 domain name of orders. They come with the page, from its own origin. Public facts that the page ships take precedence over them.
 */
import type { PublicChain } from "../../api/builder/DeploymentApi.ts"
import { swapOnArrival } from "../../sdk/arrivals.ts"
import type { KnownBridge, ReviewOptions, SwapReader } from "../../sdk/index.ts"
import { KNOWN_BRIDGES } from "../../sdk/review/KnownBridges.ts"
import {
  readSlipstreamCall,
  readSolidlyCall,
  readSwapRouter02,
  readUniswapV2Call,
  readUniswapV3Call,
  readUniswapV4Call,
  VENUE_ROUTERS
} from "../../sdk/venues.ts"
import { MAX_BRIDGE_FEE_BPS } from "./widgetReview.ts"

type Family = PublicChain["routers"][number]["family"]

/** Some routers of the family `uniswap-v3` take a deadline in each swap, and others do not. */
const READERS: Readonly<Record<Family, SwapReader>> = {
  "uniswap-v2": readUniswapV2Call,
  "uniswap-v3": (target, calldata) => readSwapRouter02(target, calldata) ?? readUniswapV3Call(target, calldata),
  "uniswap-v4": readUniswapV4Call,
  solidly: readSolidlyCall,
  slipstream: readSlipstreamCall
}

/** Facts about the bridge on a chain, as the deployment states them. */
const statedBridge = ({ bridge, tokens, wrappedNative }: PublicChain): KnownBridge => {
  const { assets, spokePool, spokePoolPeriphery } = bridge
  const decimals = Object.entries(assets).flatMap(([name, address]) => {
    const token = tokens.find((each) => each.address === address)
    return token === undefined ? [] : [[name, token.decimals] as const]
  })
  return {
    wrappedNative,
    tokens: assets,
    decimals: Object.fromEntries(decimals),
    ...(spokePool === undefined ? {} : { spokePool }),
    ...(spokePoolPeriphery === undefined ? {} : { periphery: spokePoolPeriphery })
  }
}

/** The shipped facts about the bridge on a chain, and those of the deployment where there are none. */
const bridgeOf = (chain: PublicChain): KnownBridge => {
  const stated = statedBridge(chain)
  const shipped = KNOWN_BRIDGES[chain.id]
  return {
    ...stated,
    ...shipped,
    tokens: { ...stated.tokens, ...shipped?.tokens },
    decimals: { ...stated.decimals, ...shipped?.decimals }
  }
}

/** The facts of a bridge with their names. */
const factsOf = ({ decimals = {}, periphery, spokePool, tokens = {}, wrappedNative }: KnownBridge) => [
  ["the SpokePool", spokePool],
  ["the SpokePoolPeriphery", periphery],
  ["the wrapped native currency", wrappedNative],
  ...Object.entries(tokens),
  ...Object.entries(decimals).map(([name, count]) => [`the number of decimals of ${name}`, String(count)])
]

/** Facts of a deployment that contradict those that the page ships, as sentences. Orders are reviewed against the shipped ones. */
export const contradictionsOf = (chains: ReadonlyArray<PublicChain>): ReadonlyArray<string> =>
  chains.flatMap((chain) => {
    const shipped = new Map(factsOf(KNOWN_BRIDGES[chain.id] ?? {}).map(([name, fact]) => [name, fact]))
    return factsOf(statedBridge(chain)).flatMap(([name, stated]) => {
      const known = shipped.get(name)
      return stated === undefined || known === undefined || stated.toLowerCase() === known.toLowerCase()
        ? []
        : [`On ${chain.name}, ${name} is ${known}. The deployment states ${stated}.`]
    })
  })

/** The shipped reader of a router's calls, or else that of the family which the deployment states. */
const readerOf = (chainId: number, { address, family }: PublicChain["routers"][number]): SwapReader =>
  Object.entries(VENUE_ROUTERS[chainId] ?? {}).find(([known]) => known.toLowerCase() === address.toLowerCase())?.[1] ??
  READERS[family]

/** `domainName` is the EIP-712 domain name of orders. Undefined for the default, if the deployment states none. */
export const reviewOf = (
  chains: ReadonlyArray<PublicChain>,
  domainName?: string
): Pick<ReviewOptions, "arrivals" | "bridges" | "delegates" | "domainName" | "routers"> => {
  const by = <A>(of: (chain: PublicChain) => A) =>
    Object.fromEntries(chains.map((chain) => [chain.id, of(chain)] as const))
  const handlers = chains.flatMap(({ bridge: { multicallHandler }, id }) =>
    multicallHandler === undefined ? [] : [[id, multicallHandler] as const]
  )
  const swapRouters = chains.flatMap(({ id, routers }) => {
    const first = routers.find(({ family }) => family === "uniswap-v3")
    return first === undefined ? [] : [[id, first.address] as const]
  })
  return {
    ...(domainName === undefined ? {} : { domainName }),
    delegates: by(({ delegate }) => delegate),
    bridges: by(bridgeOf),
    routers: by(({ id, routers }) => Object.fromEntries(routers.map((each) => [each.address, readerOf(id, each)]))),
    arrivals: swapOnArrival({
      maxBridgeFeeBps: MAX_BRIDGE_FEE_BPS,
      handlers: Object.fromEntries(handlers),
      routers: Object.fromEntries(swapRouters)
    })
  }
}
