/** A place where one token is swapped for another on one chain. */
import { Context, type Effect, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Hex } from "../../domain/Hex.ts"

export interface SwapRequest {
  readonly chainId: ChainId
  /** An ERC-20: native input is wrapped before the swap. */
  readonly tokenIn: Address.Address
  /** An ERC-20 or the native sentinel. */
  readonly tokenOut: Address.Address
  readonly amountIn: bigint
  /** The account that calls the venue: the order's owner. */
  readonly sender: Address.Address
  readonly recipient: Address.Address
  readonly slippageBps: number
  /** UNIX seconds. */
  readonly deadline: bigint
}

export interface SwapRoute {
  /** Names the venue in quotes and logs. */
  readonly provider: string
  /** The contract that is approved for the input and called. */
  readonly target: Address.Address
  readonly calldata: Hex
  readonly amountOut: bigint
  readonly minAmountOut: bigint
  /** Gas that the swap itself is expected to use. */
  readonly gas: bigint
}

export class NoRoute extends Schema.TaggedError<NoRoute>()("NoRoute", { detail: Schema.String }) {
  override get message(): string {
    return `no route: ${this.detail}`
  }
}

/** The venue or bridge did not answer usably; another attempt may succeed. */
export class RoutingUnavailable extends Schema.TaggedError<RoutingUnavailable>()("RoutingUnavailable", {
  provider: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.provider} is unavailable: ${this.detail}`
  }
}

export class SwapVenue extends Context.Service<
  SwapVenue,
  {
    readonly route: (request: SwapRequest) => Effect.Effect<SwapRoute, NoRoute | RoutingUnavailable>
  }
>()("sweep/ports/SwapVenue") {}
