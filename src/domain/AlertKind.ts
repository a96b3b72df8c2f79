/** Kinds of alerts that the services can raise, as `docs/reference/alerts.md` explains them. A test provokes and resolves each. */
import { Schema } from "effect"

export const KINDS = [
  "lane_low",
  "lane_delegated",
  "foreign_nonce",
  "nonce_doubted",
  "signing_failed",
  "transaction_rejected",
  "owner_blocks_batch",
  "relayer_paused",
  "role_unserved",
  "spend_cap",
  "fee_limit",
  "gas_price",
  "builder_failing",
  "exposure_spent",
  "chain_unavailable",
  "chain_stale",
  "contracts_missing",
  "wrong_chain_id",
  "target_expiring",
  "token_decimals",
  "simulation_unavailable",
  "screening_unavailable",
  "sanctions_list_stale",
  "price_deviates",
  "price_unavailable",
  "attribution_unavailable",
  "logs_unavailable",
  "spender_unseen",
  "guard_unknown",
  "settled_after_failure",
  "relay_row_unreadable",
  "reorg_after_final",
  "settlement_lost",
  "intent_unreadable",
  "treasury_key",
  "treasury_unsellable",
  "treasury_vault",
  "outbox_late",
  "outbox_rejected",
  "outbox_unreadable",
  "redis_away",
  "clock_differs",
  "sweep_event_rejected",
  "webhook_unreadable",
  "endpoints_unreadable",
  "secrets_unreadable",
  "database_unreconciled",
  "accrual_conflict",
  "accrual_unpaid",
  "revenue_conflict",
  "sweep_event_conflict",
  "alert_destination_failing",
  "kept_sums_differ"
] as const

/** Kinds whose alerts end only by the operator's word, since no later observation shows that the books were corrected. */
export const CLOSED_BY_HAND: ReadonlySet<string> = new Set<AlertKind>(["settled_after_failure", "settlement_lost"])

export const AlertKind = Schema.Literals(KINDS)
export type AlertKind = typeof AlertKind.Type
