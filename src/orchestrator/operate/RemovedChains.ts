/** Clears alerts of chains that were removed from the settings, whose conditions nobody reviews any more. */
import { Effect } from "effect"
import type { AlertKind } from "../../domain/AlertKind.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { type Alert, Alerts } from "../../ports/shared/Alerts.ts"

/**
 * Alerts that follow a condition of a chain or of its lanes. Alerts about money that was moved stand until an operator has dealt
 * with them, on whatever chain.
 */
const CONDITIONS: ReadonlySet<string> = new Set<AlertKind>([
  "chain_stale",
  "chain_unavailable",
  "contracts_missing",
  "endpoints_unreadable",
  "exposure_spent",
  "fee_limit",
  "gas_price",
  "lane_delegated",
  "lane_low",
  "logs_unavailable",
  "price_deviates",
  "relayer_paused",
  "role_unserved",
  "screening_unavailable",
  "signing_failed",
  "simulation_unavailable",
  "spend_cap",
  "target_expiring",
  "wrong_chain_id"
])

const isOf = (removed: (chainId: ChainId) => boolean, { details, kind }: Alert): boolean =>
  CONDITIONS.has(kind) && typeof details.chainId === "number" && removed(details.chainId)

/** Clears the alerts of every chain that is not among `served`. */
export const clear = Effect.fn("RemovedChains.clear")(function* (served: ReadonlyArray<ChainId>) {
  const alerts = yield* Alerts
  for (const alert of yield* alerts.list) {
    if (!isOf((chainId) => !served.includes(chainId), alert)) continue
    yield* alerts.clear(alert.key)
    yield* Effect.logInfo("alert.cleared_with_its_chain").pipe(Effect.annotateLogs({ alert: alert.key }))
  }
})
