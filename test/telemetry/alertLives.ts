/** Tests that provoke each alert and see it end, with their assertions. */
import type { AlertKind } from "../../src/domain/AlertKind.ts"

/** A test, with the assertion that the alert stands or has ended. */
export interface Proof {
  /** File below `test`. */
  readonly file: string
  /** Beginning of the test's title. */
  readonly title: string
  readonly asserts: string
}

export interface Life {
  readonly raised: Proof
  readonly ended: Proof
}

const NONE = "yield* alertKinds, [])"

/** One test that sees the alert and then its end. */
const one = (file: string, title: string, raised: string, ended: string): Life => ({
  raised: { file, title, asserts: raised },
  ended: { file, title, asserts: ended }
})

/** One test of a scene with `alertKinds`, in which no other alert stands. */
const alone = (kind: AlertKind, file: string, title: string, ended = NONE): Life =>
  one(file, title, `yield* alertKinds, ["${kind}"])`, ended)

const reviewed = (kind: AlertKind, title: string): Life =>
  one("orchestrator/operate/ChainReviews.test.ts", title, `yield* kinds, ["${kind}"])`, "yield* kinds, [])")

/** Only an operator's word ends it. */
const closed = (kind: AlertKind, file: string, title: string): Life => ({
  raised: { file, title, asserts: `yield* alertKinds, ["${kind}"])` },
  ended: {
    file: "orchestrator/operate/AlertClosing.test.ts",
    title: "an operator closes alerts",
    asserts: `assert.isTrue(yield* closing("${kind}"))`
  }
})

