/** Routes an order: a swap on one chain, a bridge across two. A bridge's calldata is checked before it is offered. */
import { Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { Hex } from "../../domain/Hex.ts"
import type { QuoteRequest } from "../../domain/Quote.ts"
import { Bridge } from "../../ports/orchestrator/Bridge.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import { SwapVenue } from "../../ports/orchestrator/SwapVenue.ts"
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
  /** Balances and allowances, beside those of the owner, that the call leaves empty as it found them. */
  readonly passing: number
}

/** Makes `routeOn(client, request, swapAmount, deadline)`. */
export const make = Effect.gen(function* () {
  const bridge = yield* Bridge
  const chains = yield* Chains
  const settings = yield* OrchestratorSettings
  const venue = yield* SwapVenue

  return Effect.fn("Quoter.route")(function* (
    client: ChainClient,
    request: QuoteRequest,
    swapAmount: bigint,
    deadline: bigint
  ) {
    const { chain } = client
    const tokenIn = Chain.erc20(chain, request.tokenIn)
    const settleSeconds = Math.ceil((chain.confirmations * chain.blockTimeMillis) / 1000)
    if (request.destChainId === chain.id) {
      const route = yield* venue.route({
        chainId: chain.id,
        tokenIn,
        tokenOut: request.tokenOut,
        amountIn: swapAmount,
        sender: request.owner,
        recipient: request.destination,
        slippageBps: settings.slippageBps,
        deadline
      })
      return {
        provider: route.provider,
        target: route.target,
        calldata: route.calldata,
        estimatedAmountOut: route.amountOut,
        guaranteedAmountOut: route.minAmountOut,
        estimatedSeconds: settleSeconds,
        passing: route.passing
      } satisfies Route
    }
    const { chain: destination } = yield* chains.get(request.destChainId)
    const route = yield* bridge.route({
      sourceChainId: chain.id,
      destChainId: request.destChainId,
      tokenIn,
      tokenOut: request.tokenOut,
      amountIn: swapAmount,
      depositor: request.owner,
      recipient: request.destination,
      slippageBps: settings.slippageBps,
      deadline
    })
    // The owner signs the calldata without reading it, so a deposit for anybody else must never be offered.
    const deposit = yield* bridge.decode(chain.id, route.target, route.calldata)
    if (
      deposit.tokenIn !== tokenIn ||
      deposit.amountIn !== swapAmount ||
      deposit.tokenOut !== Chain.erc20(destination, request.tokenOut) ||
      deposit.minAmountOut !== route.minAmountOut ||
      deposit.destChainId !== BigInt(request.destChainId) ||
      deposit.depositor !== request.owner ||
      deposit.recipient !== request.destination
    ) {
      return yield* new QuoteFailed({
        reason: "no_route",
        detail: `${route.provider} returned a deposit that does not match the request`
      })
    }
    return {
      provider: route.provider,
      target: route.target,
      calldata: route.calldata,
      estimatedAmountOut: route.amountOut,
      guaranteedAmountOut: route.minAmountOut,
      estimatedSeconds: settleSeconds + route.estimatedSeconds,
      passing: route.passing
    } satisfies Route
  })
})
