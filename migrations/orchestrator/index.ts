/**
 * The orchestrator's migrations, in order. They are imported rather than found in a directory, so that bundles contain
 * them. Never edit a released migration: add the next number.
 */
import intents from "./0001_intents.ts"
import relayTransactions from "./0002_relay_transactions.ts"
import outboxAndAlerts from "./0003_outbox_and_alerts.ts"
import deadlines from "./0004_deadlines.ts"
import idempotencyKeys from "./0005_idempotency_keys.ts"
import relayerLimits from "./0006_relayer_limits.ts"
import outboxTopics from "./0007_outbox_topics.ts"
import queueIndexes from "./0008_queue_indexes.ts"
import deliveryLooks from "./0009_delivery_looks.ts"
import conclusions from "./0010_conclusions.ts"
import healthProbe from "./0011_health_probe.ts"
import keptData from "./0012_kept_data.ts"
import outboxLeases from "./0013_outbox_leases.ts"
import logSearches from "./0015_log_searches.ts"
import intentTables from "./0016_intent_tables.ts"
import exposures from "./0017_exposures.ts"
import feeCover from "./0018_fee_cover.ts"
import narrowOutbox from "./0019_narrow_outbox.ts"
import droppedMonths from "./0020_dropped_months.ts"
import treasury from "./0021_treasury.ts"
import lastPrices from "./0024_last_prices.ts"
import sweeps from "./0030_sweeps.ts"
import detachedSweeps from "./0031_detached_sweeps.ts"
import liveAccounts from "./0032_live_accounts.ts"
import replayedReasons from "./0033_replayed_reasons.ts"
import amountsReceived from "./0034_amounts_received.ts"
import intentRefunds from "./0040_intent_refunds.ts"
import bridgeFlights from "./0042_bridge_flights.ts"
import traces from "./0044_traces.ts"
import operatedLanes from "./0045_operated_lanes.ts"
import alertNotices from "./0046_alert_notices.ts"
import operatorOverrides from "./0047_operator_overrides.ts"
import lostTransactions from "./0048_lost_transactions.ts"
import roleHeartbeats from "./0050_role_heartbeats.ts"
import sweepStories from "./0057_sweep_stories.ts"
import longerOverrides from "./0059_longer_overrides.ts"
import money from "./0063_money.ts"
import promisedFees from "./0064_promised_fees.ts"
import linearTriggers from "./0065_linear_triggers.ts"
import claimsAndAllocations from "./0066_claims_and_allocations.ts"
import restingIntents from "./0067_resting_intents.ts"
import oldMonths from "./0068_old_months.ts"
import firstRound from "./0069_first_round.ts"
import reopenings from "./0070_reopenings.ts"
import settledOwners from "./0071_settled_owners.ts"
import dataGas from "./0072_data_gas.ts"
import flightHolders from "./0073_flight_holders.ts"
import exposureHolders from "./0074_exposure_holders.ts"

export const migrations = {
  "0001_intents": intents,
  "0002_relay_transactions": relayTransactions,
  "0003_outbox_and_alerts": outboxAndAlerts,
  "0004_deadlines": deadlines,
  "0005_idempotency_keys": idempotencyKeys,
  "0006_relayer_limits": relayerLimits,
  "0007_outbox_topics": outboxTopics,
  "0008_queue_indexes": queueIndexes,
  "0009_delivery_looks": deliveryLooks,
  "0010_conclusions": conclusions,
  "0011_health_probe": healthProbe,
  "0012_kept_data": keptData,
  "0013_outbox_leases": outboxLeases,
  "0015_log_searches": logSearches,
  "0016_intent_tables": intentTables,
  "0017_exposures": exposures,
  "0018_fee_cover": feeCover,
  "0019_narrow_outbox": narrowOutbox,
  "0020_dropped_months": droppedMonths,
  "0021_treasury": treasury,
  "0024_last_prices": lastPrices,
  "0030_sweeps": sweeps,
  "0031_detached_sweeps": detachedSweeps,
  "0032_live_accounts": liveAccounts,
  "0033_replayed_reasons": replayedReasons,
  "0034_amounts_received": amountsReceived,
  "0040_intent_refunds": intentRefunds,
  "0042_bridge_flights": bridgeFlights,
  "0044_traces": traces,
  "0045_operated_lanes": operatedLanes,
  "0046_alert_notices": alertNotices,
  "0047_operator_overrides": operatorOverrides,
  "0048_lost_transactions": lostTransactions,
  "0050_role_heartbeats": roleHeartbeats,
  "0057_sweep_stories": sweepStories,
  "0059_longer_overrides": longerOverrides,
  "0063_money": money,
  "0064_promised_fees": promisedFees,
  "0065_linear_triggers": linearTriggers,
  "0066_claims_and_allocations": claimsAndAllocations,
  "0067_resting_intents": restingIntents,
  "0068_old_months": oldMonths,
  "0069_first_round": firstRound,
  "0070_reopenings": reopenings,
  "0071_settled_owners": settledOwners,
  "0072_data_gas": dataGas,
  "0073_flight_holders": flightHolders,
  "0074_exposure_holders": exposureHolders
}
