/**
 * Alerts of a condition that each process judges from its own place, such as by its own nodes. A process renews the alert from the look
 * that shows the condition until a look that shows its end. Another process that does not see it proves nothing, so that nobody clears an
 * alert that somebody renews.
 */
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import { ageOf } from "../../domain/Age.ts"
import { Alerts, type NewAlert } from "../../ports/shared/Alerts.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as Background from "../../runtime/Background.ts"

/** Pause between two renewals of what this process sees, in milliseconds. */
const RENEWAL_MILLIS = 5_000

/** Time after the last renewal from which nobody sees the condition any more, in milliseconds. Four renewals were missed. */
const LEFT_MILLIS = 20_000

/** Time for which all looks of the process share one listing of the standing alerts, in milliseconds. */
const LISTING_MILLIS = 4_000

/**
 * Time for which a finding is renewed that no look has repeated, in milliseconds. It exceeds the longest pass of a watcher. Beyond it,
 * this process may look no more, as after a tick over chains that other processes watch.
 */
const FINDING_MILLIS = 600_000

/** A listing of the standing alerts. */
interface Listing {
  /** UNIX milliseconds. */
  readonly atMillis: number
  /** The newest renewal of each alert by its key, with the UNIX milliseconds of the listing that saw it first. */
  readonly renewals: Map<string, { readonly renewal: string; readonly seenAtMillis: number }>
}

const make = Effect.gen(function* () {
  const { clear, list, raise } = yield* Alerts
  const oneAtATime = yield* Semaphore.make(1)
  /** Alerts whose condition this process sees, by their keys, with the UNIX milliseconds of the newest look. */
  const own = new Map<string, { readonly alert: NewAlert; readonly atMillis: number }>()
  let listing: Listing = { atMillis: Number.NEGATIVE_INFINITY, renewals: new Map() }

  const write = (alert: NewAlert, renewedAtMs: number) =>
    raise({ ...alert, details: { ...alert.details, renewedAtMs } })

  const newest = oneAtATime.withPermit(
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (ageOf(now, listing.atMillis) < LISTING_MILLIS) return listing
      const before = listing.renewals
      const renewals = (yield* list).map(({ details, id, key }) => {
        const renewal = `${id} ${details["renewedAtMs"]}`
        const known = before.get(key)
        return [key, known?.renewal === renewal ? known : { renewal, seenAtMillis: now }] as const
      })
      listing = { atMillis: now, renewals: new Map(renewals) }
      return listing
    })
  )

  const left = Effect.map(
    newest,
    ({ atMillis, renewals }): ReadonlySet<string> =>
      new Set([...renewals].flatMap(([key, { seenAtMillis }]) => (atMillis - seenAtMillis >= LEFT_MILLIS ? [key] : [])))
  )

  const renew = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    for (const [key, { alert, atMillis }] of own) {
      if (ageOf(now, atMillis) < FINDING_MILLIS) yield* write(alert, now)
      else own.delete(key)
    }
  })

  return RenewedAlerts.of({
    raise: Effect.fnUntraced(function* (alert) {
      const now = yield* Clock.currentTimeMillis
      own.set(alert.key, { alert, atMillis: now })
      yield* write(alert, now)
    }),
    end: Effect.fnUntraced(function* (key) {
      own.delete(key)
      if (!(yield* left).has(key)) return
      yield* clear(key)
      listing.renewals.delete(key)
    }),
    left,
    renew
  })
})

export class RenewedAlerts extends Context.Service<
  RenewedAlerts,
  {
    /** Raises the alert, or renews it. This process sees the condition until `end`, or until ten minutes after the last call. */
    readonly raise: (alert: NewAlert) => Effect.Effect<void, StoreUnavailable>
    /**
     * A look of this process shows that the condition does not hold. Clears the alert if it is `left`. Otherwise it stands until a later
     * call, so that each such look must make one.
     */
    readonly end: (key: string) => Effect.Effect<void, StoreUnavailable>
    /**
     * Keys of standing alerts that nobody has renewed for 20 seconds. The time is measured from when this process saw the last renewal, so
     * that the clocks of processes need not agree.
     */
    readonly left: Effect.Effect<ReadonlySet<string>, StoreUnavailable>
    /** Renews the alerts whose condition this process sees. */
    readonly renew: Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/orchestrator/RenewedAlerts") {
  /** Renews only when `renew` or `raise` is called. One for the whole process, so that all share its listings. */
  static readonly layerOnDemand = Layer.effect(RenewedAlerts, make)

  /** Renews every 5 seconds until the scope closes, since looks may be rarer, or may wait for a node for long. */
  static readonly layer = Layer.effectDiscard(
    Effect.gen(function* () {
      const { renew } = yield* RenewedAlerts
      yield* Background.loop(Background.supervisor("alert renewal"), { pauseMillis: RENEWAL_MILLIS }, renew)
    })
  ).pipe(Layer.provideMerge(RenewedAlerts.layerOnDemand))
}
