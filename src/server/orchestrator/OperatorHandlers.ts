/** The operator's routes. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { OrchestratorApi } from "../../api/orchestrator/OrchestratorApi.ts"
import { NotFound, Unavailable } from "../../api/shared/Errors.ts"
import * as Uuid from "../../domain/Uuid.ts"
import * as AlertClosing from "../../orchestrator/operate/AlertClosing.ts"
import * as ExposureReporting from "../../orchestrator/operate/ExposureReporting.ts"
import { HealthCheck } from "../../orchestrator/operate/HealthCheck.ts"
import { IntentDesk } from "../../orchestrator/operate/IntentDesk.ts"
import { OutboxDelivery } from "../../orchestrator/outbox/OutboxDelivery.ts"
import { Watcher } from "../../orchestrator/watch/Watcher.ts"
import { Alerts } from "../../ports/shared/Alerts.ts"
import { mask } from "../shared/Masked.ts"
import { ACTOR } from "./Operator.ts"

const unavailable = mask(() => new Unavailable())

/** Twice the time that a sweep takes on a slow chain. */
const STUCK_SECONDS = 120

const LIMIT = 50

export const operator = HttpApiBuilder.group(
  OrchestratorApi,
  "operator",
  Effect.fnUntraced(function* (handlers) {
    const watcher = yield* Watcher
    const healthCheck = yield* HealthCheck
    const alerts = yield* Alerts
    const delivery = yield* OutboxDelivery
    const desk = yield* IntentDesk
    const exposure = yield* ExposureReporting.make
    const closeAlert = yield* AlertClosing.make
    return handlers
      .handle(
        "tick",
        Effect.fn("POST /watch/tick")(() => watcher.tick, Effect.catchTag("StoreUnavailable", unavailable))
      )
      .handle(
        "health",
        Effect.fn("GET /admin/health")(() => healthCheck.check)
      )
      .handle(
        "alerts",
        Effect.fn("GET /admin/alerts")(() => alerts.list, Effect.catchTag("StoreUnavailable", unavailable))
      )
      .handle(
        "exposure",
        Effect.fn("GET /admin/exposure")(() => exposure(), Effect.catchTag("StoreUnavailable", unavailable))
      )
      .handle(
        "stuck",
        Effect.fn("GET /admin/intents")(
          ({ query: { limit = LIMIT, olderThanSeconds = STUCK_SECONDS } }) =>
            desk.stuck({ limit, olderThanMillis: olderThanSeconds * 1000 }),
          Effect.catchTag("StoreUnavailable", unavailable)
        )
      )
      .handle(
        "retry",
        Effect.fn("POST /admin/intents/:id/retry")(
          function* ({ params: { id } }) {
            const outcome = yield* desk.retry(Uuid.stored(id), ACTOR)
            return yield* Effect.mapError(Effect.fromOption(outcome), () => new NotFound())
          },
          Effect.catchTag("StoreUnavailable", unavailable)
        )
      )
      .handle(
        "closeMessage",
        Effect.fn("POST /admin/outbox/:id/close")(
          function* ({ params: { id } }) {
            if (!(yield* delivery.close(id, ACTOR))) return yield* new NotFound()
            return { id, outcome: "closed" as const }
          },
          Effect.catchTag("StoreUnavailable", unavailable)
        )
      )
      .handle(
        "closeAlert",
        Effect.fn("POST /admin/alerts/:id/close")(
          function* ({ params: { id } }) {
            if (!(yield* closeAlert(id, ACTOR))) return yield* new NotFound()
            return { id, outcome: "closed" as const }
          },
          Effect.catchTag("StoreUnavailable", unavailable)
        )
      )
  })
)
