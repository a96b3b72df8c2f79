/** Swaps one token for another on one chain. */
import { Context, type Effect, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Hex } from "../../domain/Hex.ts"

/** A pair of tokens on a chain, and the largest amount of the one that may be swapped for the other. */
export interface SwapPair {
  /**
   * True if the amount may be divided among several paths of a venue, where that pays clearly more. The owner's client reads such a call, and
   * what arrives on other chains is not. Default: false.
   */
  readonly divisible?: boolean
  readonly chainId: ChainId
  /** ERC-20. Native input is wrapped before the swap. */
  readonly tokenIn: Address.Address
  /** ERC-20, or the native sentinel. */
  readonly tokenOut: Address.Address
  /** In the smallest unit of `tokenIn`. */
  readonly amountIn: bigint
}

/** Terms of a swap of a pair. */
export interface SwapTerms {
  /** In the smallest unit of `tokenIn`. */
  readonly amountIn: bigint
  /** Account that calls the venue: the order's owner. */
  readonly sender: Address.Address
  readonly recipient: Address.Address
  /** Slippage tolerance in basis points. */
  readonly slippageBps: number
  /** UNIX seconds. */
  readonly deadline: bigint
  /**
   * True for a route that only tells what the swap costs about. Services over HTTP are then not asked: each request counts for their limits.
   * Default: false.
   */
  readonly withoutServices?: boolean
}

export interface SwapRequest extends SwapPair, SwapTerms {}

/** A call that swaps. */
export interface SwapRoute {
  /** Name of the venue in quotes and logs. */
  readonly provider: string
  /** Contract that is approved for the input and called. */
  readonly target: Address.Address
  readonly calldata: Hex
  /** Expected output in the smallest unit of `tokenOut`. */
  readonly amountOut: bigint
  /** Output by which routes are compared. Nothing is promised by it. Default: `amountOut`. */
  readonly likelyOut?: bigint
  /** Output below which the call reverts: `amountOut` less the slippage tolerance. */
  readonly minAmountOut: bigint
  /** Expected gas of the swap alone. */
  readonly gas: bigint
  /**
   * Balances and allowances, beside those of the owner, that the call leaves empty as it found them, such as the router's
   * balance of a token between two pools. Their gas is refunded.
   */
  readonly passing: number
  /** Part of the market's price that the amount takes from itself, without fees, in basis points. Absent: not measured. */
  readonly impactBps?: number
  /** Makes the same call with the minimum of another expected output and tolerance. Absent: the venue has fixed the call. */
  readonly remade?: (expected: Expected) => SwapRoute
  /** True if the call sells what arrives at the venue, so that it takes tokens with a fee on transfer. Default: false. */
  readonly sellsWhatArrives?: boolean
  /** Routes of other venues for the same request, best first, for when this one fails. Default: none. */
  readonly alternatives?: ReadonlyArray<SwapRoute>
}

/** Output that a route is expected to have, in the smallest unit of `tokenOut`, and the tolerance of its minimum in basis points. */
export interface Expected {
  readonly amountOut: bigint
  readonly slippageBps: number
}

/** Makes the route of an amount. */
export type RouteOf = (terms: SwapTerms) => Effect.Effect<SwapRoute, NoRoute | RoutingUnavailable>

/** The venue or bridge has no route for the request. Another attempt has the same result until liquidity changes. */
export class NoRoute extends Schema.TaggedError<NoRoute>()("NoRoute", { detail: Schema.String }) {
  override get message(): string {
    return `no route: ${this.detail}`
  }
}

/** The venue or bridge did not answer, or its answer was unusable. Retry. */
export class RoutingUnavailable extends Schema.TaggedError<RoutingUnavailable>()("RoutingUnavailable", {
  provider: Schema.String,
  detail: Schema.String,
  /** True if a node answered, and refused the call itself, as when a token uses up its gas. */
  isCallRefused: Schema.optionalKey(Schema.Boolean)
}) {
  override get message(): string {
    return `${this.provider} is unavailable: ${this.detail}`
  }
}

export class SwapVenue extends Context.Service<
  SwapVenue,
  {
    /** Best route for the request. */
    readonly route: (request: SwapRequest) => Effect.Effect<SwapRoute, NoRoute | RoutingUnavailable>
    /**
     * Reads the market of a pair once, so that an amount can be chosen afterwards. The returned function makes routes from that
     * reading. Such a route promises at most what {@link route} promises at the same moment. An amount that the reading does not cover
     * is read anew. A reading that fails fails the routes.
     */
    readonly prepare: (pair: SwapPair) => Effect.Effect<RouteOf>
  }
>()("sweep/ports/SwapVenue") {}
