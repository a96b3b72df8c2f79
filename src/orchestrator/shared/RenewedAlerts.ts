/**
 * Alerts of a condition that each process sees from its own place. A process renews the alert while it sees the condition. Another
 * one that does not see it proves nothing, so that nobody clears an alert that somebody renews.
 */
import { Clock, Effect } from "effect"
import type { AlertKind } from "../../domain/AlertKind.ts"
import { Alerts, type NewAlert } from "../../ports/shared/Alerts.ts"

/** Time after the last renewal from which nobody sees the condition any more, in milliseconds. Four reviews were missed. */
const LEFT_MILLIS = 20_000

/**
 * Makes `renew(alert)`, which raises the alert or renews it, `left`, the keys of standing alerts of the kind that nobody has renewed for
 * 20 seconds, and `clear(key)`. The time is measured from the moment at which this process saw the last renewal, so that the clocks
 * of processes need not agree.
 */
export const make = Effect.fnUntraced(function* (kind: AlertKind) {
  const { clear, list, raise } = yield* Alerts
  let seen: ReadonlyMap<string, { readonly renewal: string; readonly atMillis: number }> = new Map()

  const renew = (alert: Omit<NewAlert, "kind">) =>
    Effect.flatMap(Clock.currentTimeMillis, (renewedAtMs) =>
      raise({ ...alert, kind, details: { ...alert.details, renewedAtMs } })
    )

  const left = Effect.gen(function* () {
    const standing = (yield* list).filter((alert) => alert.kind === kind)
    const now = yield* Clock.currentTimeMillis
    seen = new Map(
      standing.map(({ details, id, key }) => {
        const renewal = `${id} ${details["renewedAtMs"]}`
        const before = seen.get(key)
        return [key, before?.renewal === renewal ? before : { renewal, atMillis: now }] as const
      })
    )
    return new Set([...seen].flatMap(([key, { atMillis }]) => (now - atMillis >= LEFT_MILLIS ? [key] : [])))
  })

  return { clear, left, renew }
})
