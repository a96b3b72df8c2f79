/**
 * Clears alerts of subjects that were removed from the settings, whose conditions nobody reviews any more: chains, lanes, targets of the
 * guard, and listed tokens. The treasury ends its own, since it knows what it sells. Processes may have different settings, so a chain that
 * this process lacks counts as removed only when no living process works on it.
 */
import { Effect, Layer } from "effect"
import * as Address from "../../domain/Address.ts"
import type { AlertKind } from "../../domain/AlertKind.ts"
import type { Chain } from "../../domain/Chain.ts"
import { CHAIN_ROLES, nameOf, worksOn } from "../../domain/Role.ts"
import { Heartbeats } from "../../ports/orchestrator/Heartbeats.ts"
import { type Alert, Alerts } from "../../ports/shared/Alerts.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { LaneBook } from "../../ports/orchestrator/LaneBook.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import * as Background from "../../runtime/Background.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
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
  "guard_unknown",
  "lane_delegated",
  "lane_low",
  "logs_unavailable",
  "nonce_doubted",
  "owner_blocks_batch",
  "price_deviates",
  "price_unavailable",
  "relayer_paused",
  "role_unserved",
  "screening_unavailable",
  "signing_failed",
  "simulation_unavailable",
  "spend_cap",
  "spender_unseen",
  "target_expiring",
  "token_decimals",
  "transaction_rejected",
  "treasury_key",
  "treasury_unsellable",
  "treasury_vault",
  "wrong_chain_id"
])

/** A chain and what the settings name on it. */
interface Configured {
  readonly chain: Chain
  /** Lanes with a key. */
  readonly lanes: ReadonlySet<unknown>
  /** Lanes without a key that have nothing in flight. Transactions of the others are followed to their end, and raise alerts. */
  readonly left: ReadonlySet<unknown>
}

type IsConfigured = (details: Alert["details"], on: Configured) => boolean

const isLane: IsConfigured = ({ lane }, { left }) => !left.has(lane)

/** Decides by the details of an alert if the settings still name its subject. */
const SUBJECTS: ReadonlyMap<string, IsConfigured> = new Map<AlertKind, IsConfigured>([
  ["foreign_nonce", isLane],
  // One for the chain, without a lane, and one for each lane whose transaction waits.
  ["gas_price", isLane],
  ["lane_delegated", isLane],
  ["lane_low", isLane],
  ["nonce_doubted", isLane],
  ["signing_failed", isLane],
  ["transaction_rejected", isLane],
  [
    "price_deviates",
    ({ token }, { chain }) => token === chain.wrappedNative || chain.tokens.some(({ address }) => address === token)
  ],
  [
    "target_expiring",
    ({ target }, { chain: { targets = [] } }) =>
      targets.some(({ address, expiresAt }) => address === target && expiresAt !== undefined)
  ],
  ["token_decimals", ({ token }, { chain: { tokens } }) => tokens.some(({ address }) => address === token)]
])

/** Makes the effect that finds the lanes of standing alerts that have left a chain, with nothing in flight. */
const makeLeft = Effect.gen(function* () {
  const alerts = yield* Alerts
  const book = yield* LaneBook
  return Effect.fnUntraced(function* ({ chain, lanes }: Pick<Configured, "chain" | "lanes">) {
    const standing = (yield* alerts.list).filter(({ details }) => details["chainId"] === chain.id)
    const named = new Set(
      standing.flatMap(({ details: { lane } }) => (typeof lane === "string" ? [Address.stored(lane)] : []))
    )
    const without = [...named].filter((lane) => !lanes.has(lane))
    return new Set<unknown>(
      yield* Effect.filter(without, (lane) =>
        Effect.map(book.inFlight(lane), (inFlight) => (inFlight.get(chain.id) ?? 0) === 0)
      )
    )
  })
})

/** Makes the effect that reads the heartbeats. It returns a test that is true for chains on which a living process works. */
const makeAttended = Effect.gen(function* () {
  const { ages } = yield* Heartbeats
  const { lifetimeMillis } = (yield* OrchestratorSettings).roles
  return Effect.map(ages, (all): ((chainId: number) => boolean) => {
    const isAlive = (post: string) => (all.get(post) ?? Number.POSITIVE_INFINITY) <= lifetimeMillis
    return (chainId) => CHAIN_ROLES.some((role) => isAlive(nameOf({ role, chainId })))
  })
})

/** Runs until the scope closes. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const alerts = yield* StandingAlerts
    const { all } = yield* Chains
    const keys = yield* RelayerKeys
    const share = yield* ProcessShare
    if (!share.roles.has("watch")) return
    const attended = yield* makeAttended
    const leftOf = yield* makeLeft
    const served = new Set(all.map(({ chain }) => chain.id))
    // Processes that watch other chains may have other lanes.
    const watched = all.flatMap(({ chain }) =>
      worksOn(share, "watch", chain.id) ? [{ chain, lanes: new Set<unknown>(keys.lanes(chain.id)) }] : []
    )
    const isGoneOf =
      (configured: ReadonlyMap<number, Configured>, isAttended: (chainId: number) => boolean) =>
      ({ details, kind }: Alert): boolean => {
        const { chainId } = details
        if (typeof chainId !== "number") return false
        if (!served.has(chainId)) return CONDITIONS.has(kind) && !isAttended(chainId)
        const on = configured.get(chainId)
        return on !== undefined && SUBJECTS.get(kind)?.(details, on) === false
      }
    const review = Effect.gen(function* () {
      const configured = yield* Effect.forEach(watched, (on) =>
        Effect.map(leftOf(on), (left) => [on.chain.id, { ...on, left }] as const)
      )
      yield* alerts.clearWhere(isGoneOf(new Map(configured), yield* attended))
    })
    const supervised = Background.supervisor("removed subjects")
    yield* Background.loop(supervised, { pauseMillis: PAUSE_MILLIS }, review)
  })
).pipe(Layer.provide(StandingAlerts.layer))
