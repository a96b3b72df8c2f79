/** Order nonces that are spent on chain while no event says by whom: alerts about them, and the times of the next looks for an event. */
import { Clock, Effect } from "effect"
import { ageOf } from "../../domain/Age.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { spenderLookMillis } from "../../domain/Backoff.ts"
import { Alerts } from "../../ports/shared/Alerts.ts"
import { type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as Interval from "../shared/Interval.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

/** An alert is raised when a node's logs lag its state by more. */
const ALERT_MILLIS = 60_000

/** Interval of reviews: the longest time that an alert stands after its cause is gone. */
const REVIEW_MILLIS = 10_000

interface Unseen {
  readonly sinceMs: number
  /** Complete searches after the order's deadline and the alert's time. */
  readonly looks: number
  /** UNIX milliseconds of the newest look. */
  readonly lookedAtMs: number
  /** Pause until the next look. */
  readonly pauseMillis: number
}

/**
 * Makes `note`, for an intent whose spender a complete search did not show, `forget`, for one that is decided or unspent, `isResting`, and
 * `review`, which clears the alerts of ended intents, also those that another process raised.
 */
export const make = Effect.gen(function* () {
  const standing = yield* StandingAlerts
  const { clear, list } = yield* Alerts
  const intents = yield* Intents
  const noted = new Map<string, Unseen>()
  const isDue = Interval.make<ChainId>(REVIEW_MILLIS)

  const note = Effect.fnUntraced(function* ({ chain }: ChainClient, { id, order }: Intent, expired: boolean) {
    const now = yield* Clock.currentTimeMillis
    const { looks: before, sinceMs: noticedAtMs } = noted.get(id) ?? { looks: 0, sinceMs: now }
    // The clock may have been set back meanwhile.
    const sinceMs = Math.min(now, noticedAtMs)
    const isLate = now - sinceMs > ALERT_MILLIS
    const looks = isLate && expired ? before + 1 : 0
    noted.set(id, { sinceMs, looks, lookedAtMs: now, pauseMillis: looks === 0 ? 0 : spenderLookMillis(looks) })
    if (!isLate) return
    yield* standing.raise({
      key: keyOf(chain.id, id),
      severity: "warning",
      kind: "spender_unseen",
      message: `The nonce of intent ${id} is spent on ${chain.name}, but its node has no event that says by whom. Check that the node serves logs up to its newest block, or add another one. The intent waits.`,
      details: { chainId: chain.id, intentId: id, owner: order.owner, nonce: order.nonce.toString() }
    })
  })

  /**
   * True until the intent's next look. After the deadline the nonce cannot settle the order any more, so only logs that the node did not
   * show yet can decide the intent. An owner can spend a nonce in an earlier guard so that no log ever shows it, and each look costs
   * searches of its logs. A node whose logs lag for less than the alert's time holds up nothing.
   */
  const isResting = ({ id }: Intent) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const last = noted.get(id)
      return last !== undefined && ageOf(now, last.lookedAtMs) < last.pauseMillis
    })

  const forget = Effect.fnUntraced(function* ({ chain }: ChainClient, { id }: Intent) {
    if (noted.delete(id)) yield* standing.clear(keyOf(chain.id, id))
  })

  const review = Effect.fnUntraced(function* ({ chain }: ChainClient) {
    if (!(yield* isDue(chain.id))) return
    const alerted = (yield* list).flatMap(({ details, kind }) =>
      kind === "spender_unseen" && details["chainId"] === chain.id ? [String(details["intentId"])] : []
    )
    const open = new Set<string>()
    const known = [...new Set([...alerted, ...noted.keys()])]
    if (known.length === 0) return
    for (const { id, status } of yield* intents.findAll(known)) if (status === "submitted") open.add(id)
    for (const id of known) if (!open.has(id)) noted.delete(id)
    // Another process may have raised the alert after this one cleared it, so this clears it in the store.
    yield* Effect.forEach(
      alerted.filter((id) => !open.has(id)),
      (id) => clear(keyOf(chain.id, id))
    )
  })

  return { note, forget, isResting, review }
})

const keyOf = (chainId: number, intentId: string): string => `spender_unseen:${chainId}:${intentId}`
