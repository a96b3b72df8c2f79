/** Fees of relayers for a fill, from the Across API or from configuration. */
import { Context, Effect, Layer } from "effect"
import * as Address from "../../domain/Address.ts"
import { lessBps } from "../../domain/Amount.ts"
import { convert, type Decimals } from "../../domain/AssetAmount.ts"
import type { Chain } from "../../domain/Chain.ts"
import type { Hex } from "../../domain/Hex.ts"
import { NoRoute, type RoutingUnavailable } from "../../ports/orchestrator/SwapVenue.ts"

export interface FeeRequest {
  readonly source: Chain
  readonly destination: Chain
  readonly inputToken: Address.Address
  readonly outputToken: Address.Address
  readonly inputAmount: bigint
  /** Decimals of the input and of the output. */
  readonly decimals: Decimals
  readonly recipient: Address.Address
  /** Message that the relayer carries out, and pays gas for. Default: none. */
  readonly message?: Hex | undefined
  /** Time of the source chain's latest block, in UNIX seconds. */
  readonly now: number
}

export interface FeeQuote {
  /** Amount that the recipient receives, in the output token's smallest unit. */
  readonly outputAmount: bigint
  /** Time for which the liquidity fee is computed, in UNIX seconds. */
  readonly quoteTimestamp: number
  /** UNIX seconds on the destination chain. */
  readonly fillDeadline: number
  /** The zero address if any relayer may fill immediately. */
  readonly exclusiveRelayer: Address.Address
  /** Seconds after the deposit in which only that relayer may fill. */
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
  /** Fee of the relayer, in basis points of the input. */
  readonly relayFeeBps: number
  /** Time after the quote in which a relayer may fill, in seconds. */
  readonly fillDeadlineSeconds: number
  readonly estimatedSeconds?: number
}

const DEFAULT_ESTIMATED_SECONDS = 5

/** One fixed fee, for networks without public relayers such as the local one. */
export const layerFixed = ({
  estimatedSeconds = DEFAULT_ESTIMATED_SECONDS,
  fillDeadlineSeconds,
  relayFeeBps
}: FixedFees) =>
  Layer.succeed(AcrossFees, {
    quote: ({ decimals, inputAmount, now }) => {
      const outputAmount = convert(lessBps(inputAmount, relayFeeBps), decimals)
      return outputAmount > 0n
        ? Effect.succeed({
            outputAmount,
            quoteTimestamp: now,
            fillDeadline: now + fillDeadlineSeconds,
            exclusiveRelayer: Address.zero,
            exclusivitySeconds: 0,
            estimatedSeconds
          })
        : // A fraction of the output token's unit is no failure of the source.
          Effect.fail(new NoRoute({ detail: "the amount does not cover the relayer's fee" }))
    }
  })
