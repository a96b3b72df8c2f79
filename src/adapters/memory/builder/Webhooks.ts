/** Webhooks and their deliveries in memory, for tests. */
import { Clock, Effect, Layer, Option, type Redacted } from "effect"
import { isWanted, type NextStep, type WebhookMessage } from "../../../domain/Webhook.ts"
import { Builders } from "../../../ports/builder/Builders.ts"
import { UnknownBuilder } from "../../../ports/builder/Ledger.ts"
import {
  type Delivery,
  type DueDelivery,
  WebhookDisabled,
  type WebhookEndpoint,
  WebhookLimit,
  WebhookNotFound,
  Webhooks
} from "../../../ports/builder/Webhooks.ts"

interface Endpoint {
  readonly endpoint: WebhookEndpoint
  readonly secret: Redacted.Redacted
  readonly previous?: Redacted.Redacted
}

interface Queued {
  readonly delivery: Delivery
  readonly failures: number
  readonly dueAtMs: number
  readonly leaseUntilMs?: number
  readonly closedAtMs?: number
}

const shown = ({ delivery, dueAtMs }: Queued): Delivery => ({
  ...delivery,
  ...(delivery.state === "pending" ? { dueAtMs } : {})
})

const enabled = ({ disabled: _disabled, failing: _failing, ...endpoint }: WebhookEndpoint): WebhookEndpoint => endpoint

