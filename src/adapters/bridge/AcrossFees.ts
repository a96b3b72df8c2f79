/** What relayers want for a fill: the part of the Across bridge that may come from a service or from configuration. */
import { Context, Effect, Layer } from "effect"
import * as Address from "../../domain/Address.ts"
import { lessBps } from "../../domain/Amount.ts"
import type { Chain } from "../../domain/Chain.ts"
import type { NoRoute, RoutingUnavailable } from "../../ports/orchestrator/SwapVenue.ts"

export interface FeeRequest {
  readonly source: Chain
  readonly destination: Chain
  readonly inputToken: Address.Address
  readonly outputToken: Address.Address
  readonly inputAmount: bigint
  readonly recipient: Address.Address
  /** The source chain's latest block time, UNIX seconds. */
  readonly now: number
}

export interface FeeQuote {
  /** What the recipient gets, in the output token's smallest unit. */
  readonly outputAmount: bigint
  /** UNIX seconds; the liquidity fee is computed as of then. */
  readonly quoteTimestamp: number
  /** UNIX seconds on the destination chain. */
  readonly fillDeadline: number
  /** The zero address when any relayer may fill at once. */
  readonly exclusiveRelayer: Address.Address
  /** Seconds from the deposit for which only that relayer may fill. */
  readonly exclusivitySeconds: number
  /** Expected seconds from deposit to fill. */
  readonly estimatedSeconds: number
}

export class AcrossFees extends Context.Service<
  AcrossFees,
  {
    readonly quote: (request: FeeRequest) => Effect.Effect<FeeQuote, NoRoute | RoutingUnavailable>
  }
>()("sweep/adapters/bridge/AcrossFees") {}

export interface FixedFees {
  /** What is left to the relayer, in basis points of the input. */
  readonly relayFeeBps: number
  /** How long after the quote a relayer may fill. */
  readonly fillDeadlineSeconds: number
  readonly estimatedSeconds?: number
}

const DEFAULT_ESTIMATED_SECONDS = 5

/** One rate for everything, for networks whose fillers are our own, such as the local one. */
export const layerFixed = ({
  estimatedSeconds = DEFAULT_ESTIMATED_SECONDS,
  fillDeadlineSeconds,
  relayFeeBps
}: FixedFees) =>
  Layer.succeed(AcrossFees, {
    quote: ({ inputAmount, now }) =>
      Effect.succeed({
        outputAmount: lessBps(inputAmount, relayFeeBps),
        quoteTimestamp: now,
        fillDeadline: now + fillDeadlineSeconds,
        exclusiveRelayer: Address.zero,
        exclusivitySeconds: 0,
        estimatedSeconds
      })
  })
