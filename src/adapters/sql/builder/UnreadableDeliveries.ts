/**
 * Webhook deliveries that cannot be read. Each is postponed, so that it holds no other delivery, and sent once it can be read. An alert
 * stands for a delivery whose row cannot be decoded, and one for an endpoint whose secret cannot be read.
 *
 * A transaction raises alerts and postpones deliveries, and another one clears alerts and frees deliveries, so that none is postponed
 * without an alert. Both change alerts first, in the order of their keys. Replicas then wait for each other at the alert, without a
 * deadlock, and the one that frees sees what the other one has postponed.
 *
 * A replica without the key cannot read a secret that others can. They free its deliveries, and leave its alert to it while it renews it.
 * Otherwise each turn would end the alert and begin another one.
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

/** The alert of an endpoint is cleared after so many rechecks in a row that saw no renewal. */
const LEFT_RECHECKS = 3

/** Number of alerts that one statement reads. */
const PAGE = 100

/** A delivery of an endpoint whose secret cannot be read. */
interface Locked extends Unreadable {
  readonly webhookId: string
}

/** A standing alert, with what it is about. */
interface Standing {
  readonly key: string
  readonly alert_id: string
  /** Absent in alerts of deliveries, and in those of earlier releases. */
  readonly renewed: string | null
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

const alertOfSecret = (webhookId: string, detail: string, renewedAtMs: number): NewAlert => ({
  key: keyOfEndpoint(webhookId),
  severity: "warning",
  kind: KIND,
  message: `A secret of the webhook ${webhookId} cannot be read, so nothing is sent to it. Set SECRETS_FORMER_KEY to the key that encrypted it, or let its builder rotate the secret. The service reads it again every 30 seconds.`,
  details: { webhookId, detail, renewedAtMs }
})

const byKey = <A extends { readonly key: string }>(all: ReadonlyArray<A>) =>
  Arr.sortWith(all, ({ key }) => key, Order.String)

/** True for alerts of endpoints that this process raised, false for those that it cleared, by their keys. */
type Told = Map<string, boolean>

/**
 * Counts the rechecks of this process since it saw the newest renewal of each alert. Clocks of processes may differ, so only a change of the
 * renewal counts.
 */
const makeRenewals = () => {
  let before = new Map<string, { readonly renewal: string; readonly rechecks: number }>()
  let seen = before

  /** Begins a recheck, and forgets the alerts that the last one did not see. */
  const begin = (): void => {
    before = seen
    seen = new Map()
  }

  const note = ({ alert_id, key, renewed }: Standing): void => {
    const renewal = `${alert_id} ${renewed}`
    const known = before.get(key)
    seen.set(key, { renewal, rechecks: known?.renewal === renewal ? known.rechecks + 1 : 0 })
  }

  /** True if no process renews the alert. */
  const isLeft = (key: string): boolean => (seen.get(key)?.rechecks ?? 0) >= LEFT_RECHECKS

  return { begin, isLeft, note }
}

/** Raises the alerts of deliveries, and postpones them. */
const makeSetAside = Effect.fnUntraced(function* (told: Told) {
  const alerts = yield* Alerts
  const sql = yield* SqlClient.SqlClient

  return Effect.fnUntraced(function* (failures: ReadonlyArray<Unreadable>, locked: ReadonlyArray<Locked>) {
    const details = new Map(locked.map(({ detail, webhookId }) => [webhookId, detail]))
    const now = yield* Clock.currentTimeMillis
    const ofSecrets = [...details].map(([webhookId, detail]) => alertOfSecret(webhookId, detail, now))
    const raised = byKey([...failures.map(alertOfRow), ...ofSecrets])
    for (const alert of raised) {
      yield* Effect.logError("webhook.unreadable").pipe(Effect.annotateLogs(alert.details))
    }
    const until = timestamp(now + SET_ASIDE_MILLIS)
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
const makeFree = Effect.fnUntraced(function* (told: Told, isLeft: (key: string) => boolean) {
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

  /** True for the alert of an endpoint that this process can read, and that another one renews after this one had cleared it. */
  const isOfAnother = ({ endpoint_id, id, key }: Standing) =>
    id === null && endpoint_id !== null && told.get(key) === false && !isLeft(key)

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
  const alerts = yield* Alerts
  const box = yield* SecretBox
  const sql = yield* SqlClient.SqlClient
  const renewals = makeRenewals()
  const told: Told = new Map()
  const free = yield* makeFree(told, renewals.isLeft)
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
    SELECT a.key, a.id::text AS alert_id, a.details ->> 'renewedAtMs' AS renewed, a.details ->> 'deliveryId' AS id,
      d.state = 'pending' AS waits, d.type, d.payload, d.failures,
      e.id AS endpoint_id, e.secret, e.secret_sealed,
      CASE WHEN e.previous_secret_until > ${at} THEN e.previous_secret END AS previous_secret,
      CASE WHEN e.previous_secret_until > ${at} THEN e.previous_secret_sealed END AS previous_secret_sealed
    FROM (
      SELECT id, key, details FROM builder.alerts WHERE cleared_at IS NULL AND kind = ${KIND} AND key > ${key}
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
    const now = yield* Clock.currentTimeMillis
    const at = timestamp(now)
    renewals.begin()
    for (let after: string | undefined = ""; after !== undefined;) {
      const rows: ReadonlyArray<Standing> = yield* standingAfter(after, at)
      for (const row of rows) renewals.note(row)
      const lasting = new Set(yield* Effect.filter(rows, lasts))
      // This process is one of those that cannot read the secrets of these endpoints.
      for (const { alert_id, id } of lasting) if (id === null) yield* alerts.amend(alert_id, { renewedAtMs: now })
      const mended = rows.filter((row) => !lasting.has(row))
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
    /** Reads the rows and secrets again for which an alert stands. Frees what can be read, and clears alerts that no other process renews. */
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
