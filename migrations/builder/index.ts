/**
 * The builder backend's migrations, in order. They are imported rather than found in a directory, so that bundles
 * contain them. Never edit a released migration: add the next number.
 */
import accounts from "./0001_accounts.ts"
import ledger from "./0002_ledger.ts"
import payouts from "./0003_payouts.ts"
import revenueAndAlerts from "./0004_revenue_and_alerts.ts"
import payoutPayments from "./0005_payout_payments.ts"
import sweepEvents from "./0006_sweep_events.ts"
import accrualChains from "./0008_accrual_chains.ts"
import keptSums from "./0010_kept_sums.ts"
import healthProbe from "./0011_health_probe.ts"
import sealedSecrets from "./0012_sealed_secrets.ts"
import ledgerPages from "./0013_ledger_pages.ts"
import alertNotices from "./0014_alert_notices.ts"
import restores from "./0015_restores.ts"
import failedDeliveries from "./0017_failed_deliveries.ts"
import operatorOverrides from "./0018_operator_overrides.ts"
import filteredLists from "./0019_filtered_lists.ts"
import earningsInDollars from "./0020_earnings_in_dollars.ts"
import apiKeys from "./0021_api_keys.ts"
import reversedValues from "./0022_reversed_values.ts"
import comparedEarnings from "./0023_compared_earnings.ts"
import payable from "./0024_payable.ts"
import chainless from "./0025_chainless.ts"
import walletChains from "./0026_wallet_chains.ts"
import boundedWebhooks from "./0027_bounded_webhooks.ts"
import identityParts from "./0028_identity_parts.ts"

export const migrations = {
  "0001_accounts": accounts,
  "0002_ledger": ledger,
  "0003_payouts": payouts,
  "0004_revenue_and_alerts": revenueAndAlerts,
  "0005_payout_payments": payoutPayments,
  "0006_sweep_events": sweepEvents,
  "0008_accrual_chains": accrualChains,
  "0010_kept_sums": keptSums,
  "0011_health_probe": healthProbe,
  "0012_sealed_secrets": sealedSecrets,
  "0013_ledger_pages": ledgerPages,
  "0014_alert_notices": alertNotices,
  "0015_restores": restores,
  "0017_failed_deliveries": failedDeliveries,
  "0018_operator_overrides": operatorOverrides,
  "0019_filtered_lists": filteredLists,
  "0020_earnings_in_dollars": earningsInDollars,
  "0021_api_keys": apiKeys,
  "0022_reversed_values": reversedValues,
  "0023_compared_earnings": comparedEarnings,
  "0024_payable": payable,
  "0025_chainless": chainless,
  "0026_wallet_chains": walletChains,
  "0027_bounded_webhooks": boundedWebhooks,
  "0028_identity_parts": identityParts
}
