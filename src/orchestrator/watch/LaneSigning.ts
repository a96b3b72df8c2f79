/**
 * Signs versions of pending transactions. A lane that cannot sign holds up nothing that needs no signature: its alert is raised, and the
 * caller goes on with the bytes that are stored.
 */
import { Clock, Effect, Option } from "effect"
import { ageOf } from "../../domain/Age.ts"
import type * as Address from "../../domain/Address.ts"
import type { Chain } from "../../domain/Chain.ts"
import { RelayerKeys, type SigningFailed } from "../../ports/orchestrator/RelayerKeys.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import type { UnsignedTransaction } from "../../ports/shared/Transaction.ts"
import * as Signing from "../relay/Signing.ts"
import * as AgedMap from "../shared/AgedMap.ts"
import * as LaneAlerts from "../shared/LaneAlerts.ts"
import { RenewedAlerts } from "../shared/RenewedAlerts.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

/** Maximum time between two failures of one outage, in milliseconds. A signer that nobody has asked for longer may work again. */
const GAP_MILLIS = 60_000

/** Failures in a row, as UNIX milliseconds of the first and of the last one. */
interface Outage {
  readonly sinceMs: number
  readonly lastMs: number
}

/** Pause between two writes of an alert, in milliseconds. A pass may fail to sign many versions. */
const RAISE_MILLIS = 5_000

/** Makes `raise`, `end` and `review` for the alerts of lanes that cannot sign. */
const makeAlerts = Effect.gen(function* () {
  const renewed = yield* RenewedAlerts
  const standing = yield* StandingAlerts
  /** UNIX milliseconds of the newest failure of each lane, by the key of its alert. */
  const failures = AgedMap.make<string, number>(GAP_MILLIS)
  /** UNIX milliseconds of the newest write of each alert that this process renews, by key. */
  const raised = new Map<string, { readonly chainId: number; readonly atMs: number }>()

  const raise = Effect.fnUntraced(function* (chain: Chain, lane: Address.Address, detail: string) {
    const now = yield* Clock.currentTimeMillis
    const alert = LaneAlerts.cannotSign(chain, lane, detail)
    failures.set(alert.key, now, now)
    const before = raised.get(alert.key)
    if (before !== undefined && ageOf(now, before.atMs) < RAISE_MILLIS) return
    raised.set(alert.key, { chainId: chain.id, atMs: now })
    yield* renewed.raise(alert)
  })

  /** The lane has signed. Its alert stands while any process renews it, and `review` clears it after that. */
  const end = Effect.fnUntraced(function* ({ id }: Chain, lane: Address.Address) {
    yield* standing.clear(LaneAlerts.signingKey(id, lane))
    const key = LaneAlerts.versionSigningKey(id, lane)
    failures.delete(key)
    if (raised.delete(key)) yield* renewed.end(key)
  })

  /** Ends the alerts of lanes that have not failed lately, also of those that have nothing to sign any more. */
  const review = Effect.fnUntraced(function* ({ id }: Chain) {
    const now = yield* Clock.currentTimeMillis
    const own = [...raised].flatMap(([key, { chainId }]) => (chainId === id ? [key] : []))
    const left = [...(yield* renewed.left)].filter((key) => LaneAlerts.isVersionSigningKey(id, key))
    for (const key of new Set([...own, ...left])) {
      if (failures.get(key, now) !== undefined) continue
      raised.delete(key)
      yield* renewed.end(key)
    }
  })

  return { end, raise, review }
})

/** Makes `sign`, `failed`, `outageMillis` and `review`. */
export const make = Effect.gen(function* () {
  const alerts = yield* makeAlerts
  const keys = yield* RelayerKeys
  const signAttempt = yield* Signing.make
  /** By chain and lane. A restart forgets it, which only prolongs the wait. */
  const outages = new Map<string, Outage>()

  const note = ({ id }: Chain, lane: Address.Address, nowMs: number): Outage => {
    const key = LaneAlerts.signingKey(id, lane)
    const before = outages.get(key)
    const isOngoing = before !== undefined && nowMs - before.lastMs <= GAP_MILLIS
    const outage = { sinceMs: isOngoing ? before.sinceMs : nowMs, lastMs: nowMs }
    outages.set(key, outage)
    return outage
  }

  /** Notes that the lane could not sign, and raises its alert. */
  const failed = Effect.fnUntraced(function* (
    { chain }: ChainClient,
    lane: Address.Address,
    { detail, message }: SigningFailed
  ) {
    note(chain, lane, yield* Clock.currentTimeMillis)
    yield* Effect.annotateLogs(Effect.logError("watch.signing_failed"), { detail: message })
    yield* alerts.raise(chain, lane, detail)
  })

  /** The signed version. None if the lane cannot sign. */
  const sign = Effect.fnUntraced(function* (client: ChainClient, lane: Address.Address, content: UnsignedTransaction) {
    const signed = yield* Effect.result(signAttempt(lane, content))
    if (signed._tag === "Failure") {
      yield* failed(client, lane, signed.failure)
      return Option.none()
    }
    outages.delete(LaneAlerts.signingKey(client.chain.id, lane))
    yield* alerts.end(client.chain, lane)
    return Option.some(signed.success)
  })

  /** Time for which the lane has not been able to sign, in milliseconds. 0 if it could, or was not asked lately. */
  const outageMillis = Effect.fnUntraced(function* (chain: Chain, lane: Address.Address) {
    const nowMs = yield* Clock.currentTimeMillis
    const hasKey = keys.lanes(chain.id).includes(lane)
    const outage = hasKey ? outages.get(LaneAlerts.signingKey(chain.id, lane)) : note(chain, lane, nowMs)
    return outage === undefined || nowMs - outage.lastMs > GAP_MILLIS ? 0 : nowMs - outage.sinceMs
  })

  return { failed, outageMillis, review: alerts.review, sign }
})

export type LaneSigning = Effect.Success<typeof make>
