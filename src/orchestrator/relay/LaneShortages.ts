/**
 * Shortages of lanes that have their minimum balance, and not what one transaction may cost. The alert of a shortage is its only record,
 * so that every process knows it.
 */
import { Clock, Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import { ageOf } from "../../domain/Age.ts"
import type { Chain } from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { LaneBook, type LaneRecord } from "../../ports/orchestrator/LaneBook.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import { type Alert, Alerts } from "../../ports/shared/Alerts.ts"
import * as Interval from "../shared/Interval.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

/**
 * Time after which a shortage is over if no sweep has met it again, in milliseconds. With several lanes and few sweeps, a lane has its
 * turn only every few minutes, and its alert must not end between two turns. A refill ends it sooner.
 */
const SHORT_MILLIS = 1_800_000

/** Least time between two reviews of the shortages on a chain, in milliseconds. */
const REVIEW_MILLIS = 10_000

/** Lanes that an operator has taken out of use. No sweep waits for their refill. */
export const outOfUse = (states: ReadonlyMap<Address.Address, LaneRecord>): ReadonlySet<unknown> =>
  new Set([...states].flatMap(([lane, { state }]) => (state === "active" ? [] : [lane])))

/** Lanes at a look at all of them. */
interface Seen {
  /** Lanes in use with a known balance. */
  readonly lanes: ReadonlyArray<{ readonly address: Address.Address; readonly balance: bigint }>
  /** Lanes out of use. */
  readonly left: ReadonlySet<unknown>
}

/** True if the alert is one of `LaneAlerts.laneShort` that holds no longer. */
const isShortageOver = ({ details, kind }: Alert, chain: Chain, { lanes, left }: Seen, nowMs: number): boolean => {
  const { chainId, lane, neededWei, shortAtMs } = details
  if (kind !== "lane_low" || chainId !== chain.id || neededWei === undefined) return false
  if (left.has(lane)) return true
  const balance = lanes.find(({ address }) => address === lane)?.balance
  return ageOf(nowMs, Number(shortAtMs)) >= SHORT_MILLIS || (balance !== undefined && balance >= BigInt(neededWei))
}

/** Standing alerts are read again for shortages after this time, which is less than the pause of a sweep that a lane was short for. */
const SHORTAGES_LIFETIME = "1 second"

/** Wei that a sweep needs by the alert, if it is one of `LaneAlerts.laneShort` on the chain. */
const shortageOf = ({ details, kind }: Alert, chain: Chain, nowMs: number): ReadonlyArray<bigint> => {
  const { chainId, neededWei, shortAtMs } = details
  if (kind !== "lane_low" || chainId !== chain.id || typeof neededWei !== "string") return []
  return ageOf(nowMs, Number(shortAtMs)) < SHORT_MILLIS && /^[0-9]+$/.test(neededWei) ? [BigInt(neededWei)] : []
}

/**
 * Makes `shortages(chain)`: the wei of the sweeps that a lane of the chain was short for, whichever process met the shortage. Makes no
 * request. None while the database does not answer, since they only put lanes in order.
 */
export const make = Effect.gen(function* () {
  const list = yield* Effect.cachedWithTTL(
    Effect.orElseSucceed((yield* Alerts).list, () => []),
    SHORTAGES_LIFETIME
  )
  return Effect.fnUntraced(function* (chain: Chain) {
    const nowMs = yield* Clock.currentTimeMillis
    return (yield* list).flatMap((alert) => shortageOf(alert, chain, nowMs))
  })
})

/** Least time between two renewals of an alert of a shortage, in milliseconds. */
const RENEWAL_MILLIS = 60_000

/** A transaction that a lane could pay for. */
interface Stored {
  readonly lane: Address.Address
  /** Maximum cost in wei. */
  readonly wei: bigint
}

/** True if the alert is to be renewed: it stands for another lane that could not pay for the transaction. */
const isMet = (alert: Alert, chain: Chain, { lane, wei }: Stored, nowMs: number): boolean => {
  const { details } = alert
  if (details["lane"] === lane || ageOf(nowMs, Number(details["shortAtMs"])) < RENEWAL_MILLIS) return false
  return shortageOf(alert, chain, nowMs).some((needed) => needed <= wei)
}

/**
 * Makes `renewShortages(chain, stored)`, called after a transaction is stored. Lanes that cannot pay take no turn while another can, so
 * nothing else shows that they are still short. Lanes out of use are none of them. Reads the alerts at most every ten seconds, and again
 * for a dearer transaction. Raises none that was cleared. Never fails: the next transaction renews them.
 */
export const makeRenew = Effect.gen(function* () {
  const { amend, list } = yield* Alerts
  const keys = yield* RelayerKeys
  const { states } = yield* LaneBook
  /** Newest readings of the alerts, by chain. */
  const readings = new Map<number, { readonly atMs: number; readonly wei: bigint }>()

  return Effect.fnUntraced(
    function* (chain: Chain, stored: Stored) {
      if (keys.lanes(chain.id).length < 2) return
      const atMs = yield* Clock.currentTimeMillis
      const before = readings.get(chain.id)
      if (before !== undefined && ageOf(atMs, before.atMs) < REVIEW_MILLIS && stored.wei <= before.wei) return
      readings.set(chain.id, { atMs, wei: stored.wei })
      const met = (yield* list).filter((alert) => isMet(alert, chain, stored, atMs))
      if (met.length === 0) return
      const left = outOfUse(yield* states)
      for (const { details, id } of met) if (!left.has(details["lane"])) yield* amend(id, { shortAtMs: atMs })
    },
    (effect) => Effect.ignore(effect)
  )
})

/** Makes `review(chain, seen)`, which ends alerts of shortages, whichever process raised them. */
export const makeReview = Effect.map(StandingAlerts, (alerts) => {
  const isDue = Interval.make<ChainId>(REVIEW_MILLIS)
  return Effect.fnUntraced(function* (chain: Chain, seen: Seen) {
    if (!(yield* isDue(chain.id))) return
    const nowMs = yield* Clock.currentTimeMillis
    yield* alerts.clearWhere((alert) => isShortageOver(alert, chain, seen, nowMs))
  })
})
