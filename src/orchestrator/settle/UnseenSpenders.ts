/** Alerts about order nonces that are spent on chain while no event says by whom. */
import { Clock, Effect } from "effect"
import { Alerts } from "../../ports/shared/Alerts.ts"
import { type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

/** An alert is raised when a node's logs lag its state by more. */
const ALERT_MILLIS = 60_000

/** Interval of reviews: the longest time that an alert stands after its cause is gone. */
const REVIEW_MILLIS = 10_000

/**
 * Makes `note`, for an intent whose spender is not seen, `forget`, for one that is decided or unspent, and `review`, which
 * clears the alerts of ended intents, also those that another process raised.
 */
export const make = Effect.gen(function* () {
  const standing = yield* StandingAlerts
  const { clear, list } = yield* Alerts
  const intents = yield* Intents
  const firstSeen = new Map<string, number>()
  const reviewed = new Map<number, number>()

  const note = Effect.fnUntraced(function* ({ chain }: ChainClient, { id, order }: Intent) {
    const now = yield* Clock.currentTimeMillis
    const since = firstSeen.get(id) ?? now
    firstSeen.set(id, since)
    if (now - since <= ALERT_MILLIS) return
    yield* standing.raise({
      key: keyOf(chain.id, id),
      severity: "warning",
      kind: "spender_unseen",
      message: `The nonce of intent ${id} is spent on ${chain.name}, but its node has no event that says by whom. Check that the node serves logs up to its newest block, or add another one. The intent waits.`,
      details: { chainId: chain.id, intentId: id, owner: order.owner, nonce: order.nonce.toString() }
    })
  })

  const forget = Effect.fnUntraced(function* ({ chain }: ChainClient, { id }: Intent) {
    if (firstSeen.delete(id)) yield* standing.clear(keyOf(chain.id, id))
  })

  const review = Effect.fnUntraced(function* ({ chain }: ChainClient) {
    const now = yield* Clock.currentTimeMillis
    if (now - (reviewed.get(chain.id) ?? -Infinity) < REVIEW_MILLIS) return
    reviewed.set(chain.id, now)
    const alerted = (yield* list).flatMap(({ details, kind }) =>
      kind === "spender_unseen" && details["chainId"] === chain.id ? [String(details["intentId"])] : []
    )
    const open = new Set<string>()
    const noted = [...new Set([...alerted, ...firstSeen.keys()])]
    if (noted.length === 0) return
    for (const { id, status } of yield* intents.findAll(noted)) if (status === "submitted") open.add(id)
    for (const id of noted) if (!open.has(id)) firstSeen.delete(id)
    // Another process may have raised the alert after this one cleared it, so this clears it in the store.
    yield* Effect.forEach(
      alerted.filter((id) => !open.has(id)),
      (id) => clear(keyOf(chain.id, id))
    )
  })

  return { note, forget, review }
})

const keyOf = (chainId: number, intentId: string): string => `spender_unseen:${chainId}:${intentId}`
