/**
 * Offers rejected messages again from time to time. An operator can correct the backend's books, or repair a row that could not be
 * read. Then the message is delivered, and its alert is cleared. A message that the books will never agree with is closed.
 */
import { Clock, Effect } from "effect"
import { LaneBook } from "../../ports/orchestrator/LaneBook.ts"
import { Outbox } from "../../ports/orchestrator/Outbox.ts"
import { Alerts } from "../../ports/shared/Alerts.ts"

/** Kinds of alerts whose key ends with the id of one message. */
const OF_ONE_MESSAGE = new Set(["outbox_rejected", "outbox_unreadable"])

/** A rejected event is never sent again, so its alert has no end that can be observed. It stands for a day. */
const EVENT_ALERT_MILLIS = 24 * 3_600_000

/** Makes `close(id, actor)`, which ends a rejected message and its alert without a delivery. False if no alert stands for the message. */
export const makeClose = Effect.gen(function* () {
  const alerts = yield* Alerts
  const { note } = yield* LaneBook
  const outbox = yield* Outbox

  return Effect.fn("OutboxDelivery.close")(function* (id: string, actor: string) {
    const standing = (yield* alerts.list).filter(({ key, kind }) => OF_ONE_MESSAGE.has(kind) && key === `${kind}:${id}`)
    if (standing.length === 0) return false
    const alert = standing.map(({ key }) => key).join(", ")
    yield* note({ actor, action: "outbox.closed", subject: `outbox:${id}`, details: { alert } })
    yield* outbox.acknowledge(id)
    for (const { details, key, kind } of standing) {
      yield* alerts.clear(key)
      yield* Effect.logWarning("outbox.closed").pipe(Effect.annotateLogs({ ...details, outboxId: id, alert: kind }))
    }
    return true
  })
})

/** Makes `lookAgain`, which reopens the messages of standing alerts and clears alerts whose cause has gone. */
export const make = Effect.gen(function* () {
  const alerts = yield* Alerts
  const outbox = yield* Outbox

  return Effect.fn("OutboxDelivery.lookAgain")(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    for (const { details, key, kind, sinceMs } of yield* alerts.list) {
      if (OF_ONE_MESSAGE.has(kind)) {
        if ((yield* outbox.reopen(key.slice(kind.length + 1))) === "gone") yield* alerts.clear(key)
      } else if (kind === "sweep_event_rejected") {
        const { lastAtMs } = details
        const last = typeof lastAtMs === "number" ? lastAtMs : sinceMs
        if (nowMs - last >= EVENT_ALERT_MILLIS) yield* alerts.clear(key)
      }
    }
  })
})