export const LIVES: Readonly<Record<AlertKind, Life>> = {
  lane_low: alone("lane_low", "orchestrator/relay/Relayer.test.ts", "a lane short of gas"),
  lane_delegated: alone("lane_delegated", "orchestrator/relay/Relayer.test.ts", "a lane with code sends nothing until"),
  foreign_nonce: alone("foreign_nonce", "orchestrator/watch/LateReceipts.test.ts", "is booked when its receipt"),
  nonce_doubted: alone(
    "nonce_doubted",
    "orchestrator/relay/LaneCounts.test.ts",
    "names the endpoints after a minute, and ends"
  ),
  signing_failed: alone("signing_failed", "orchestrator/relay/SendAlerts.test.ts", "a sweep whose lane cannot sign"),
  transaction_rejected: alone(
    "transaction_rejected",
    "orchestrator/relay/SendAlerts.test.ts",
    "a transaction that a node rejects for good"
  ),
  owner_blocks_batch: one(
    "orchestrator/relay/OwnerBlocks.test.ts",
    "is cleared when the owner's sweep has ended",
    "assert.lengthOf(yield* blocking, 1)",
    "assert.lengthOf(yield* blocking, 0)"
  ),
  relayer_paused: one(
    "orchestrator/operate/PauseDesk.test.ts",
    "lets accepted sweeps wait",
    'assert.include(told, "relayer_paused")',
    NONE
  ),
  role_unserved: one(
    "orchestrator/operate/RoleReview.test.ts",
    "names each role and chain without a process",
    'standing, ["role_unserved:outbox"',
    "yield* standing, [])"
  ),
  spend_cap: alone("spend_cap", "orchestrator/relay/Gate.test.ts", "a day's spending has in it"),
  fee_limit: one(
    "orchestrator/operate/ChainReviews.test.ts",
    "report a base fee above the chain's limit",
    'yield* kindsAt(10n), ["fee_limit"])',
    "yield* kindsAt(10n, ENDED), [])"
  ),
  gas_price: alone("gas_price", "orchestrator/relay/FeeCover.test.ts", "is not sent at 200 gwei"),
  builder_failing: one(
    "orchestrator/relay/Budgets.test.ts",
    "failing sweeps with a builder's public key",
    'assert.include(yield* alertKinds, "builder_failing")',
    'assert.notInclude(yield* alertKinds, "builder_failing")'
  ),
  exposure_spent: one(
    "orchestrator/relay/FirstSweeps.test.ts",
    "of any number of owners lose no more",
    'assert.include(yield* alertKinds, "exposure_spent")',
    'assert.notInclude(yield* alertKinds, "exposure_spent")'
  ),
  chain_unavailable: alone("chain_unavailable", "orchestrator/watch/Watcher.test.ts", "one chain's node being down"),
  chain_stale: reviewed("chain_stale", "report a chain without a new block for 30 seconds"),
  contracts_missing: reviewed("contracts_missing", "name missing contracts"),
  wrong_chain_id: one(
    "orchestrator/operate/ChainReviews.test.ts",
    "report a node of another chain",
    'yield* wrong, ["elsewhere"])',
    "yield* wrong, [])"
  ),
  target_expiring: one(
    "orchestrator/operate/TargetReviews.test.ts",
    "raises the alert ahead of the end",
    'yield* standing, [["target_expiring", OLD]])',
    "yield* standing, [])"
  ),
  token_decimals: one(
    "orchestrator/operate/TokenReviews.test.ts",
    "raises an alert while the contract has other decimals",
    'yield* standing, [["token_decimals", COIN]])',
    "yield* standing, [])"
  ),
  simulation_unavailable: reviewed("simulation_unavailable", "report a chain on which nothing can be simulated"),
  screening_unavailable: one(
    "orchestrator/shared/KeptClearances.test.ts",
    "raise an alert while refusals continue",
    'yield* kinds, ["screening_unavailable"])',
    "yield* kinds, [])"
  ),
  sanctions_list_stale: one(
    "orchestrator/operate/SanctionsRefresh.test.ts",
    "retries after five minutes",
    'kind: "sanctions_list_stale"',
    "yield* standing, [])"
  ),
  price_deviates: one(
    "adapters/prices/SeveralSources.test.ts",
    "keep a listed token's last good price while one source",
    "standing?.key, `price_deviates:",
    "yield* alerts, [])"
  ),
  price_unavailable: one(
    "orchestrator/shared/WatchedPrices.test.ts",
    "is raised after a minute (%s)",
    "yield* standing, [KEY])",
    "yield* standing, [])"
  ),
  attribution_unavailable: one(
    "orchestrator/shared/WatchedAttribution.test.ts",
    "is raised after a minute of failures",
    'yield* standing, ["attribution_unavailable"])',
    "yield* standing, [])"
  ),
  logs_unavailable: alone("logs_unavailable", "orchestrator/watch/Delivery.test.ts", "a chain whose logs fail"),
  spender_unseen: alone("spender_unseen", "orchestrator/settle/UnseenSpenders.test.ts", "keeps the intent until"),
  guard_unknown: alone("guard_unknown", "orchestrator/settle/UnknownGuards.test.ts", "waits after it settled and"),
  settled_after_failure: closed(
    "settled_after_failure",
    "orchestrator/watch/Watcher.test.ts",
    "a settlement of a failed intent"
  ),
  relay_row_unreadable: one(
    "orchestrator/watch/UnreadableRows.test.ts",
    "is alerted until it is readable or gone",
    'yield* keys, ["relay_row_unreadable:17"',
    "yield* keys, [])"
  ),
  reorg_after_final: alone("reorg_after_final", "orchestrator/watch/Reorganisation.test.ts", "sends what it took away"),
  settlement_lost: closed(
    "settlement_lost",
    "orchestrator/watch/Reorganisation.test.ts",
    "says which settlement did not come back"
  ),
  intent_unreadable: one(
    "adapters/sql/orchestrator/UnreadableIntents.test.ts",
    "is not claimed, also not again",
    'kind: "intent_unreadable" })',
    "yield* alerts, [])"
  ),
  treasury_key: {
    raised: {
      file: "orchestrator/treasury/Rounds.test.ts",
      title: "an alert names the account whose key",
      asserts: 'kind: "treasury_key"'
    },
    ended: {
      file: "orchestrator/treasury/Rounds.test.ts",
      title: "the alert of a process with that key ends",
      asserts: "yield* alerts.list, [])"
    }
  },
  treasury_unsellable: one(
    "orchestrator/treasury/Rounds.test.ts",
    "raises an alert after three failures",
    'kind: "treasury_unsellable" })',
    "yield* scene.alerts.list, [])"
  ),
  treasury_vault: one(
    "orchestrator/treasury/SharedVault.test.ts",
    "raises an alert, which ends when",
    'kind: "treasury_vault"',
    "yield* alerts.list, [])"
  ),
  outbox_late: one(
    "orchestrator/outbox/LateMessages.test.ts",
    "is raised when one has waited",
    'yield* standing, ["outbox_late"])',
    "yield* standing, [])"
  ),
  outbox_rejected: one(
    "orchestrator/outbox/OutboxDelivery.test.ts",
    "books a rejected message once the backend takes it",
    'yield* kinds, ["outbox_rejected"])',
    "yield* kinds, [])"
  ),
  outbox_unreadable: one(
    "orchestrator/outbox/UnreadableMessage.test.ts",
    "is set aside with an alert",
    'yield* kinds, ["outbox_unreadable"])',
    "yield* kinds, [])"
  ),
  redis_away: one(
    "runtime/SharedStoreReview.test.ts",
    "raises an alert if the store %s for a while",
    'yield* standing, ["redis_away"])',
    "yield* standing, [])"
  ),
  clock_differs: one(
    "runtime/ClockReview.test.ts",
    "that differs for over a minute raises an alert",
    'yield* standing, ["clock_differs"])',
    "yield* standing, [])"
  ),
  sweep_event_rejected: {
    raised: {
      file: "orchestrator/outbox/OutboxDelivery.events.test.ts",
      title: "tells builders, and takes a refusal",
      asserts: 'kind: "sweep_event_rejected", severity: "warning" })'
    },
    ended: {
      file: "orchestrator/outbox/OutboxDelivery.events.test.ts",
      title: "clears the alert about events",
      asserts: "yield* keys, [])"
    }
  },
  webhook_unreadable: one(
    "adapters/sql/builder/UnreadableDeliveries.test.ts",
    "is set aside with an alert",
    'yield* standing, ["webhook_unreadable"])',
    "yield* standing, [])"
  ),
  endpoints_unreadable: one(
    "orchestrator/operate/EndpointDesk.test.ts",
    "change nothing on a replica that cannot read them",
    'yield* kinds, ["endpoints_unreadable"])',
    "yield* kinds, [])"
  ),
  secrets_unreadable: one(
    "adapters/sql/builder/WebhookSecrets.test.ts",
    "of another row, or of an unknown key",
    'assert.include(yield* kinds, "secrets_unreadable")',
    'assert.notInclude(yield* kinds, "secrets_unreadable")'
  ),
  database_unreconciled: one(
    "builder/payout/RestoreReview.test.ts",
    "raises an alert until the database is reconciled",
    'yield* standing, ["critical database_unreconciled"])',
    "yield* standing, [])"
  ),
  accrual_conflict: one(
    "server/builder/ConsolePayouts.test.ts",
    "alerts are listed and cleared",
    '0, "kind"), "accrual_conflict")',
    '(yield* asAdmin("GET /admin/alerts")).body, [])'
  ),
  accrual_unpaid: one(
    "server/builder/Machine.bookings.test.ts",
    "an accrual without its payment",
    'yield* standing, [["warning", onchain.id, unpaid]])',
    "yield* standing, [])"
  ),
  revenue_conflict: one(
    "server/builder/ConsolePayouts.test.ts",
    "alerts are listed and cleared",
    '0, "kind"), "revenue_conflict")',
    '(yield* asAdmin("GET /admin/alerts")).body, [])'
  ),
  sweep_event_conflict: one(
    "server/builder/Webhooks.test.ts",
    "is reported each event once",
    '[["sweep_event_conflict", "warning"]])',
    "yield* Effect.andThen(report(told), alerts), [])"
  ),
  alert_destination_failing: one(
    "runtime/AlertDelivery.test.ts",
    "alerts about a destination that fails",
    '"raised alert_destination_failing"])',
    '"resolved alert_destination_failing")'
  ),
  kept_sums_differ: one(
    "runtime/SumReview.test.ts",
    "kept sums that differ",
    'alert?.kind, "kept_sums_differ")',
    "assert.lengthOf(yield* standing, 0)"
  )
}
