/**
 * Deletes what nobody needs any more, and keeps the sums short. Any number of replicas may do so at once. The log of webhooks
 * is deleted by `WebhookDelivery`; ledger, revenue, payouts and audit log stay.
 */
import { Effect, Layer } from "effect"
import { KeptData, type Kind } from "../../ports/builder/KeptData.ts"
import * as Background from "../../runtime/Background.ts"
import * as Retained from "../../runtime/Retention.ts"
import { BuilderSettings } from "./BuilderSettings.ts"

/** Pause between two sums. At most the changes of this time are added up by a read. */
const SUM_MILLIS = 5_000

/** Runs while the layer lives. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const kept = yield* KeptData
    const { retention } = yield* BuilderSettings
    const aging = (kind: Kind, keepMillis: number) => ({
      kind,
      keepMillis,
      prune: (beforeMs: number, limit: number) => kept.prune(kind, beforeMs, limit)
    })
    yield* Retained.loops([
      aging("events", retention.eventsMillis),
      aging("alerts", retention.alertsMillis),
      aging("sessions", 0),
      aging("nonces", 0)
    ])
    yield* Background.loop(Background.supervisor("sums"), { pauseMillis: SUM_MILLIS }, kept.sumUp)
  })
)
