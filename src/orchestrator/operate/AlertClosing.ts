/** Ends alerts of the kinds that nothing else ends, after the operator has corrected the books. */
import { Effect } from "effect"
import { CLOSED_BY_HAND } from "../../domain/AlertKind.ts"
import { LaneBook } from "../../ports/orchestrator/LaneBook.ts"
import { Alerts } from "../../ports/shared/Alerts.ts"

/** Makes `close(id, actor)`, which returns false if no such alert stands, or if one ends by itself when its cause is gone. */
export const make = Effect.gen(function* () {
  const alerts = yield* Alerts
  const { note } = yield* LaneBook

  return Effect.fn("AlertClosing.close")(function* (id: string, actor: string) {
    const alert = (yield* alerts.list).find((each) => each.id === id && CLOSED_BY_HAND.has(each.kind))
    if (alert === undefined) return false
    yield* note({ actor, action: "alert.closed", subject: alert.key, details: { message: alert.message } })
    yield* alerts.clear(alert.key)
    yield* Effect.annotateLogs(Effect.logWarning("alert.closed"), { alert: alert.key })
    return true
  })
})
