/** Routes an order: a swap on one chain, a bridge across two. A bridge's calldata is checked before it is offered. */
import { Effect } from "effect"
import type { ArrivalFacts } from "../../domain/ArrivalFacts.ts"
import type * as Address from "../../domain/Address.ts"
import * as BridgeChoice from "../../domain/BridgeChoice.ts"
import * as Chain from "../../domain/Chain.ts"
import type { Hex } from "../../domain/Hex.ts"
import type { QuoteRequest } from "../../domain/Quote.ts"
import { Bridge } from "../../ports/orchestrator/Bridge.ts"
import { type ChainClient, Chains, type UnsupportedChain } from "../../ports/shared/Chains.ts"
import { type NoRoute, type RoutingUnavailable, type SwapRoute, SwapVenue } from "../../ports/orchestrator/SwapVenue.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { QuoteFailed } from "./QuoteFailed.ts"

export interface Route {
  readonly provider: string
  readonly target: Address.Address
  readonly calldata: Hex
  readonly estimatedAmountOut: bigint
  /** Least amount that the destination receives, in the token's smallest unit. */
  readonly guaranteedAmountOut: bigint
  readonly estimatedSeconds: number
  /** Facts about the arrival across chains that the owner should know. */
  readonly arrival?: ArrivalFacts
  /** Balances and allowances, beside those of the owner, that the call leaves empty as it found them. */
  readonly passing: number
  /** Routes for the same amount, best first, for when this one fails. Default: none. */
  readonly alternatives?: ReadonlyArray<Route>
}

/** Makes the route of an amount, in the smallest unit of the input. */
export type RouteOf = (swapAmount: bigint) => Effect.Effect<Route, QuoteFailed | NoRoute | RoutingUnavailable>

/**
 * Makes `prepare(client, request, deadline)`, which reads the chains for routes of amounts up to the request's, and returns the
 * function that makes them: the fees decide the amount.
 */
export const make = Effect.gen(function* () {
  const bridge = yield* Bridge
  const chains = yield* Chains
  const settings = yield* OrchestratorSettings
  const venue = yield* SwapVenue

  const onOneChain = Effect.fnUntraced(function* ({ chain }: ChainClient, request: QuoteRequest, deadline: bigint) {
    const { slippageBps = settings.slippageBps } = request
    const routeOf = yield* venue.prepare({
      chainId: chain.id,
      tokenIn: Chain.erc20(chain, request.tokenIn),
      tokenOut: request.tokenOut,
      amountIn: request.amountIn
    })
    return Effect.fnUntraced(function* (amountIn: bigint) {
      const { owner: sender, destination: recipient } = request
      const { alternatives = [], ...best } = yield* routeOf({ amountIn, sender, recipient, slippageBps, deadline })
      const seconds = settleSeconds(chain)
      return { ...made(best, seconds), alternatives: alternatives.map((next) => made(next, seconds)) } satisfies Route
    })
  })

  const acrossChains = Effect.fnUntraced(function* ({ chain }: ChainClient, request: QuoteRequest, deadline: bigint) {
    const { slippageBps = settings.slippageBps } = request
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
    return Effect.fnUntraced(function* (amountIn: bigint) {
      const route = yield* routeOf(amountIn)
      // The owner signs the calldata without reading it, so a deposit for anybody else must never be offered.
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
      if (BridgeChoice.differences(wanted, deposit).length > 0) {
        return yield* new QuoteFailed({
          reason: "no_route",
          detail: `${route.provider} returned a deposit that does not match the request`
        })
      }
      const { arrival } = route
      return {
        ...made(route, settleSeconds(chain) + route.estimatedSeconds),
        ...(arrival === undefined ? {} : { arrival })
      } satisfies Route
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

const made = (route: SwapRoute, estimatedSeconds: number): Route => ({
  provider: route.provider,
  target: route.target,
  calldata: route.calldata,
  estimatedAmountOut: route.amountOut,
  guaranteedAmountOut: route.minAmountOut,
  estimatedSeconds,
  passing: route.passing
})

const settleSeconds = ({ blockTimeMillis, confirmations }: Chain.Chain): number =>
  Math.ceil((confirmations * blockTimeMillis) / 1000)
