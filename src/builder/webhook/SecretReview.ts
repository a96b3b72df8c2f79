/**
 * Stores the secrets of webhooks as the settings say: encrypted by the current key, or readable without one. So a key is changed by
 * setting the new one beside the former one, and the former one is removed once nothing is encrypted by it.
 */
import { Clock, Effect, Layer } from "effect"
import { Webhooks } from "../../ports/builder/Webhooks.ts"
import { Alerts } from "../../ports/shared/Alerts.ts"
import * as Background from "../../runtime/Background.ts"

const BATCH = 100

/** Pause between reviews, in milliseconds. */
const PAUSE_MILLIS = 60_000

const KIND = "secrets_unreadable"

/** The alert is cleared after so many reviews in a row that saw no renewal. A replica that cannot read the secrets renews it at each review. */
const LEFT_REVIEWS = 3

/** As {@link LEFT_REVIEWS}, for an alert without a time of renewal. The release before renews it without one, so no renewal is seen. */
const UNTIMED_LEFT_REVIEWS = 30

/** Makes one review of all secrets. */
export const make = Effect.gen(function* () {
  const alerts = yield* Alerts
  const webhooks = yield* Webhooks
  /** True if this process raised the alert, false if it cleared it. It leaves an alert that another process renews alone. */
  let isTold: boolean | undefined
  /** The newest renewal by another process, with the reviews since then. Clocks of processes may differ, so only a change counts. */
  let seen = { renewal: "", reviews: 0 }

  /** True if the alert stands and no process renews it. */
  const isLeft = Effect.gen(function* () {
    const alert = (yield* alerts.list).find(({ key }) => key === KIND)
    const renewedAtMs = alert?.details["renewedAtMs"]
    const renewal = alert === undefined ? "" : `${alert.id} ${renewedAtMs}`
    seen = { renewal, reviews: renewal === seen.renewal ? seen.reviews + 1 : 0 }
    return alert !== undefined && seen.reviews >= (renewedAtMs === undefined ? UNTIMED_LEFT_REVIEWS : LEFT_REVIEWS)
  })

  const tell = Effect.fnUntraced(function* (unreadable: number) {
    if (unreadable > 0) {
      yield* alerts.raise({
        key: KIND,
        severity: "critical",
        kind: KIND,
        message: `A replica cannot read the secrets of ${unreadable} webhooks, and sends nothing to them. Set SECRETS_KEY or SECRETS_FORMER_KEY on every replica to the key that encrypted them.`,
        details: { webhooks: unreadable, renewedAtMs: yield* Clock.currentTimeMillis }
      })
    } else if (isTold !== false || (yield* isLeft)) {
      yield* alerts.clear(KIND)
    }
    isTold = unreadable > 0
  })

  return Effect.gen(function* () {
    let stored = 0
    while (true) {
      const round = yield* webhooks.reseal(BATCH)
      stored += round.stored
      if (round.stored > 0 && round.unreadable < BATCH) continue
      if (stored > 0) yield* Effect.annotateLogs(Effect.logInfo("secrets.stored"), { count: stored })
      return yield* tell(round.unreadable)
    }
  }).pipe(Effect.withSpan("SecretReview.review"))
})

/** Runs until the scope closes. */
export const layer = Layer.effectDiscard(
  Effect.flatMap(make, (review) =>
    Background.loop(Background.supervisor("secret_review"), { pauseMillis: PAUSE_MILLIS }, review)
  )
)
