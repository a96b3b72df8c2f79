/** Selects the lanes of a chain that may send: active ones whose signer answers, with enough balance for gas and without code. */
import { Clock, Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { AlertKind } from "../../domain/AlertKind.ts"
import type { Chain } from "../../domain/Chain.ts"
import { type Alert, Alerts, type NewAlert } from "../../ports/shared/Alerts.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import { LaneBook, type LaneRecord } from "../../ports/orchestrator/LaneBook.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import * as ChainLimits from "../shared/ChainLimits.ts"
import * as LaneAlerts from "../shared/LaneAlerts.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import * as LaneCounts from "./LaneCounts.ts"
import * as LaneGauges from "./LaneGauges.ts"

const laneLowKey = (chain: Chain, lane: Address.Address): string => `lane_low:${chain.id}:${lane}`

/** Alert for a lane whose balance does not cover its gas. */
export const laneLow = (chain: Chain, lane: Address.Address, detail: string): NewAlert => ({
  key: laneLowKey(chain, lane),
  severity: "critical",
  kind: "lane_low",
  message: `Lane ${lane} on ${chain.name} is short of ${chain.nativeSymbol} for gas and sends nothing until it is refilled.`,
  details: { chainId: chain.id, lane, detail }
})

/**
 * Time after which a shortage is over if no sweep has met it again, in milliseconds. With several lanes and few sweeps, a lane has its
 * turn only every few minutes, and its alert must not end between two turns. A refill ends it sooner.
 */
const SHORT_MILLIS = 1_800_000

/** Least time between two reviews of the shortages on a chain, in milliseconds. */
const REVIEW_MILLIS = 10_000

/** A transaction that a lane cannot pay for. */
interface Shortage {
  /** Balance in wei. */
  readonly balance: bigint
  /** Maximum cost of the transaction in wei. */
  readonly needed: bigint
  /** UNIX milliseconds. */
  readonly atMs: number
}

/**
 * Alert for a lane that has its minimum balance, and does not have what one transaction may cost. It stands beside that of {@link laneLow},
 * which looks at the lane would clear.
 */
export const laneShort = (chain: Chain, lane: Address.Address, { atMs, balance, needed }: Shortage): NewAlert => ({
  key: LaneAlerts.shortKey(chain.id, lane),
  severity: "critical",
  kind: "lane_low",
  message: `Lane ${lane} on ${chain.name} is short of ${chain.nativeSymbol} for a sweep at present fees. The sweep waits until the lane is refilled, or until another lane can pay for it.`,
  details: {
    chainId: chain.id,
    lane,
    detail: `it has ${balance} wei and the transaction may cost ${needed}`,
    neededWei: needed.toString(),
    shortAtMs: atMs
  }
})

/** Lanes that an operator has taken out of use. No sweep waits for their refill. */
const outOfUse = (states: ReadonlyMap<Address.Address, LaneRecord>): ReadonlySet<unknown> =>
  new Set([...states].flatMap(([lane, { state }]) => (state === "active" ? [] : [lane])))

/** Lanes at a look at all of them. */
interface Seen {
  /** Lanes in use with a known balance. */
  readonly lanes: ReadonlyArray<Pick<Lane, "address" | "balance">>
  /** Lanes out of use. */
  readonly left: ReadonlySet<unknown>
}

/** True if the alert is one of {@link laneShort} that holds no longer. */
const isShortageOver = ({ details, kind }: Alert, chain: Chain, { lanes, left }: Seen, nowMs: number): boolean => {
  const { chainId, lane, neededWei, shortAtMs } = details
  if (kind !== "lane_low" || chainId !== chain.id || neededWei === undefined) return false
  if (left.has(lane)) return true
  const balance = lanes.find(({ address }) => address === lane)?.balance
  return nowMs - Number(shortAtMs) >= SHORT_MILLIS || (balance !== undefined && balance >= BigInt(neededWei))
}

/** Standing alerts are read again for shortages after this time, which is less than the pause of a sweep that a lane was short for. */
const SHORTAGES_LIFETIME = "1 second"

/** Wei that a sweep needs by the alert, if it is one of {@link laneShort} on the chain. */
const shortageOf = ({ details, kind }: Alert, chain: Chain, nowMs: number): ReadonlyArray<bigint> => {
  const { chainId, neededWei, shortAtMs } = details
  if (kind !== "lane_low" || chainId !== chain.id || typeof neededWei !== "string") return []
  return nowMs - Number(shortAtMs) < SHORT_MILLIS && /^[0-9]+$/.test(neededWei) ? [BigInt(neededWei)] : []
}

/**
 * Makes `shortages(chain)`: the wei of the sweeps that a lane of the chain was short for, whichever process met the shortage. Makes no
 * request. None while the database does not answer, since they only put lanes in order.
 */
export const makeShortages = Effect.gen(function* () {
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
  if (details["lane"] === lane || nowMs - Number(details["shortAtMs"]) < RENEWAL_MILLIS) return false
  return shortageOf(alert, chain, nowMs).some((needed) => needed <= wei)
}

/**
 * Makes `renewShortages(chain, stored)`, called after a transaction is stored. Lanes that cannot pay take no turn while another can, so
 * nothing else shows that they are still short. Lanes out of use are none of them. Reads the alerts at most every ten seconds, and again
 * for a dearer transaction. Raises none that was cleared. Never fails: the next transaction renews them.
 */
export const makeRenewShortages = Effect.gen(function* () {
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
      if (before !== undefined && atMs - before.atMs < REVIEW_MILLIS && stored.wei <= before.wei) return
      readings.set(chain.id, { atMs, wei: stored.wei })
      const met = (yield* list).filter((alert) => isMet(alert, chain, stored, atMs))
      if (met.length === 0) return
      const left = outOfUse(yield* states)
      for (const { details, id } of met) if (!left.has(details["lane"])) yield* amend(id, { shortAtMs: atMs })
    },
    (effect) => Effect.ignore(effect)
  )
})

