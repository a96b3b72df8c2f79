/** Webhooks and their deliveries in memory, for tests. */
import { Clock, Effect, Layer, Option } from "effect"
import { isWanted, MAX_TESTS, TESTS_MILLIS, type WebhookMessage } from "../../../domain/Webhook.ts"
import { Builders } from "../../../ports/builder/Builders.ts"
import { UnknownBuilder } from "../../../ports/builder/Ledger.ts"
import {
  ATTEMPTS_LISTED,
  type DueDelivery,
  WebhookDisabled,
  type WebhookEndpoint,
  WebhookLimit,
  WebhookNotFound,
  Webhooks,
  WebhookTestLimit,
  WebhookTestPending
} from "../../../ports/builder/Webhooks.ts"
import { isListed } from "./DeliveryFilters.ts"
import { after, type Endpoint, pendingOf, type Queued, shown, type Store } from "./WebhookQueue.ts"
import * as WebhookTurns from "./WebhookTurns.ts"

const enabled = ({ disabled: _disabled, failing: _failing, ...endpoint }: WebhookEndpoint): WebhookEndpoint => endpoint

const owned = ({ endpoints }: Store, builderId: string, id: string) =>
  Effect.suspend(() => {
    const found = endpoints.get(id)
    return found?.endpoint.builderId === builderId ? Effect.succeed(found) : Effect.fail(new WebhookNotFound({ id }))
  })

const keep = ({ endpoints }: Store, stored: Endpoint, endpoint: WebhookEndpoint) => {
  endpoints.set(endpoint.id, { ...stored, endpoint })
  return endpoint
}

const enqueue = (store: Store, webhookId: string, message: WebhookMessage, nowMs: number) => {
  const { id: messageId, payload, type } = message
  for (const queued of store.queue.values()) {
    if (queued.delivery.webhookId === webhookId && queued.delivery.messageId === messageId) return shown(queued)
  }
  store.last += 1
  const id = String(store.last)
  const created: Queued = {
    delivery: { id, webhookId, messageId, type, payload, state: "pending", createdAtMs: nowMs, attempts: [] },
    failures: 0,
    dueAtMs: nowMs
  }
  store.queue.set(id, created)
  return shown(created)
}

const create = ({ builders, endpoints }: Store): Webhooks["Service"]["create"] =>
  Effect.fnUntraced(function* (endpoint, secret, limit) {
    const { builderId, id } = endpoint
    if (Option.isNone(yield* builders.byId(builderId))) return yield* new UnknownBuilder({ builderId })
    const others = [...endpoints.values()].filter((other) => other.endpoint.builderId === builderId)
    if (others.length >= limit) return yield* new WebhookLimit({ limit })
    endpoints.set(id, { endpoint, secret })
  })

const list =
  ({ endpoints }: Store): Webhooks["Service"]["list"] =>
  (builderId) =>
    Effect.sync(() =>
      [...endpoints.values()]
        .map(({ endpoint }) => endpoint)
        .filter((endpoint) => endpoint.builderId === builderId)
        .toSorted((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1))
    )

const find =
  (store: Store): Webhooks["Service"]["find"] =>
  (builderId, id) =>
    Effect.option(Effect.map(owned(store, builderId, id), ({ endpoint }) => endpoint))

const modify = (store: Store): Webhooks["Service"]["modify"] =>
  Effect.fnUntraced(function* (builderId, id, { enabled: wanted, ...changes }) {
    const stored = yield* owned(store, builderId, id)
    const atMs = yield* Clock.currentTimeMillis
    const changed = { ...stored.endpoint, ...changes }
    if (wanted === undefined) return keep(store, stored, changed)
    return keep(
      store,
      stored,
      wanted ? enabled(changed) : { ...changed, disabled: changed.disabled ?? { reason: "paused", atMs } }
    )
  })

const remove = (store: Store): Webhooks["Service"]["remove"] =>
  Effect.fnUntraced(function* (builderId, id) {
    yield* owned(store, builderId, id)
    store.endpoints.delete(id)
    for (const [key, { delivery }] of store.queue) if (delivery.webhookId === id) store.queue.delete(key)
  })

