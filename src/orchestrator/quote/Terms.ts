/** An order as it is priced: its terms, its fees with the routes of what they leave, and the outcome. */
import type { Effect } from "effect"
import type { FeeCover } from "../../domain/FeeCover.ts"
import type * as Fees from "../../domain/Fees.ts"
import type { QuoteRequest } from "../../domain/Quote.ts"
import type { SweepOrder } from "../../domain/SweepOrder.ts"
import type { Tier } from "../../domain/Tier.ts"
import type { SimulatedSweep } from "../../ports/orchestrator/SweepSimulation.ts"
import type { TokenProfile } from "../../ports/orchestrator/TokenRisk.ts"
import type { ChainClient, FeesPerGas } from "../../ports/shared/Chains.ts"
import type { Attributed } from "./Attributing.ts"
import type * as FeeWorth from "./FeeWorth.ts"
import type * as Routing from "./Routing.ts"

/** Prices of the native currency and of the order's token. */
export interface UsdPrices extends FeeWorth.Origin {
  readonly nativeUsd: Fees.UsdPrice
  /** Price at which fees are taken: that of the token, less the haircut if it is not listed. */
  readonly tokenUsd: Fees.UsdPrice
  /** Price of the token. */
  readonly marketUsd: Fees.UsdPrice
}

/** Everything about an order but its fees and its route. */
export interface Terms {
  readonly client: ChainClient
  readonly request: QuoteRequest
  readonly profile: TokenProfile
  readonly attributed: Attributed | undefined
  /** True if the user has a subscription, which lowers the protocol fee. */
  readonly isSubscribed: boolean
  readonly gasFees: FeesPerGas
  readonly usd: UsdPrices
  readonly tier: Tier
  /** True if the owner's account runs the chain's delegate, so that its sweep carries no authorization. */
  readonly isDelegated: boolean
  readonly nonce: bigint
  /** UNIX seconds. */
  readonly deadline: bigint
}

export interface Priced {
  readonly route: Routing.Route
  readonly order: SweepOrder
  /** Fees of the order, and the amount that is routed. */
  readonly fees: Fees.FeeBreakdown
  readonly simulated: SimulatedSweep
  /** Cost that the order's network fee covers. */
  readonly cover: FeeCover
  readonly worth: FeeWorth.Worth
  /** Part of the output that the tokens take when they move, in basis points. */
  readonly transferFeeBps: number
  /** Venues that were tried and did not deliver. */
  readonly failed: ReadonlySet<string>
}

/** Fees that cover a cost, and routes of what they leave, best first. */
export interface Routed {
  /** Wei. */
  readonly cost: bigint
  readonly fees: Fees.FeeBreakdown
  readonly routes: Routing.Route
  /** Waits for the worth of the fee. */
  readonly worth: Effect.Effect<FeeWorth.Worth, FeeWorth.Unknown>
}