/** States of lanes are read again after this time, so that every replica follows an operator's change within two seconds. */
const STATES_LIFETIME = "1 second"

/** A lane that may send. */
export interface Lane {
  readonly address: Address.Address
  /** Balance in the newest block, in wei. */
  readonly balance: bigint
  /** Transaction count in the newest block. */
  readonly nonce: bigint
}

/** Makes `review(chain, seen)`, which ends alerts of shortages, whichever process raised them. */
const makeReview = Effect.map(StandingAlerts, (alerts) => {
  const reviewed = new Map<number, number>()
  return Effect.fnUntraced(function* (chain: Chain, seen: Seen) {
    const nowMs = yield* Clock.currentTimeMillis
    if (nowMs - (reviewed.get(chain.id) ?? Number.NEGATIVE_INFINITY) < REVIEW_MILLIS) return
    reviewed.set(chain.id, nowMs)
    yield* alerts.clearWhere((alert) => isShortageOver(alert, chain, seen, nowMs))
  })
})

/** Alerts that only a look at a lane ends. */
const KINDS: ReadonlySet<string> = new Set<AlertKind>(["lane_low", "lane_delegated", "nonce_doubted"])

/** Makes `hasAlert(chain)`, true if an alert stands that a look at the lanes of the chain may end. Makes no request. */
export const makeHasAlert = Effect.map(
  Alerts,
  (alerts) => (chain: Chain) =>
    Effect.map(alerts.list, (all) =>
      all.some(({ details, kind }) => KINDS.has(kind) && details["chainId"] === chain.id)
    )
)

/**
 * Makes `usableLanes(client, among)`, which looks at the lanes of the chain or only at those of `among`. Raises an alert for each that may
 * not send, and clears it once the lane may. A lane whose transaction count is in doubt is left out. Fails if no lane is left for that.
 */
export const make = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const { countOf, leave } = yield* LaneCounts.make
  const keys = yield* RelayerKeys
  const review = yield* makeReview
  const states = yield* Effect.cachedWithTTL((yield* LaneBook).states, STATES_LIFETIME)
  const { relayer } = yield* OrchestratorSettings

  return Effect.fn("Relay.lanes")(function* (client: ChainClient, among?: ReadonlyArray<Address.Address>) {
    const { chain } = client
    const minimum = ChainLimits.minLaneBalance(relayer, chain)
    const changed = yield* states
    const taking = yield* Effect.filter(keys.lanes(chain.id), (lane) =>
      (among?.includes(lane) ?? true) && (changed.get(lane)?.state ?? "active") === "active"
        ? keys.isAnswering(lane)
        : Effect.succeed(false)
    )
    const lanes = yield* Effect.forEach(
      taking,
      (address) =>
        Effect.all(
          {
            address: Effect.succeed(address),
            balance: client.balance(address),
            code: client.code(address),
            counted: countOf(client, address)
          },
          { concurrency: "unbounded" }
        ),
      { concurrency: "unbounded" }
    )
    yield* LaneGauges.note(chain, lanes, minimum)
    if (among === undefined) {
      const left = outOfUse(changed)
      yield* review(chain, { lanes, left })
      yield* Effect.forEach(
        keys.lanes(chain.id).filter((lane) => left.has(lane)),
        (lane) => leave(client, lane),
        { discard: true }
      )
    }
    const usable: Array<Lane> = []
    const doubts: Array<ChainUnavailable> = []
    for (const { address, balance, code, counted } of lanes) {
      const delegatedKey = `lane_delegated:${chain.id}:${address}`
      if (code === "0x") yield* alerts.clear(delegatedKey)
      else {
        yield* alerts.raise({
          key: delegatedKey,
          severity: "critical",
          kind: "lane_delegated",
          message: `Lane ${address} on ${chain.name} has code: nodes limit its pending transactions, and its delegate may spend its balance. Replace its key in RELAYER_KEYS.`,
          details: { chainId: chain.id, lane: address }
        })
      }
      if (balance >= minimum) yield* alerts.clear(laneLowKey(chain, address))
      else yield* alerts.raise(laneLow(chain, address, `it has ${balance} wei and needs ${minimum}`))
      if (code !== "0x" || balance < minimum) continue
      if (counted._tag === "Count") usable.push({ address, balance, nonce: counted.nonce })
      else doubts.push(counted.cause)
    }
    const [doubt] = doubts
    return usable.length === 0 && doubt !== undefined ? yield* doubt : usable
  })
})