const rotate = (store: Store): Webhooks["Service"]["rotate"] =>
  Effect.fnUntraced(function* (builderId, id, secret, previousSecretUntilMs) {
    const stored = yield* owned(store, builderId, id)
    return keep(store, { ...stored, secret, previous: stored.secret }, { ...stored.endpoint, previousSecretUntilMs })
  })

const publish =
  (store: Store): Webhooks["Service"]["publish"] =>
  (builderId, message) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => {
      for (const { endpoint } of store.endpoints.values()) {
        if (endpoint.builderId !== builderId || endpoint.disabled !== undefined) continue
        if (isWanted(endpoint.events, message.type)) enqueue(store, endpoint.id, message, nowMs)
      }
    })

const send = (store: Store): Webhooks["Service"]["send"] =>
  Effect.fnUntraced(function* (builderId, id, message) {
    const { endpoint } = yield* owned(store, builderId, id)
    if (endpoint.disabled !== undefined) return yield* new WebhookDisabled({ id })
    const isAnotherTest = ({ delivery: { messageId, state, type, webhookId } }: Queued) =>
      webhookId === id && type === "webhook.test" && state === "pending" && messageId !== message.id
    if (message.type === "webhook.test" && [...store.queue.values()].some(isAnotherTest)) {
      return yield* new WebhookTestPending({ id })
    }
    const nowMs = yield* Clock.currentTimeMillis
    const oldestTest = [...store.queue.values()]
      .filter(({ delivery }) => delivery.webhookId === id && delivery.type === "webhook.test")
      .map(({ delivery }) => delivery.createdAtMs + TESTS_MILLIS - nowMs)
      .filter((retryAfterMillis) => retryAfterMillis > 0)
      .at(-MAX_TESTS)
    if (message.type === "webhook.test" && oldestTest !== undefined) {
      return yield* new WebhookTestLimit({ id, retryAfterMillis: oldestTest })
    }
    return enqueue(store, id, message, nowMs)
  })

const replay = (store: Store): Webhooks["Service"]["replay"] =>
  Effect.fnUntraced(function* (builderId, deliveryId) {
    const found = store.queue.get(deliveryId)
    if (found === undefined) return yield* new WebhookNotFound({ id: deliveryId })
    const { endpoint } = yield* Effect.mapError(
      owned(store, builderId, found.delivery.webhookId),
      () => new WebhookNotFound({ id: deliveryId })
    )
    if (endpoint.disabled !== undefined) return yield* new WebhookDisabled({ id: deliveryId })
    const { closedAtMs: _closed, ...open } = found
    const replayed: Queued = {
      ...open,
      delivery: { ...found.delivery, state: "pending", attempts: found.delivery.attempts.slice(-ATTEMPTS_LISTED) },
      failures: 0,
      dueAtMs: yield* Clock.currentTimeMillis
    }
    store.queue.set(deliveryId, replayed)
    return shown(replayed)
  })

const replayFailed = (store: Store): Webhooks["Service"]["replayFailed"] =>
  Effect.fnUntraced(function* (builderId, id, limit, filter = {}) {
    const { endpoint } = yield* owned(store, builderId, id)
    if (endpoint.disabled !== undefined) return yield* new WebhookDisabled({ id })
    const failed = [...store.queue.values()]
      .filter(({ delivery }) => delivery.webhookId === id && delivery.state === "failed")
      .filter(({ delivery }) => isListed(filter, delivery))
      .slice(0, limit)
    yield* Effect.forEach(failed, ({ delivery }) => replay(store)(builderId, delivery.id))
    return failed.length
  })

const ofMessages =
  ({ endpoints, queue }: Store): Webhooks["Service"]["ofMessages"] =>
  (builderId, messageIds) =>
    Effect.sync(() =>
      [...queue.values()]
        .filter(({ delivery }) => endpoints.get(delivery.webhookId)?.endpoint.builderId === builderId)
        .filter(({ delivery }) => messageIds.includes(delivery.messageId))
        .map(shown)
    )

