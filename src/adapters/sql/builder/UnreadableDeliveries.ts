/**
 * Webhook deliveries that cannot be read. Each is postponed, so that it holds no other delivery, and sent once it can be read. An alert
 * stands for a delivery whose row cannot be decoded, and one for an endpoint whose secret cannot be read.
 *
 * A transaction raises alerts and postpones deliveries, and another one clears alerts and frees deliveries, so that none is postponed
 * without an alert. Both change alerts first, in the order of their keys. Replicas then wait for each other at the alert, without a
 * deadlock, and the one that frees sees what the other one has postponed.
 *
 * A replica without the key cannot read a secret that others can. They free its deliveries, and leave its alert to it. Otherwise each turn
 * would end the alert and begin another one.
 */
import { Array as Arr, Clock, Context, Effect, Layer, Order, Schedule } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { DueDelivery } from "../../../ports/builder/Webhooks.ts"
import { Alerts, type NewAlert } from "../../../ports/shared/Alerts.ts"
import { SecretBox } from "../../../ports/shared/SecretBox.ts"
import type { StoreUnavailable } from "../../../ports/shared/Store.ts"
import { guarded, timestamp } from "../shared/Database.ts"
import { decodeEach, type Unreadable } from "../shared/EachRow.ts"
import * as BuilderAlerts from "./Alerts.ts"
import * as WebhookRows from "./WebhookRows.ts"
import * as WebhookSecrets from "./WebhookSecrets.ts"

const KIND = "webhook_unreadable"

const keyOf = (id: string) => `${KIND}:${id}`

const keyOfEndpoint = (webhookId: string) => `${KIND}:endpoint:${webhookId}`

const HOUR_MILLIS = 60 * 60_000

/** Postponement of a delivery. Ends when it can be read. */
const SET_ASIDE_MILLIS = 48 * HOUR_MILLIS

/** Longer than every pause between two attempts, and shorter than a postponement, which a delivery is told by. */
const LONGEST_PAUSE_MILLIS = 36 * HOUR_MILLIS

/** Interval at which deliveries and secrets for which an alert stands are read again. */
const RECHECK = Schedule.spaced("30 seconds")

/** Number of alerts that one statement reads. */
const PAGE = 100

/** A delivery of an endpoint whose secret cannot be read. */
interface Locked extends Unreadable {
  readonly webhookId: string
}

/** A standing alert, with what it is about. */
interface Standing {
  readonly key: string
  /** Absent in the alert of an endpoint. */
  readonly id: string | null
  /** True for a delivery that waits to be sent. */
  readonly waits: boolean | null
  /** Absent if the endpoint was removed. */
  readonly endpoint_id: string | null
  readonly secret: string | null
  readonly secret_sealed: string | null
  /** Secrets that no longer sign are absent. */
  readonly previous_secret: string | null
  readonly previous_secret_sealed: string | null
}

const alertOfRow = ({ detail, id }: Unreadable): NewAlert => ({
  key: keyOf(id),
  severity: "warning",
  kind: KIND,
  message: `The stored webhook delivery ${id} cannot be read, so it is not sent. Restore its row in builder.webhook_deliveries. The service reads it again every 30 seconds.`,
  details: { deliveryId: id, detail }
})

const alertOfSecret = ([webhookId, detail]: readonly [webhookId: string, detail: string]): NewAlert => ({
  key: keyOfEndpoint(webhookId),
  severity: "warning",
  kind: KIND,
  message: `A secret of the webhook ${webhookId} cannot be read, so nothing is sent to it. Set SECRETS_FORMER_KEY to the key that encrypted it, or let its builder rotate the secret. The service reads it again every 30 seconds.`,
  details: { webhookId, detail }
})

const byKey = <A extends { readonly key: string }>(all: ReadonlyArray<A>) =>
  Arr.sortWith(all, ({ key }) => key, Order.String)

/** True for alerts of endpoints that this process raised, false for those that it cleared, by their keys. */
type Told = Map<string, boolean>

