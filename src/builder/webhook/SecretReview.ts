/**
 * Stores the secrets of webhooks as the settings say: encrypted by the current key, or readable without one. So a key is changed by
 * setting the new one beside the former one, and the former one is removed once nothing is encrypted by it.
 */
import { Effect, Layer } from "effect"
import { Webhooks } from "../../ports/builder/Webhooks.ts"
import { Alerts } from "../../ports/shared/Alerts.ts"
import * as Background from "../../runtime/Background.ts"

const BATCH = 100

/** Pause between reviews, in milliseconds. */
const PAUSE_MILLIS = 60_000

const KIND = "secrets_unreadable"

/** One review of all secrets. */
export const review = Effect.fn("SecretReview.review")(function* () {
  const alerts = yield* Alerts
  const webhooks = yield* Webhooks
  let stored = 0
  while (true) {
    const round = yield* webhooks.reseal(BATCH)
    stored += round.stored
    if (round.stored > 0 && round.unreadable < BATCH) continue
    if (stored > 0) yield* Effect.annotateLogs(Effect.logInfo("secrets.stored"), { count: stored })
    if (round.unreadable === 0) return yield* alerts.clear(KIND)
    return yield* alerts.raise({
      key: KIND,
      severity: "critical",
      kind: KIND,
      message: `The secrets of ${round.unreadable} webhooks cannot be read, so nothing is sent to them. Set SECRETS_FORMER_KEY to the key that encrypted them.`,
      details: { webhooks: round.unreadable }
    })
  }
})

/** Runs until the scope closes. */
export const layer = Layer.effectDiscard(
  Background.loop(Background.supervisor("secret_review"), { pauseMillis: PAUSE_MILLIS }, review())
)
