/** Why no offer can be made. */
import { Effect, Schema } from "effect"
import type { FeesExceedInput } from "../../domain/Fees.ts"
import type { ChainUnavailable, UnsupportedChain } from "../../ports/shared/Chains.ts"
import type { IntentExists } from "../../ports/orchestrator/Intents.ts"
import type { PricesUnavailable } from "../../ports/orchestrator/Prices.ts"
import type { ScreeningBlocked } from "../../ports/shared/Screening.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import type { NoRoute, RoutingUnavailable } from "../../ports/orchestrator/SwapVenue.ts"
import type { SimulationFailed } from "../../ports/orchestrator/SweepSimulation.ts"
import type { TokenDeclined } from "../../ports/orchestrator/TokenRisk.ts"

/** No offer can be made (422, masked). `reason` and `detail` are for logs and the operator. */
export class QuoteFailed extends Schema.TaggedError<QuoteFailed>()("QuoteFailed", {
  reason: Schema.Literals([
    "unsupported_chain",
    "same_token",
    "owner_is_a_contract",
    "token_declined",
    "fees_exceed_input",
    "no_route",
    "no_price",
    "simulation_failed",
    "upstream_unavailable",
    "store_unavailable"
  ]),
  detail: Schema.String
}) {
  override get message(): string {
    return `quote failed (${this.reason}): ${this.detail}`
  }
}

type Cause =
  | UnsupportedChain
  | ChainUnavailable
  | TokenDeclined
  | PricesUnavailable
  | NoRoute
  | RoutingUnavailable
  | FeesExceedInput
  | SimulationFailed
  | IntentExists
  | StoreUnavailable

const REASONS: { readonly [Tag in Cause["_tag"]]: QuoteFailed["reason"] } = {
  UnsupportedChain: "unsupported_chain",
  ChainUnavailable: "upstream_unavailable",
  TokenDeclined: "token_declined",
  PricesUnavailable: "no_price",
  NoRoute: "no_route",
  RoutingUnavailable: "upstream_unavailable",
  FeesExceedInput: "fees_exceed_input",
  SimulationFailed: "simulation_failed",
  IntentExists: "store_unavailable",
  StoreUnavailable: "store_unavailable"
}

/** Every expected failure on the way to an offer is one of two to the caller: blocked by screening, or not quotable. */
export const asQuoteFailed = <A, R, E extends Cause | QuoteFailed | ScreeningBlocked>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, QuoteFailed | ScreeningBlocked, R> =>
  Effect.mapError(effect, (error: Cause | QuoteFailed | ScreeningBlocked) =>
    error._tag === "QuoteFailed" || error._tag === "ScreeningBlocked"
      ? error
      : new QuoteFailed({ reason: REASONS[error._tag], detail: error.message })
  )
