/** Turns of due webhook deliveries in memory. */
import { FAILING_WAIT_MILLIS, PER_FAILING_ENDPOINT } from "../../../domain/Webhook.ts"
import type { FreePlaces } from "../../../ports/builder/Webhooks.ts"

/** A pending delivery to an enabled endpoint, or a leased one to any endpoint. */
export interface Pending {
  readonly id: string
  readonly webhookId: string
  readonly builderId: string
  readonly dueAtMs: number
  readonly isLeased: boolean
  /** Last failure of an endpoint that fails. */
  readonly lastFailureMs?: number | undefined
}

interface Waiting extends Pending {
  /** Since it is due and its endpoint failed for the last time. */
  readonly sinceMs: number
  readonly standsBehind: boolean
}

type Order = (a: Waiting, b: Waiting) => number

const byWait: Order = (a, b) => a.sinceMs - b.sinceMs || Number(a.id) - Number(b.id)

const healthyFirst: Order = (a, b) => Number(a.standsBehind) - Number(b.standsBehind)

const isFailing = ({ lastFailureMs }: Pending): boolean => lastFailureMs !== undefined

const byDue = (a: Pending, b: Pending): number => a.dueAtMs - b.dueAtMs || Number(a.id) - Number(b.id)

/** The first deliveries of each group, as many as its places leave. */
const firstOf = <A extends Pending>(
  sorted: ReadonlyArray<A>,
  groupOf: (each: A) => string,
  freeOf: (each: A) => number
): ReadonlyArray<{ readonly each: A; readonly position: number }> => {
  const seen = new Map<string, number>()
  return sorted.flatMap((each) => {
    const position = (seen.get(groupOf(each)) ?? 0) + 1
    seen.set(groupOf(each), position)
    return position <= freeOf(each) ? [{ each, position }] : []
  })
}

/** Ids of the deliveries to lease, in the order of their turns. */
export const chosen = (pending: ReadonlyArray<Pending>, places: FreePlaces, nowMs: number): ReadonlyArray<string> => {
  const leased = pending.filter((each) => each.isLeased)
  const ofEndpoint = (id: string) => leased.filter(({ webhookId }) => webhookId === id).length
  const ofBuilder = (id: string) =>
    Math.max(places.open?.get(id) ?? 0, leased.filter(({ builderId }) => builderId === id).length)
  const due = pending.filter(({ dueAtMs, isLeased }) => !isLeased && dueAtMs <= nowMs).toSorted(byDue)
  const waiting = firstOf(
    due,
    ({ webhookId }) => webhookId,
    (each) => (isFailing(each) ? PER_FAILING_ENDPOINT : places.perEndpoint) - ofEndpoint(each.webhookId)
  ).map(({ each }): Waiting => {
    const sinceMs = Math.max(each.dueAtMs, each.lastFailureMs ?? 0)
    return { ...each, sinceMs, standsBehind: isFailing(each) && sinceMs > nowMs - FAILING_WAIT_MILLIS }
  })
  const turns = firstOf(
    waiting.toSorted((a, b) => healthyFirst(a, b) || byWait(a, b)),
    ({ builderId }) => builderId,
    ({ builderId }) => places.perBuilder - ofBuilder(builderId)
  )
    .map(({ each, position }) => ({ each, turn: ofBuilder(each.builderId) + position }))
    .toSorted((a, b) => healthyFirst(a.each, b.each) || a.turn - b.turn || byWait(a.each, b.each))
  const failing = new Set(turns.filter(({ each }) => isFailing(each)).slice(0, places.failingLimit))
  return turns
    .filter((each) => !isFailing(each.each) || failing.has(each))
    .slice(0, places.limit)
    .map(({ each }) => each.id)
}
