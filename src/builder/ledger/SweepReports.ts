/** Stores the orchestrator's reports of attributed sweeps, and publishes each to the builder's webhooks in the same transaction. */
import { Clock, Context, Effect, Layer } from "effect"
import type { SweepEvent } from "../../domain/SweepEvent.ts"
import { eventMessage } from "../../domain/Webhook.ts"
import { Alerts } from "../../ports/shared/Alerts.ts"
import type { Booked, UnknownBuilder } from "../../ports/builder/Ledger.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { type SweepConflict, Sweeps } from "../../ports/builder/Sweeps.ts"
import { UnitOfWork } from "../../ports/builder/UnitOfWork.ts"
import { Webhooks } from "../../ports/builder/Webhooks.ts"
import * as RecentTraces from "../../telemetry/RecentTraces.ts"

export class SweepReports extends Context.Service<
  SweepReports,
  {
    /** Stores an event once. Different content under its id is refused, and raises an alert. */
    readonly report: (event: SweepEvent) => Effect.Effect<Booked, SweepConflict | UnknownBuilder | StoreUnavailable>
  }
>()("sweep/builder/SweepReports") {
  static readonly layer = Layer.effect(
    SweepReports,
    Effect.gen(function* () {
      const alerts = yield* Alerts
      const sweeps = yield* Sweeps
      const webhooks = yield* Webhooks
      const { atomically } = yield* UnitOfWork

      const alertConflict = Effect.fnUntraced(function* ({ id }: SweepConflict) {
        yield* alerts.raise({
          key: `sweep_event_conflict:${id}`,
          severity: "warning",
          kind: "sweep_event_conflict",
          message: "A sweep's event was reported again with different content. Its builder keeps the first report.",
          // Ends the alert: EventConflictReview.
          details: { eventId: id, lastAtMs: yield* Clock.currentTimeMillis }
        })
      })

      const keep = Effect.fnUntraced(function* (event: SweepEvent) {
        const booked = yield* sweeps.record(event)
        const message = eventMessage(event)
        if (booked === "added") {
          yield* RecentTraces.note(message.id)
          yield* webhooks.publish(event.builderId, message)
        }
        return booked
      }, atomically)

      return SweepReports.of({
        report: Effect.fn("SweepReports.report")((event) =>
          keep(event).pipe(
            // The last report agrees with the first again.
            Effect.tap((booked) =>
              booked === "already_booked" ? alerts.clear(`sweep_event_conflict:${event.id}`) : Effect.void
            ),
            Effect.tapErrorTag("SweepConflict", alertConflict)
          )
        )
      })
    })
  )
}
