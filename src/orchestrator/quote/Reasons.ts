/** Maps failures to the closed list of reasons that clients see (domain/QuoteReason). */
import type { QuoteReason } from "../../domain/QuoteReason.ts"
import type { ScreeningBlocked } from "../../ports/shared/Screening.ts"
import type { QuoteFailed } from "./QuoteFailed.ts"

const REASONS: { readonly [Reason in QuoteFailed["reason"]]: QuoteReason } = {
  unsupported_chain: "unsupported_chain",
  chain_paused: "chain_unavailable",
  paused: "unavailable",
  chain_unavailable: "chain_unavailable",
  fee_limit: "chain_unavailable",
  same_token: "same_token",
  counted_fee: "no_route",
  owner_is_a_contract: "owner_is_a_contract",
  token_declined: "unavailable",
  insufficient_balance: "insufficient_balance",
  fees_exceed_input: "fees_exceed_amount",
  network_fee_above_maximum: "network_fee_above_maximum",
  no_route: "no_route",
  no_price: "no_price",
  simulation_failed: "would_revert",
  budget_spent: "unavailable",
  too_busy: "busy",
  upstream_unavailable: "busy",
  store_unavailable: "busy"
}

/** Reason that a client sees. */
export const reasonOf = (failure: QuoteFailed | ScreeningBlocked): QuoteReason =>
  failure._tag === "ScreeningBlocked" ? "screening_unavailable" : REASONS[failure.reason]
