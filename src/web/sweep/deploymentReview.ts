/**
 * Facts of the deployment that the review of the page rests on, in place of what the orchestrator says of itself: delegates, routers and the
 * bridge. They come with the page, from its own origin.
 */
import type { PublicChain } from "../../api/builder/DeploymentApi.ts"
import { swapOnArrival } from "../../sdk/arrivals.ts"
import type { KnownBridge, ReviewOptions, SwapReader } from "../../sdk/index.ts"
import {
  readSlipstreamCall,
  readSolidlyCall,
  readSwapRouter02,
  readUniswapV2Call,
  readUniswapV3Call,
  readUniswapV4Call
} from "../../sdk/venues.ts"

type Family = PublicChain["routers"][number]["family"]

/** Some routers of the family `uniswap-v3` take a deadline in each swap, and others do not. */
const READERS: Readonly<Record<Family, SwapReader>> = {
  "uniswap-v2": readUniswapV2Call,
  "uniswap-v3": (target, calldata) => readSwapRouter02(target, calldata) ?? readUniswapV3Call(target, calldata),
  "uniswap-v4": readUniswapV4Call,
  solidly: readSolidlyCall,
  slipstream: readSlipstreamCall
}

const bridgeOf = ({ bridge, tokens, wrappedNative }: PublicChain): KnownBridge => {
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

/** Upper limit of the fee of a swap on arrival. The owner sees the fees before signing. */
const ALL_BPS = 10_000

export const reviewOf = (
  chains: ReadonlyArray<PublicChain>
): Pick<ReviewOptions, "arrivals" | "bridges" | "delegates" | "routers"> => {
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
    delegates: by(({ delegate }) => delegate),
    bridges: by(bridgeOf),
    routers: by(({ routers }) => Object.fromEntries(routers.map(({ address, family }) => [address, READERS[family]]))),
    arrivals: swapOnArrival({
      maxBridgeFeeBps: ALL_BPS,
      handlers: Object.fromEntries(handlers),
      routers: Object.fromEntries(swapRouters)
    })
  }
}
