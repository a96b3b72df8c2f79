/** Routes an order: a swap on one chain, a bridge across two. A bridge's calldata is checked before it is offered. */
import { Effect } from "effect"
import type { ArrivalFacts } from "../../domain/ArrivalFacts.ts"
import type * as Address from "../../domain/Address.ts"
import * as BridgeChoice from "../../domain/BridgeChoice.ts"
import * as Chain from "../../domain/Chain.ts"
import type { Hex } from "../../domain/Hex.ts"
import type { QuoteRequest } from "../../domain/Quote.ts"
import { Bridge, type BridgeRoute } from "../../ports/orchestrator/Bridge.ts"
import { type ChainClient, Chains, type UnsupportedChain } from "../../ports/shared/Chains.ts"
import { type NoRoute, type RoutingUnavailable, type SwapRoute, SwapVenue } from "../../ports/orchestrator/SwapVenue.ts"
import { QuoteFailed } from "./QuoteFailed.ts"
import * as Tolerance from "./Tolerance.ts"

export interface Route {
  readonly provider: string
  readonly target: Address.Address
  readonly calldata: Hex
  readonly estimatedAmountOut: bigint
  /** Least amount that the destination receives, in the token's smallest unit. */
  readonly guaranteedAmountOut: bigint
  /** Expected seconds between a deposit and its fill. 0 on one chain. */
  readonly bridgeSeconds: number
  /** Facts about the arrival across chains that the owner should know. */
  readonly arrival?: ArrivalFacts
  /** Tolerance of `guaranteedAmountOut`, in basis points of the estimate. */
  readonly slippageBps: number
  /** Balances and allowances, beside those of the owner, that the call leaves empty as it found them. */
  readonly passing: number
  /** Expected gas of the call alone. Default: 0. */
  readonly gas?: bigint
  /** Makes the same call for another expected output. Absent: the call is fixed. */
  readonly expecting?: (estimatedAmountOut: bigint) => Route
  /** True if the call sells what arrives at the venue, so that it takes tokens with a fee on transfer. */
  readonly sellsWhatArrives: boolean
  /** Routes for the same amount, best first, for when this one fails. Default: none. */
  readonly alternatives?: ReadonlyArray<Route>
}

/**
 * Makes the route of an amount, in the smallest unit of the input. `withoutServices`: on one chain, one that only tells what the swap costs about, without
 * a request to a service. Default: false.
 */
export type RouteOf = (
  swapAmount: bigint,
  withoutServices?: boolean
) => Effect.Effect<Route, QuoteFailed | NoRoute | RoutingUnavailable>

/**
 * Makes `prepare(client, request, deadline)`, which reads the chains for routes of amounts up to the request's, and returns the
 * function that makes them: the fees decide the amount.
 */
