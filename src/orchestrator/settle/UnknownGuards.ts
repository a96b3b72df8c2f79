/** Orders of guards that the chain's settings lack: they wait, and an alert names the guard. */
import { Clock, Effect } from "effect"
import * as Generations from "../../domain/Generations.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as AgedMap from "../shared/AgedMap.ts"
import { RenewedAlerts } from "../shared/RenewedAlerts.ts"

/** Time for which an order waits before the alert, in milliseconds. During a rolling restart, a replica that has the guard decides it. */
const ALERT_MILLIS = 60_000

/** Time after the last look at an order that waits, in milliseconds, after which none is taken to wait. It exceeds the longest pause of looks. */
const KEPT_MILLIS = 600_000

/** Pause between two writes of an alert, in milliseconds. Many orders may wait for one guard. */
const RAISE_MILLIS = 10_000

/** Makes `contractsOf(client, intent)`, which notes an order of an unknown guard, and `review(client)`, which ends alerts that nobody renews. */
export const make = Effect.gen(function* () {
  const alerts = yield* RenewedAlerts
  /** UNIX milliseconds of the first look at each order that waits, by intent id. */
  const waiting = AgedMap.make<string, number>(KEPT_MILLIS)
  /** UNIX milliseconds of the newest write of each alert, by key. */
  const raised = AgedMap.make<string, number>(KEPT_MILLIS)

  const note = Effect.fnUntraced(function* ({ chain }: ChainClient, { id, order, quote }: Intent) {
    const now = yield* Clock.currentTimeMillis
    const sinceMs = waiting.get(id, now) ?? now
    waiting.set(id, sinceMs, now)
    if (now - sinceMs < ALERT_MILLIS) return
    const guardEnd = Generations.guardEnd(order.nonce)
    const key = `${prefixOf(chain.id)}${guardEnd}`
    if (now - (raised.get(key, now) ?? Number.NEGATIVE_INFINITY) < RAISE_MILLIS) return
    raised.set(key, now, now)
    yield* alerts.raise({
      key,
      severity: "critical",
      kind: "guard_unknown",
      message: `Intent ${id} on ${chain.name} names a guard whose address ends in ${guardEnd}, which a process does not have in its chains file. Nothing decides the intent there. Add the contracts of the delegate ${quote.settlementAddress} to earlierContracts of the chain on all replicas, and restart them.`,
      details: { chainId: chain.id, intentId: id, guardEnd, delegate: quote.settlementAddress }
    })
  })

  /** Contracts of the intent's order. Undefined if the chain's settings lack its guard. */
  const contractsOf = Effect.fnUntraced(function* (client: ChainClient, intent: Intent) {
    const known = Generations.known(client.chain, intent.order.nonce)
    if (known === undefined) yield* note(client, intent)
    return known
  })

  const review = Effect.fnUntraced(function* ({ chain }: ChainClient) {
    const now = yield* Clock.currentTimeMillis
    for (const key of yield* alerts.left) {
      if (key.startsWith(prefixOf(chain.id)) && raised.get(key, now) === undefined) yield* alerts.end(key)
    }
  })

  return { contractsOf, review }
})

const prefixOf = (chainId: number): string => `guard_unknown:${chainId}:`
