/** Deletes what nobody needs any more, and keeps the sums short. Any number of replicas may do so at once. */
import { Clock, Effect, Layer } from "effect"
import { KeptData, type Kind } from "../../ports/orchestrator/KeptData.ts"
import * as Background from "../../runtime/Background.ts"
import * as Retained from "../../runtime/Retention.ts"
import { LOOP_FAILURES } from "../../telemetry/metrics/Process.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"

/** Pause between two sums. At most the changes of this time are added up by a read. */
const SUM_MILLIS = 5_000

/** Pause between two looks at the months: those to come need room, and the history of old ones is dropped. */
const MONTHS_MILLIS = 3_600_000

/** Name of the loop that drops old months. */
const OLD_MONTHS = "old_months"

/** Age of a delivery from which its transaction is no longer looked for, with a day to spare. */
const FILLS_MILLIS = 8 * 86_400_000

/** Runs while the layer lives. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const kept = yield* KeptData
    const { retention } = yield* OrchestratorSettings
    const aging = (kind: Kind, keepMillis: number) => ({
      kind,
      keepMillis,
      prune: (beforeMs: number, limit: number) => kept.prune(kind, beforeMs, limit)
    })
    yield* Retained.loops([
      aging("quotes", retention.quotesMillis),
      aging("messages", retention.messagesMillis),
      aging("rejections", retention.messagesMillis),
      aging("attempts", retention.attemptsMillis),
      aging("events", retention.eventsMillis),
      aging("fills", FILLS_MILLIS),
      aging("alerts", retention.alertsMillis),
      aging("responses", 0)
    ])
    yield* Background.loop(Background.supervisor("months"), { pauseMillis: MONTHS_MILLIS }, kept.addMonths)
    // An outage of the database ends. A month that cannot be dropped stays, so each failure is reported.
    const dropped = Effect.gen(function* () {
      const months = yield* kept.dropMonths((yield* Clock.currentTimeMillis) - retention.eventsMillis)
      if (months > 0) yield* Effect.logInfo("retention.months_dropped").pipe(Effect.annotateLogs({ months }))
    }).pipe(
      Effect.catchTag("StoreUnavailable", ({ message: detail }) =>
        Effect.andThen(
          LOOP_FAILURES.record(1, { loop: OLD_MONTHS }),
          Effect.annotateLogs(Effect.logError("retention.months_not_dropped"), { detail })
        )
      )
    )
    yield* Background.loop(Background.supervisor(OLD_MONTHS), { pauseMillis: MONTHS_MILLIS }, dropped)
    yield* Background.loop(Background.supervisor("counts"), { pauseMillis: SUM_MILLIS }, kept.sumUp)
  })
)
