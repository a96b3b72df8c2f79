/**
 * Clears alerts of subjects that were removed from the settings, whose conditions nobody reviews any more: chains, lanes, targets of the
 * guard, and listed tokens. The treasury ends its own, since it knows what it sells.
 */
import { Effect, Layer } from "effect"
import type { AlertKind } from "../../domain/AlertKind.ts"
import type { Chain } from "../../domain/Chain.ts"
import { worksOn } from "../../domain/Role.ts"
import type { Alert } from "../../ports/shared/Alerts.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import * as Background from "../../runtime/Background.ts"
import { ProcessShare } from "../shared/ProcessShare.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

/** A replica with the former settings may raise such an alert once more. */
const PAUSE_MILLIS = 60_000

/**
 * Alerts that follow a condition of a chain or of a part of it. Alerts about money that was moved stand until an operator has dealt
 * with them, on whatever chain.
 */
const CONDITIONS: ReadonlySet<string> = new Set<AlertKind>([
  "chain_stale",
  "chain_unavailable",
  "contracts_missing",
  "endpoints_unreadable",
  "exposure_spent",
  "fee_limit",
  "foreign_nonce",
  "gas_price",
  "lane_delegated",
  "lane_low",
  "logs_unavailable",
  "owner_blocks_batch",
  "price_deviates",
  "relayer_paused",
  "role_unserved",
  "screening_unavailable",
  "signing_failed",
  "simulation_unavailable",
  "spend_cap",
  "spender_unseen",
  "target_expiring",
  "transaction_rejected",
  "treasury_key",
  "treasury_unsellable",
  "wrong_chain_id"
])

/** A chain and what the settings name on it. */
interface Configured {
  readonly chain: Chain
  readonly lanes: ReadonlySet<unknown>
}

type IsConfigured = (details: Alert["details"], on: Configured) => boolean

const isLane: IsConfigured = ({ lane }, { lanes }) => lanes.has(lane)

/** Decides by the details of an alert if the settings still name its subject. */
const SUBJECTS: ReadonlyMap<string, IsConfigured> = new Map<AlertKind, IsConfigured>([
  ["foreign_nonce", isLane],
  ["lane_delegated", isLane],
  ["lane_low", isLane],
  ["signing_failed", isLane],
  [
    "price_deviates",
    ({ token }, { chain }) => token === chain.wrappedNative || chain.tokens.some(({ address }) => address === token)
  ],
  [
    "target_expiring",
    ({ target }, { chain: { targets = [] } }) =>
      targets.some(({ address, expiresAt }) => address === target && expiresAt !== undefined)
  ]
])

/** Runs until the scope closes. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const alerts = yield* StandingAlerts
    const { all } = yield* Chains
    const keys = yield* RelayerKeys
    const share = yield* ProcessShare
    if (!share.roles.has("watch")) return
    const served = new Set(all.map(({ chain }) => chain.id))
    // Processes that watch other chains may have other lanes.
    const watched = new Map(
      all.flatMap(({ chain }) =>
        worksOn(share, "watch", chain.id)
          ? [[chain.id, { chain, lanes: new Set<unknown>(keys.lanes(chain.id)) }] as const]
          : []
      )
    )
    const isGone = ({ details, kind }: Alert): boolean => {
      const { chainId } = details
      if (typeof chainId !== "number") return false
      if (!served.has(chainId)) return CONDITIONS.has(kind)
      const on = watched.get(chainId)
      return on !== undefined && SUBJECTS.get(kind)?.(details, on) === false
    }
    const supervised = Background.supervisor("removed subjects")
    yield* Background.loop(supervised, { pauseMillis: PAUSE_MILLIS }, alerts.clearWhere(isGone))
  })
).pipe(Layer.provide(StandingAlerts.layer))