export const make = Effect.gen(function* () {
  const bridge = yield* Bridge
  const chains = yield* Chains
  const toleranceOf = yield* Tolerance.make
  const venue = yield* SwapVenue

  const onOneChain = Effect.fnUntraced(function* ({ chain }: ChainClient, request: QuoteRequest, deadline: bigint) {
    const routeOf = yield* venue.prepare({
      chainId: chain.id,
      tokenIn: Chain.erc20(chain, request.tokenIn),
      tokenOut: request.tokenOut,
      amountIn: request.amountIn,
      // The delegate holds the sum to the order's minimum.
      divisible: true
    })
    // At the first route, when prices are read, and then the same for each.
    const toleranceOnce = yield* Effect.cached(toleranceOf(chain, request))
    return Effect.fnUntraced(function* (amountIn: bigint, withoutServices = false) {
      const { owner: sender, destination: recipient } = request
      const tolerance = yield* toleranceOnce
      // Services fix the minimum before anything is measured.
      const slippageBps = tolerance()
      const terms = { amountIn, sender, recipient, slippageBps, deadline, withoutServices }
      const { alternatives = [], ...best } = yield* routeOf(terms)
      const tolerated = (route: SwapRoute) => toleratedBy(tolerance, route, slippageBps)
      return { ...tolerated(best), alternatives: alternatives.map(tolerated) } satisfies Route
    })
  })

  const acrossChains = Effect.fnUntraced(function* ({ chain }: ChainClient, request: QuoteRequest, deadline: bigint) {
    const slippageBps = (yield* toleranceOf(chain, request))()
    const { chain: destination } = yield* chains.get(request.destChainId)
    const tokenIn = Chain.erc20(chain, request.tokenIn)
    const routeOf = yield* bridge.prepare({
      sourceChainId: chain.id,
      destChainId: request.destChainId,
      tokenIn,
      tokenOut: request.tokenOut,
      amountIn: request.amountIn,
      depositor: request.owner,
      recipient: request.destination,
      slippageBps,
      deadline
    })
    /** The owner signs the calldata without reading it, so a deposit for anybody else must never be offered. */
    const isWanted = Effect.fnUntraced(function* (amountIn: bigint, route: BridgeRoute) {
      const deposit = yield* bridge.decode(chain.id, route.target, route.calldata)
      const wanted = {
        tokenIn,
        amountIn,
        tokenOut: Chain.erc20(destination, request.tokenOut),
        minAmountOut: route.minAmountOut,
        destChainId: BigInt(request.destChainId),
        depositor: request.owner,
        recipient: request.destination
      }
      return BridgeChoice.differences(wanted, deposit).length === 0
    })
    const bridged = (route: BridgeRoute): Route => ({
      ...made(route, route.estimatedSeconds, slippageBps),
      ...(route.arrival === undefined ? {} : { arrival: route.arrival })
    })
    return Effect.fnUntraced(function* (amountIn: bigint) {
      const route = yield* routeOf(amountIn)
      if (!(yield* isWanted(amountIn, route))) {
        return yield* new QuoteFailed({
          reason: "no_route",
          detail: `${route.provider} returned a deposit that does not match the request`
        })
      }
      const others = yield* Effect.filter(route.alternatives ?? [], (next) =>
        Effect.orElseSucceed(isWanted(amountIn, next), () => false)
      )
      return { ...bridged(route), alternatives: others.map(bridged) } satisfies Route
    })
  })

  return Effect.fn("Quoter.prepareRoute")(function* (
    client: ChainClient,
    request: QuoteRequest,
    deadline: bigint
  ): Effect.fn.Return<RouteOf, UnsupportedChain> {
    return yield* request.destChainId === client.chain.id
      ? onOneChain(client, request, deadline)
      : acrossChains(client, request, deadline)
  })
})

/** The route of a swap with the tolerance that its price impact asks for. `asked`: the one that the venue was asked with. */
const toleratedBy = (tolerance: (impactBps?: number) => number, route: SwapRoute, asked: number): Route => {
  const { amountOut, impactBps, provider, remade } = route
  const slippageBps = tolerance(impactBps)
  return remade === undefined || slippageBps === asked
    ? made(route, 0, asked)
    : made({ ...remade({ amountOut, slippageBps }), provider }, 0, slippageBps)
}

const made = (route: SwapRoute, bridgeSeconds: number, slippageBps: number): Route => {
  const { amountOut, minAmountOut, passing, provider, remade, sellsWhatArrives = false, target } = route
  return {
    provider,
    target,
    calldata: route.calldata,
    estimatedAmountOut: amountOut,
    guaranteedAmountOut: minAmountOut,
    bridgeSeconds,
    slippageBps,
    passing,
    gas: route.gas,
    sellsWhatArrives,
    ...(remade === undefined
      ? {}
      : {
          expecting: (expected: bigint) =>
            made({ ...remade({ amountOut: expected, slippageBps }), provider }, bridgeSeconds, slippageBps)
        })
  }
}
