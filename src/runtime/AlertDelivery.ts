/**
 * Tells every configured destination about the alerts of a service. Each destination has a loop of its own, so one that hangs delays no
 * other. A notice is leased before it is sent and recorded after it, so replicas send it once. If a process dies in between, it is sent
 * again with the same id.
 */
import { Clock, Effect, Layer, Random } from "effect"
import type { AlertMessage } from "../domain/AlertMessage.ts"
import {
  afterAttempt,
  alertReference,
  dueNotice,
  isFailing,
  noticeId,
  type NoticeReason,
  UNTOLD
} from "../domain/AlertNotice.ts"
import { type AlertDestination, AlertDestinations, DestinationName } from "../ports/shared/AlertDestinations.ts"
import { AlertNotices, type Followed } from "../ports/shared/AlertNotices.ts"
import { Alerts } from "../ports/shared/Alerts.ts"
import { ALERT_NOTICES } from "../telemetry/metrics/Queues.ts"
import * as Background from "./Background.ts"

export interface Options {
  /** Service whose alerts are told. */
  readonly service: string
  /** Name of the deployment in messages. */
  readonly source: string
  /** Age at which a critical alert escalates, in milliseconds. */
  readonly escalationMillis: number
  /** Pause between notices about an alert that stands, in milliseconds. 0: notices are not repeated. */
  readonly repeatMillis: number
}

/** Pause between two looks for due notices, in milliseconds. */
const POLL_MILLIS = 2_000

/** Longer than a destination may take for a message. */
const LEASE_MILLIS = 30_000

/** Notices that one round sends, and how many of them at once. A round must end soon, since the next one begins with critical alerts. */
const BATCH = 8
const CONCURRENCY = 4

interface Due extends Followed {
  readonly reason: NoticeReason
}

const failingKey = (name: DestinationName): string => `alert_destination_failing:${name}`

const messageOf = ({ alert, reason, told }: Due, destination: string, options: Options, atMs: number): AlertMessage => {
  const reference = alertReference(options.service, alert.id, alert.sinceMs)
  return {
    id: noticeId(reference, destination, told ?? UNTOLD, reason),
    reason,
    reference,
    service: options.service,
    source: options.source,
    severity: alert.severity,
    kind: alert.kind,
    message: alert.message,
    details: alert.details,
    sinceMs: alert.sinceMs,
    atMs
  }
}

/** Sends one notice, if no other process does. */
const deliver = Effect.fnUntraced(function* (destination: AlertDestination, options: Options, due: Due) {
  const notices = yield* AlertNotices
  const { name } = destination
  const subject = { alertId: due.alert.id, destination: name }
  if (!(yield* notices.claim(subject, due.told, LEASE_MILLIS))) return
  const message = messageOf(due, name, options, yield* Clock.currentTimeMillis)
  // A notice that was sent is recorded even when the service stops meanwhile.
  yield* Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const sent = yield* Effect.result(restore(destination.send(message)))
      const isAccepted = sent._tag === "Success"
      const atMs = yield* Clock.currentTimeMillis
      const told = due.told ?? UNTOLD
      const attempt = { reason: due.reason, isAccepted, atMs, random: yield* Random.next }
      yield* notices.record(subject, told, afterAttempt(due.alert, told, attempt))
      yield* ALERT_NOTICES.record(1, { destination: name, outcome: isAccepted ? "delivered" : "failed" })
      const fields = { destination: name, kind: due.alert.kind, alertId: due.alert.id, reason: due.reason }
      yield* sent._tag === "Success"
        ? Effect.annotateLogs(Effect.logInfo("alert.delivered"), fields)
        : Effect.annotateLogs(Effect.logWarning("alert.not_delivered"), { ...fields, detail: sent.failure.detail })
    })
  )
})

/**
 * Raises or clears the alert about a destination itself. The others tell it. Replicas share the records and remember nothing, so none acts
 * on what it last knew.
 */
const review = Effect.fnUntraced(function* (name: DestinationName, open: ReadonlyArray<Followed>) {
  const alerts = yield* Alerts
  const key = failingKey(name)
  // Records under a lease count, since a notice that fails is under one during each attempt.
  if (isFailing(open.map(({ told }) => told))) {
    yield* alerts.raise({
      key,
      severity: "critical",
      kind: "alert_destination_failing",
      message: `The alert destination ${name} has refused or not answered three times in a row. Run ./sweep alerts test, and correct its settings.`,
      details: { destination: name }
    })
  } else if (open.some(({ alert }) => alert.key === key && alert.clearedAtMs === undefined)) {
    yield* alerts.clear(key)
  }
})

const followed = Effect.fnUntraced(function* (destination: AlertDestination, options: Options) {
  const { isEscalation, name } = destination
  const { escalationMillis, repeatMillis } = options
  const notices = yield* AlertNotices
  const supervised = Background.supervisor("alert delivery", { destination: name })
  const round = Effect.gen(function* () {
    const open = yield* notices.open(name)
    // Before the sending, during which what was read grows old.
    yield* review(name, open)
    const now = yield* Clock.currentTimeMillis
    const due = open.flatMap((each): ReadonlyArray<Due> => {
      if (each.isLeased) return []
      const reason = dueNotice(each.alert, each.told, { isEscalation, escalationMillis, repeatMillis }, now)
      return reason === undefined ? [] : [{ ...each, reason }]
    })
    yield* Effect.forEach(due.slice(0, BATCH), (each) => supervised(deliver(destination, options, each)), {
      concurrency: CONCURRENCY,
      discard: true
    })
  })
  yield* Background.loop(supervised, { pauseMillis: POLL_MILLIS }, round)
})

/** Ends the alerts about destinations that are no longer configured. */
const forget = Effect.fnUntraced(function* (configured: ReadonlyArray<AlertDestination>) {
  const alerts = yield* Alerts
  const names = new Set(configured.map(({ name }) => name))
  const gone = DestinationName.literals.filter((name) => !names.has(name))
  yield* Effect.forEach(gone, (name) => alerts.clear(failingKey(name)), { discard: true })
})

/** Runs until the scope closes. Does nothing but {@link forget} without destinations. */
export const layer = (options: Options) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const destinations = yield* AlertDestinations
      yield* Effect.forkScoped(Background.supervisor("alert delivery")(forget(destinations)))
      yield* Effect.forEach(destinations, (destination) => followed(destination, options), { discard: true })
    })
  )