/** Raises the alerts of deliveries, and postpones them. */
const makeSetAside = Effect.fnUntraced(function* (told: Told) {
  const alerts = yield* Alerts
  const sql = yield* SqlClient.SqlClient

  return Effect.fnUntraced(function* (failures: ReadonlyArray<Unreadable>, locked: ReadonlyArray<Locked>) {
    const details = new Map(locked.map(({ detail, webhookId }) => [webhookId, detail]))
    const raised = byKey([...failures.map(alertOfRow), ...[...details].map(alertOfSecret)])
    for (const alert of raised) {
      yield* Effect.logError("webhook.unreadable").pipe(Effect.annotateLogs(alert.details))
    }
    const until = timestamp((yield* Clock.currentTimeMillis) + SET_ASIDE_MILLIS)
    yield* sql.withTransaction(
      Effect.andThen(
        Effect.forEach(raised, alerts.raise, { discard: true }),
        sql`UPDATE builder.webhook_deliveries SET lease_until = NULL, due_at = ${until}
          WHERE id = ANY(${[...failures, ...locked].map(({ id }) => id)}::bigint[])`
      )
    )
    for (const webhookId of details.keys()) told.set(keyOfEndpoint(webhookId), true)
  })
})

/** Makes the effect that frees deliveries that can be read, and ends their alerts. */
const makeFree = Effect.fnUntraced(function* (told: Told) {
  const alerts = yield* Alerts
  const sql = yield* SqlClient.SqlClient

  /** Makes deliveries due, and all those of an endpoint that were set aside, but none that waits for its next attempt. */
  const makeDue = Effect.fnUntraced(function* (
    ids: ReadonlyArray<string>,
    webhookIds: ReadonlyArray<string>,
    at: Date
  ) {
    yield* sql`UPDATE builder.webhook_deliveries SET due_at = ${at}
      WHERE id = ANY(${ids}::bigint[]) AND state = 'pending'`
    if (webhookIds.length === 0) return
    yield* sql`UPDATE builder.webhook_deliveries d SET due_at = ${at}
      WHERE d.endpoint_id = ANY(${webhookIds}::text[]) AND d.state = 'pending' AND d.due_at > ${at} AND NOT EXISTS (
        SELECT FROM builder.webhook_attempts a
        WHERE a.delivery_id = d.id AND a.at > d.due_at - ${LONGEST_PAUSE_MILLIS} * interval '1 millisecond')`
  })

  /** True for the alert of an endpoint that this process can read, and that another one raised after this one had cleared it. */
  const isOfAnother = ({ endpoint_id, id, key }: Standing) =>
    id === null && endpoint_id !== null && told.get(key) === false

  /** Clears alerts, or only locks those of other processes, in the order of their keys. */
  const end = Effect.fnUntraced(function* (mended: ReadonlyArray<Standing>) {
    for (const row of byKey(mended)) {
      if (!isOfAnother(row)) yield* alerts.clear(row.key)
      else yield* sql`SELECT FROM builder.alerts WHERE key = ${row.key} AND cleared_at IS NULL FOR UPDATE`
    }
  })

  /** Notes which alerts of endpoints this process has cleared. One of an endpoint that is gone does not come back. */
  const note = (mended: ReadonlyArray<Standing>) => {
    for (const { endpoint_id, id, key } of mended) {
      if (id !== null) continue
      if (endpoint_id === null) told.delete(key)
      else told.set(key, false)
    }
  }

  return Effect.fnUntraced(function* (mended: ReadonlyArray<Standing>, at: Date) {
    const ids = mended.flatMap(({ id }) => id ?? [])
    const webhookIds = mended.flatMap(({ endpoint_id, id }) => (id === null ? (endpoint_id ?? []) : []))
    yield* sql.withTransaction(Effect.andThen(end(mended), makeDue(ids, webhookIds, at)))
    note(mended)
  })
})