/** A delivery after an attempt of it. */
const after = (attempted: Queued, due: DueDelivery, next: NextStep, atMs: number): Queued => {
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

export const layer = Layer.effect(
  Webhooks,
  Effect.map(Builders, (builders) => {
    const endpoints = new Map<string, Endpoint>()
    const queue = new Map<string, Queued>()
    let last = 0

    const owned = (builderId: string, id: string) =>
      Effect.suspend(() => {
        const found = endpoints.get(id)
        return found?.endpoint.builderId === builderId
          ? Effect.succeed(found)
          : Effect.fail(new WebhookNotFound({ id }))
      })

    const keep = (stored: Endpoint, endpoint: WebhookEndpoint) => {
      endpoints.set(endpoint.id, { ...stored, endpoint })
      return endpoint
    }

    const enqueue = (webhookId: string, message: WebhookMessage, nowMs: number) => {
      const { id: messageId, payload, type } = message
      for (const { delivery } of queue.values()) {
        if (delivery.webhookId === webhookId && delivery.messageId === messageId) return delivery
      }
      const id = String(++last)
      const created: Queued = {
        delivery: { id, webhookId, messageId, type, payload, state: "pending", createdAtMs: nowMs, attempts: [] },
        failures: 0,
        dueAtMs: nowMs
      }
      queue.set(id, created)
      return shown(created)
    }

    return Webhooks.of({
      create: Effect.fnUntraced(function* (endpoint, secret, limit) {
        const { builderId, id } = endpoint
        if (Option.isNone(yield* builders.byId(builderId))) return yield* new UnknownBuilder({ builderId })
        const others = [...endpoints.values()].filter((other) => other.endpoint.builderId === builderId)
        if (others.length >= limit) return yield* new WebhookLimit({ limit })
        endpoints.set(id, { endpoint, secret })
      }),
      list: (builderId) =>
        Effect.sync(() =>
          [...endpoints.values()]
            .map(({ endpoint }) => endpoint)
            .filter((endpoint) => endpoint.builderId === builderId)
            .toSorted((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1))
        ),
      find: (builderId, id) => Effect.option(Effect.map(owned(builderId, id), ({ endpoint }) => endpoint)),
      modify: Effect.fnUntraced(function* (builderId, id, { enabled: wanted, ...changes }) {
        const stored = yield* owned(builderId, id)
        const atMs = yield* Clock.currentTimeMillis
        const changed = { ...stored.endpoint, ...changes }
        if (wanted === undefined) return keep(stored, changed)
        return keep(
          stored,
          wanted ? enabled(changed) : { ...changed, disabled: changed.disabled ?? { reason: "paused", atMs } }
        )
      }),
      remove: Effect.fnUntraced(function* (builderId, id) {
        yield* owned(builderId, id)
        endpoints.delete(id)
        for (const [key, { delivery }] of queue) if (delivery.webhookId === id) queue.delete(key)
      }),
      rotate: Effect.fnUntraced(function* (builderId, id, secret, previousSecretUntilMs) {
        const stored = yield* owned(builderId, id)
        return keep({ ...stored, secret, previous: stored.secret }, { ...stored.endpoint, previousSecretUntilMs })
      }),
      publish: (builderId, message) =>
        Effect.map(Clock.currentTimeMillis, (nowMs) => {
          for (const { endpoint } of endpoints.values()) {
            if (endpoint.builderId !== builderId || endpoint.disabled !== undefined) continue
            if (isWanted(endpoint.events, message.type)) enqueue(endpoint.id, message, nowMs)
          }
        }),
      send: Effect.fnUntraced(function* (builderId, id, message) {
        const { endpoint } = yield* owned(builderId, id)
        if (endpoint.disabled !== undefined) return yield* new WebhookDisabled({ id })
        return enqueue(id, message, yield* Clock.currentTimeMillis)
      }),
      replay: Effect.fnUntraced(function* (builderId, deliveryId) {
        const found = queue.get(deliveryId)
        if (found === undefined) return yield* new WebhookNotFound({ id: deliveryId })
        const { endpoint } = yield* Effect.mapError(
          owned(builderId, found.delivery.webhookId),
          () => new WebhookNotFound({ id: deliveryId })
        )
        if (endpoint.disabled !== undefined) return yield* new WebhookDisabled({ id: deliveryId })
        const { closedAtMs: _closed, ...open } = found
        const replayed: Queued = {
          ...open,
          delivery: { ...found.delivery, state: "pending" },
          failures: 0,
          dueAtMs: yield* Clock.currentTimeMillis
        }
        queue.set(deliveryId, replayed)
        return shown(replayed)
      }),
      deliveries: Effect.fnUntraced(function* (builderId, id, { before, limit }) {
        yield* owned(builderId, id)
        return [...queue.values()]
          .filter(({ delivery }) => delivery.webhookId === id)
          .filter(({ delivery }) => before === undefined || Number(delivery.id) < Number(before))
          .toSorted((a, b) => Number(b.delivery.id) - Number(a.delivery.id))
          .slice(0, limit)
          .map(shown)
      }),
      claim: ({ leaseMillis, limit, perEndpoint }) =>
        Effect.map(Clock.currentTimeMillis, (nowMs) => {
          const pending = [...queue.values()].filter(({ delivery }) => delivery.state === "pending")
          const isLeased = ({ leaseUntilMs = 0 }: Queued) => leaseUntilMs > nowMs
          const inFlight = new Map<string, number>()
          const count = (id: string) => inFlight.get(id) ?? 0
          for (const each of pending) {
            if (isLeased(each)) inFlight.set(each.delivery.webhookId, count(each.delivery.webhookId) + 1)
          }
          const due = pending
            .filter((each) => !isLeased(each) && each.dueAtMs <= nowMs)
            .toSorted((a, b) => a.dueAtMs - b.dueAtMs || Number(a.delivery.id) - Number(b.delivery.id))
          const claimed: Array<DueDelivery> = []
          for (const each of due) {
            const { id, messageId, payload, type, webhookId } = each.delivery
            const stored = endpoints.get(webhookId)
            if (stored === undefined || stored.endpoint.disabled !== undefined) continue
            if (claimed.length === limit || count(webhookId) >= perEndpoint) continue
            inFlight.set(webhookId, count(webhookId) + 1)
            queue.set(id, { ...each, leaseUntilMs: nowMs + leaseMillis })
            const { endpoint, previous, secret } = stored
            const stillSigns = (endpoint.previousSecretUntilMs ?? 0) > nowMs
            claimed.push({
              id,
              webhookId,
              url: endpoint.url,
              message: { id: messageId, type, payload },
              failures: each.failures,
              secrets: previous !== undefined && stillSigns ? [secret, previous] : [secret]
            })
          }
          return claimed
        }),
      record: Effect.fnUntraced(function* (due, attempt, next, judge) {
        const atMs = yield* Clock.currentTimeMillis
        const stored = endpoints.get(due.webhookId)
        const found = queue.get(due.id)
        if (stored === undefined || found === undefined) return
        const { failing, ...rest } = stored.endpoint
        const health = judge(failing)
        keep(stored, {
          ...rest,
          ...(health.failing === undefined ? {} : { failing: health.failing }),
          ...(health.disable === undefined || rest.disabled !== undefined
            ? {}
            : { disabled: { reason: health.disable, atMs } })
        })
        const attempts = [...found.delivery.attempts, attempt]
        queue.set(due.id, after({ ...found, delivery: { ...found.delivery, attempts } }, due, next, atMs))
      }),
      prune: (beforeMs, limit) =>
        Effect.sync(() => {
          const gone = [...queue.values()]
            .filter(({ closedAtMs }) => closedAtMs !== undefined && closedAtMs < beforeMs)
            .slice(0, limit)
          for (const { delivery } of gone) queue.delete(delivery.id)
          return gone.length
        })
    })
  })
)
