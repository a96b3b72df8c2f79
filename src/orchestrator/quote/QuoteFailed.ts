/** Failures to make an offer. */
import { Effect, Schema } from "effect"
import type { FeesExceedInput } from "../../domain/Fees.ts"
import type { PauseSubject } from "../../domain/Pause.ts"
import type { IntentExists } from "../../ports/orchestrator/Intents.ts"
import type { PricesUnavailable } from "../../ports/orchestrator/Prices.ts"
import type { NoRoute, RoutingUnavailable } from "../../ports/orchestrator/SwapVenue.ts"
import type { SimulationFailed } from "../../ports/orchestrator/SweepSimulation.ts"
import type { TokenDeclined } from "../../ports/orchestrator/TokenRisk.ts"
import type { ChainUnavailable, UnsupportedChain } from "../../ports/shared/Chains.ts"
import type { ScreeningBlocked } from "../../ports/shared/Screening.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { explained } from "../shared/Pauses.ts"
import type { TooBusy } from "../shared/RequestTurns.ts"

/** No offer can be made (422, masked, or 503 if the database, a chain or a provider does not answer, or too many requests wait). `reason` and `detail` go to logs and the operator only. */
export class QuoteFailed extends Schema.TaggedError<QuoteFailed>()("QuoteFailed", {
  reason: Schema.Literals([
    "unsupported_chain",
    "chain_paused",
    "paused",
    "chain_unavailable",
    "fee_limit",
    "same_token",
    "counted_fee",
    "owner_is_a_contract",
    "token_declined",
    "insufficient_balance",
    "fees_exceed_input",
    "network_fee_above_maximum",
    "no_route",
    "no_price",
    "simulation_failed",
    "budget_spent",
    "too_busy",
    "upstream_unavailable",
    "store_unavailable"
  ]),
  detail: Schema.String,
  /** Chains that do not answer. */
  unavailableChains: Schema.optionalKey(Schema.Array(Schema.Number)),
  /** Set if the same request can be quoted later: milliseconds after which it may be repeated. */
  retryAfterMillis: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    return `quote failed (${this.reason}): ${this.detail}`
  }
}

/** Refusal of a quote because of a pause. */
export const whilePaused = (subject: PauseSubject): QuoteFailed =>
  new QuoteFailed({
    reason: subject.scope === "all" || subject.scope === "chain" ? "chain_paused" : "paused",
    detail: explained(subject)
  })

type PortFailure =
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
  | TooBusy

const REASONS: { readonly [Tag in PortFailure["_tag"]]: QuoteFailed["reason"] } = {
  UnsupportedChain: "unsupported_chain",
  ChainUnavailable: "chain_unavailable",
  TokenDeclined: "token_declined",
  PricesUnavailable: "upstream_unavailable",
  NoRoute: "no_route",
  RoutingUnavailable: "upstream_unavailable",
  FeesExceedInput: "fees_exceed_input",
  SimulationFailed: "simulation_failed",
  IntentExists: "store_unavailable",
  StoreUnavailable: "store_unavailable",
  TooBusy: "too_busy"
}

/** An owner that holds less is no fault of the token. */
const reasonOf = (failure: PortFailure): QuoteFailed["reason"] =>
  failure._tag === "TokenDeclined" && failure.reason === "insufficient_balance"
    ? "insufficient_balance"
    : REASONS[failure._tag]

/** Maps every expected failure to one of the two that a caller sees: blocked by screening, or not quotable. */
export const asQuoteFailed = <A, R, E extends PortFailure | QuoteFailed | ScreeningBlocked>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, QuoteFailed | ScreeningBlocked, R> =>
  Effect.mapError(effect, (error: PortFailure | QuoteFailed | ScreeningBlocked) =>
    error._tag === "QuoteFailed" || error._tag === "ScreeningBlocked"
      ? error
      : new QuoteFailed({
          reason: reasonOf(error),
          detail: error.message,
          ...(error._tag === "TooBusy" ? { retryAfterMillis: error.retryAfterMillis } : {})
        })
  )