const make = Effect.gen(function* () {
  const box = yield* SecretBox
  const sql = yield* SqlClient.SqlClient
  const told: Told = new Map()
  const free = yield* makeFree(told)
  const setAside = yield* makeSetAside(told)

  /** The secrets that sign: the current one, and the previous one if there is one. */
  const secretsOf = Effect.fnUntraced(function* (
    webhookId: string,
    [current, previous]: WebhookRows.StoredDue["stored"]
  ) {
    const secrets = [yield* WebhookSecrets.read(box, "secret", webhookId, current)]
    if (previous.plain !== null || previous.sealed !== null) {
      secrets.push(yield* WebhookSecrets.read(box, "previous_secret", webhookId, previous))
    }
    return secrets
  })

  /** The delivery with its secrets, or the reason why one cannot be read. */
  const withSecrets = ({ stored, ...due }: WebhookRows.StoredDue) =>
    secretsOf(due.webhookId, stored).pipe(
      Effect.map((secrets) => ({ ...due, secrets }) satisfies DueDelivery),
      Effect.catchTag("SecretUnreadable", ({ detail }) =>
        Effect.succeed({ id: due.id, webhookId: due.webhookId, detail } satisfies Locked)
      )
    )

  /** Due deliveries in the order of the rows, without those that cannot be read. */
  const decode = Effect.fnUntraced(function* (rows: ReadonlyArray<{ readonly id: bigint }>) {
    const { failures, values } = decodeEach(rows, WebhookRows.due)
    const opened = yield* Effect.forEach(values, withSecrets)
    const locked = opened.flatMap((each) => ("detail" in each ? [each] : []))
    if (failures.length + locked.length > 0) yield* setAside(failures, locked)
    return opened.flatMap((each) => ("detail" in each ? [] : [each]))
  }, guarded("UnreadableDeliveries.decode"))

  /** Standing alerts after one of them, in the order of their keys. */
  const standingAfter = (key: string, at: Date) => sql<Standing>`
    SELECT a.key, a.details ->> 'deliveryId' AS id, d.state = 'pending' AS waits, d.type, d.payload, d.failures,
      e.id AS endpoint_id, e.secret, e.secret_sealed,
      CASE WHEN e.previous_secret_until > ${at} THEN e.previous_secret END AS previous_secret,
      CASE WHEN e.previous_secret_until > ${at} THEN e.previous_secret_sealed END AS previous_secret_sealed
    FROM (
      SELECT key, details FROM builder.alerts WHERE cleared_at IS NULL AND kind = ${KIND} AND key > ${key}
      ORDER BY key LIMIT ${PAGE}
    ) a LEFT JOIN builder.webhook_deliveries d ON d.id = (a.details ->> 'deliveryId')::bigint
      LEFT JOIN builder.webhook_endpoints e
        ON e.id = coalesce(d.endpoint_id, a.details ->> 'webhookId') AND e.builder_id IS NOT NULL
    ORDER BY a.key`

  /** True for an alert whose cause lasts. */
  const lasts = Effect.fnUntraced(function* (row: Standing) {
    const { endpoint_id, id, previous_secret, previous_secret_sealed, secret, secret_sealed, waits } = row
    if (endpoint_id === null || (id !== null && waits !== true)) return false
    if (id !== null && decodeEach([{ ...row, id }], WebhookRows.assertReadable).failures.length > 0) return true
    return yield* secretsOf(endpoint_id, [
      { plain: secret, sealed: secret_sealed },
      { plain: previous_secret, sealed: previous_secret_sealed }
    ]).pipe(Effect.match({ onFailure: () => true, onSuccess: () => false }))
  })

  const recheck = Effect.gen(function* () {
    const at = timestamp(yield* Clock.currentTimeMillis)
    for (let after: string | undefined = ""; after !== undefined;) {
      const rows: ReadonlyArray<Standing> = yield* standingAfter(after, at)
      const mended = yield* Effect.filter(rows, (row) => Effect.map(lasts(row), (isLasting) => !isLasting))
      if (mended.length > 0) yield* free(mended, at)
      after = rows.length < PAGE ? undefined : rows.at(-1)?.key
    }
  }).pipe(guarded("UnreadableDeliveries.recheck"))

  return { decode, recheck }
})

export class UnreadableDeliveries extends Context.Service<
  UnreadableDeliveries,
  {
    /** Decodes each row of a claim by itself, and sets aside those that cannot be read. */
    readonly decode: (
      rows: ReadonlyArray<{ readonly id: bigint }>
    ) => Effect.Effect<ReadonlyArray<DueDelivery>, StoreUnavailable>
    /** Reads the rows and secrets again for which an alert stands. Frees what can be read, and clears alerts that no other process has. */
    readonly recheck: Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/adapters/sql/UnreadableDeliveries") {
  static readonly layer = Layer.effect(
    UnreadableDeliveries,
    Effect.tap(make, ({ recheck }) =>
      recheck.pipe(
        Effect.catchTag("StoreUnavailable", ({ message }) => Effect.logDebug(`unreadable deliveries: ${message}`)),
        Effect.repeat(RECHECK),
        Effect.forkScoped
      )
    )
  ).pipe(Layer.provide(BuilderAlerts.layer))
}
