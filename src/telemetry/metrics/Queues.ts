/** Messages between the services and to builders, and the database. */
import { counter, FAST, gauge, seconds } from "../Family.ts"

export const OUTBOX_PENDING = gauge({
  name: "sweep_outbox_pending",
  help: "Messages for the builder backend that wait, counted up to 10,000.",
  labels: { topic: "`ledger` for bookings, `events` for events of sweeps." }
})

export const OUTBOX_OLDEST = gauge({
  name: "sweep_outbox_oldest_seconds",
  help: "Age of the oldest message for the builder backend that waits, in seconds. 0 if none does.",
  labels: { topic: "`ledger` or `events`." }
})

export const OUTBOX_REJECTED = gauge({
  name: "sweep_outbox_rejected",
  help: "Bookings that the builder backend rejected for good.",
  labels: {}
})

export const OUTBOX_OFFERS = counter({
  name: "sweep_outbox_offers_total",
  help: "Messages that were offered to the builder backend.",
  labels: { topic: "`ledger` or `events`.", outcome: "`delivered`, `deferred` or `rejected`." }
})

export const WEBHOOKS_PENDING = gauge({
  name: "sweep_webhooks_pending",
  help: "Deliveries to enabled webhooks of builders that wait, counted up to 10,000.",
  labels: {}
})

export const WEBHOOKS_OLDEST = gauge({
  name: "sweep_webhooks_oldest_seconds",
  help: "Age of the oldest delivery to an enabled webhook that waits, in seconds. Webhooks that fail count only if those of several builders fail. 0 if none waits.",
  labels: {}
})

export const WEBHOOKS_LATE = gauge({
  name: "sweep_webhooks_late_seconds",
  help: "Time since which the oldest delivery is due to an endpoint that does not fail, of a builder to whom nothing is being sent, in seconds. 0 if there is none.",
  labels: {}
})

export const WEBHOOK_ATTEMPTS = counter({
  name: "sweep_webhook_attempts_total",
  help: "Attempts to deliver to builders' webhooks.",
  labels: { outcome: "`delivered`, `refused` for another status, or `unreachable`." }
})

export const WEBHOOK_DURATION = seconds({
  name: "sweep_webhook_attempt_duration_seconds",
  help: "Time that an attempt to deliver to a webhook takes, in seconds.",
  labels: {},
  buckets: FAST
})

export const ALERT_NOTICES = counter({
  name: "sweep_alert_notices_total",
  help: "Attempts to tell destinations about alerts of the service.",
  labels: {
    destination: "Name of the destination, such as `slack` or `escalation_pagerduty`.",
    outcome: "`delivered` or `failed`."
  }
})

export const STORE_WAIT = seconds({
  name: "sweep_store_pool_wait_seconds",
  help: "Time until a transaction has a connection of the pool to PostgreSQL, in seconds.",
  labels: {},
  buckets: FAST
})

export const STORE_DURATION = seconds({
  name: "sweep_store_operation_duration_seconds",
  help: "Time that an operation of the database takes, with its wait for a connection, in seconds.",
  labels: {},
  buckets: FAST
})

export const STORE_FAILURES = counter({
  name: "sweep_store_failures_total",
  help: "Operations of the database that failed.",
  labels: { operation: "Name of the operation." }
})