const deliveries = (store: Store): Webhooks["Service"]["deliveries"] =>
  Effect.fnUntraced(function* (builderId, id, page) {
    yield* owned(store, builderId, id)
    return [...store.queue.values()]
      .filter(({ delivery }) => delivery.webhookId === id)
      .filter(({ delivery }) => isListed(page, delivery))
      .filter(({ delivery }) => page.before === undefined || Number(delivery.id) < Number(page.before))
      .toSorted((a, b) => Number(b.delivery.id) - Number(a.delivery.id))
      .slice(0, page.limit)
      .map(shown)
  })

const claim =
  (store: Store): Webhooks["Service"]["claim"] =>
  (places) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) =>
      WebhookTurns.chosen(pendingOf(store, nowMs), places, nowMs).flatMap((id): ReadonlyArray<DueDelivery> => {
        const queued = store.queue.get(id)
        const stored = queued === undefined ? undefined : store.endpoints.get(queued.delivery.webhookId)
        if (queued === undefined || stored === undefined) return []
        store.queue.set(id, { ...queued, leaseUntilMs: nowMs + places.leaseMillis })
        const { messageId, payload, type, webhookId } = queued.delivery
        const { endpoint, previous, secret } = stored
        const stillSigns = (endpoint.previousSecretUntilMs ?? 0) > nowMs
        return [
          {
            id,
            webhookId,
            builderId: endpoint.builderId,
            url: endpoint.url,
            isFailing: endpoint.failing !== undefined,
            message: { id: messageId, type, payload },
            failures: queued.failures,
            secrets: previous !== undefined && stillSigns ? [secret, previous] : [secret]
          }
        ]
      })
    )

const record = (store: Store): Webhooks["Service"]["record"] =>
  Effect.fnUntraced(function* (due, attempt, next, judge) {
    const atMs = yield* Clock.currentTimeMillis
    const stored = store.endpoints.get(due.webhookId)
    const found = store.queue.get(due.id)
    if (stored === undefined || found === undefined) return
    const { failing, ...rest } = stored.endpoint
    const health = judge(failing)
    keep(store, stored, {
      ...rest,
      ...(health.failing === undefined ? {} : { failing: health.failing }),
      ...(health.disable === undefined || rest.disabled !== undefined
        ? {}
        : { disabled: { reason: health.disable, atMs } })
    })
    const attempts = [...found.delivery.attempts, attempt]
    store.queue.set(due.id, after({ ...found, delivery: { ...found.delivery, attempts } }, due, next, atMs))
  })

const prune =
  ({ endpoints, queue }: Store): Webhooks["Service"]["prune"] =>
  (beforeMs, limit) =>
    Effect.sync(() => {
      const disabledAtMs = (webhookId: string) => endpoints.get(webhookId)?.endpoint.disabled?.atMs
      const gone = [...queue.values()]
        .filter(({ closedAtMs, delivery }) => (closedAtMs ?? disabledAtMs(delivery.webhookId) ?? beforeMs) < beforeMs)
        .slice(0, limit)
      for (const { delivery } of gone) queue.delete(delivery.id)
      return gone.length
    })

export const layer = Layer.effect(
  Webhooks,
  Effect.map(Builders, (builders) => {
    const store: Store = { builders, endpoints: new Map(), queue: new Map(), last: 0 }
    return Webhooks.of({
      create: create(store),
      list: list(store),
      find: find(store),
      modify: modify(store),
      remove: remove(store),
      rotate: rotate(store),
      publish: publish(store),
      send: send(store),
      replay: replay(store),
      deliveries: deliveries(store),
      replayFailed: replayFailed(store),
      ofMessages: ofMessages(store),
      claim: claim(store),
      record: record(store),
      prune: prune(store),
      hold: () => Effect.succeed(0),
      reseal: () => Effect.succeed({ stored: 0, unreadable: 0 })
    })
  })
)
