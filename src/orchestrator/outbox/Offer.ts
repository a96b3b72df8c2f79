/** Offers one message of the outbox to the builder backend, and records the answer. */
import { Cause, Clock, Effect, Random } from "effect"
import type { OutboxMessage } from "../../domain/Accrual.ts"
import { backoffMillis } from "../../domain/Backoff.ts"
import { BuilderLedger, type LedgerRefused } from "../../ports/orchestrator/BuilderLedger.ts"
import { Outbox, type OutboxEntry, type UnreadableMessage } from "../../ports/orchestrator/Outbox.ts"
import type { NewAlert } from "../../ports/shared/Alerts.ts"
import * as SweepTrace from "../../telemetry/SweepTrace.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

/**
 * Attempts before a 404 counts as a refusal: about an hour, in which a rolling upgrade replaces a backend that is older than
 * the orchestrator and lacks the route. Only events can be lost, never money.
 */
const UNKNOWN_ROUTE_ATTEMPTS = 20

export type Outcome = "delivered" | "deferred" | "rejected"

/** Makes `offer(entry)`. Fails only when the store does. */
export const make = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const ledger = yield* BuilderLedger
  const outbox = yield* Outbox

  const defer = Effect.fnUntraced(function* ({ attempts, id }: OutboxEntry, detail: string) {
    const delay = backoffMillis(attempts + 1, yield* Random.next)
    yield* Effect.logWarning("outbox.deferred").pipe(Effect.annotateLogs({ detail, delay }))
    yield* outbox.defer(id, (yield* Clock.currentTimeMillis) + delay, detail)
    return "deferred" as const
  })

  const reject = Effect.fnUntraced(function* (entry: OutboxEntry, refused: LedgerRefused) {
    // The alert comes first: a crash in between repeats both, and leaves no refusal unseen.
    yield* alerts.raise(alertOf(entry, refused, yield* Clock.currentTimeMillis))
    yield* outbox.reject(entry.id, refused.message)
    return "rejected" as const
  })

  const setAside = Effect.fnUntraced(function* (id: string, detail: string) {
    yield* alerts.raise({
      key: `outbox_unreadable:${id}`,
      severity: "critical",
      kind: "outbox_unreadable",
      message:
        "A message for the builder backend cannot be read, so it is set aside. Compare the builder's books with what was settled, and correct them there. The alert is cleared when the row is repaired or removed.",
      details: { outboxId: id, detail }
    })
    yield* Effect.logError("outbox.unreadable").pipe(Effect.annotateLogs({ detail }))
    yield* outbox.reject(id, detail)
    return "rejected" as const
  })

  return Effect.fn("OutboxDelivery.offer")(
    function* ({ id, message }: OutboxEntry) {
      if (message._tag === "Unreadable") return yield* setAside(id, message.detail)
      yield* message._tag === "SweepEvent" ? ledger.tell(message.event) : ledger.book(message)
      // A crash before this line offers the message again, which changes nothing at the receiver.
      yield* outbox.acknowledge(id)
      // The backend has the route, so it is not older than the orchestrator.
      if (message._tag === "SweepEvent") yield* alerts.clear(eventAlertKey(404))
      yield* Effect.logDebug("outbox.delivered")
      return "delivered" as const
    },
    (effect, entry) =>
      effect.pipe(
        Effect.catchTags({
          LedgerUnavailable: ({ detail }) => defer(entry, detail),
          LedgerRefused: (refused) =>
            refused.status === 404 && entry.attempts < UNKNOWN_ROUTE_ATTEMPTS
              ? defer(entry, refused.message)
              : reject(entry, refused)
        }),
        // One message holds no other up.
        Effect.catchDefect((defect) =>
          Effect.andThen(Effect.logError("outbox.failed", Cause.die(defect)), defer(entry, String(defect)))
        ),
        SweepTrace.within("outbox.offered", entry.trace),
        Effect.annotateLogs({ ...messageFields(entry.message), outboxId: entry.id, attempts: entry.attempts })
      )
  )
})

const messageFields = (message: OutboxMessage | UnreadableMessage): Record<string, string> => {
  if (message._tag === "Unreadable") return { entry: message._tag }
  if (message._tag === "SweepEvent") return { entry: message._tag, eventId: message.event.id }
  const { amount, sweepId, token } = message._tag === "Accrual" ? message.accrual : message.revenue
  return { entry: message._tag, sweepId, token, amount: amount.toString() }
}

const eventAlertKey = (status: number): string => `sweep_event_rejected:${status}`

const alertOf = ({ id, message }: OutboxEntry, refused: LedgerRefused, nowMs: number): NewAlert => {
  const details = { ...messageFields(message), outboxId: id, status: refused.status, detail: refused.detail }
  if (message._tag === "SweepEvent") {
    return {
      key: eventAlertKey(refused.status),
      severity: "warning",
      kind: "sweep_event_rejected",
      message:
        "The builder backend rejected a sweep's event, so its builder is not told. No money is affected. Check that the backend is not older than the orchestrator.",
      details: { ...details, lastAtMs: nowMs }
    }
  }
  return {
    key: `outbox_rejected:${id}`,
    severity: "critical",
    kind: "outbox_rejected",
    message: `The builder backend rejected a ${message._tag.toLowerCase()} for good: its books differ from what was settled. Correct them there. The message is offered again every 30 seconds. Close it if the books are right without it.`,
    details
  }
}
