/** Endpoints and queued deliveries of webhooks in memory. */
import type { Redacted } from "effect"
import type { NextStep } from "../../../domain/Webhook.ts"
import type { Builders } from "../../../ports/builder/Builders.ts"
import {
  ATTEMPTS_LISTED,
  type Delivery,
  type DueDelivery,
  type WebhookEndpoint
} from "../../../ports/builder/Webhooks.ts"
import type { Pending } from "./WebhookTurns.ts"

export interface Endpoint {
  readonly endpoint: WebhookEndpoint
  readonly secret: Redacted.Redacted
  readonly previous?: Redacted.Redacted
}

export interface Queued {
  readonly delivery: Delivery
  readonly failures: number
  readonly dueAtMs: number
  readonly leaseUntilMs?: number
  readonly closedAtMs?: number
}

export const shown = ({ delivery, dueAtMs }: Queued): Delivery => ({
  ...delivery,
  attempts: delivery.attempts.slice(-ATTEMPTS_LISTED),
  ...(delivery.state === "pending" ? { dueAtMs } : {})
})

/** The delivery after an attempt. */
export const after = (attempted: Queued, due: DueDelivery, next: NextStep, atMs: number): Queued => {
  const { delivery, leaseUntilMs: _lease, ...free } = attempted
  const { state } = delivery
  if (next._tag === "Delivered") {
    return state === "delivered"
      ? attempted
      : { ...free, delivery: { ...delivery, state: "delivered" }, closedAtMs: atMs }
  }
  if (state !== "pending" || free.failures !== due.failures) return attempted
  const failures = free.failures + 1
  return next._tag === "Retry"
    ? { ...free, delivery, failures, dueAtMs: next.atMs }
    : { ...free, delivery: { ...delivery, state: "failed" }, failures, closedAtMs: atMs }
}

/** State that the operations share. */
export interface Store {
  readonly builders: Builders["Service"]
  readonly endpoints: Map<string, Endpoint>
  readonly queue: Map<string, Queued>
  /** Id of the newest delivery. */
  last: number
}

/** Pending deliveries that can be leased, or are. */
export const pendingOf = ({ endpoints, queue }: Store, nowMs: number): ReadonlyArray<Pending> =>
  [...queue.values()].flatMap(({ delivery: { id, state, webhookId }, dueAtMs, leaseUntilMs = 0 }) => {
    const endpoint = endpoints.get(webhookId)?.endpoint
    const isLeased = leaseUntilMs > nowMs
    if (endpoint === undefined || state !== "pending") return []
    if (endpoint.disabled !== undefined && !isLeased) return []
    const { builderId, failing } = endpoint
    return [{ id, webhookId, builderId, dueAtMs, isLeased, lastFailureMs: failing?.lastMs }]
  })
