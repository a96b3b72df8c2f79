/**
 * Webhook deliveries whose rows cannot be decoded. Each is postponed with an alert, so that it holds no other delivery of its
 * endpoint. It is sent after its row was mended.
 */
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { DueDelivery } from "../../../ports/builder/Webhooks.ts"
import { Alerts } from "../../../ports/shared/Alerts.ts"
import { SecretBox } from "../../../ports/shared/SecretBox.ts"
import type { StoreUnavailable } from "../../../ports/shared/Store.ts"
import { guarded, timestamp } from "../shared/Database.ts"
import { decodeEach, type Unreadable } from "../shared/EachRow.ts"
import * as BuilderAlerts from "./Alerts.ts"
import * as WebhookRows from "./WebhookRows.ts"
import * as WebhookSecrets from "./WebhookSecrets.ts"

const KIND = "webhook_unreadable"

const keyOf = (id: string) => `${KIND}:${id}`

/** Postponement of a delivery. Ends when its row can be read. */
const SET_ASIDE_MILLIS = 24 * 60 * 60_000

/** Interval at which rows that are set aside are read again. */
const RECHECK = Schedule.spaced("30 seconds")

/** A delivery for which an alert stands. */
interface Waiting {
  readonly id: string
  readonly waits: boolean
  readonly endpoint_id: string
  readonly secret: string | null
  readonly secret_sealed: string | null
  /** Secrets that no longer sign are absent. */
  readonly previous_secret: string | null
  readonly previous_secret_sealed: string | null
}

const make = Effect.gen(function* () {
  const box = yield* SecretBox
  const sql = yield* SqlClient.SqlClient
  const alerts = yield* Alerts

  const setAside = Effect.fnUntraced(function* (failures: ReadonlyArray<Unreadable>) {
    for (const { detail, id } of failures) {
      yield* Effect.logError("webhook.unreadable").pipe(Effect.annotateLogs({ deliveryId: id, detail }))
      yield* alerts.raise({
        key: keyOf(id),
        severity: "warning",
        kind: KIND,
        message: `The stored webhook delivery ${id} cannot be read, so it is not sent. Restore its row in builder.webhook_deliveries, or the key of its secret (SECRETS_FORMER_KEY). The service reads it again every 30 seconds.`,
        details: { deliveryId: id, detail }
      })
    }
    const until = timestamp((yield* Clock.currentTimeMillis) + SET_ASIDE_MILLIS)
    yield* sql`UPDATE builder.webhook_deliveries SET lease_until = NULL, due_at = ${until}
      WHERE id = ANY(${failures.map(({ id }) => id)}::bigint[])`
  })

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
      Effect.catchTag("SecretUnreadable", ({ detail }) => Effect.succeed({ id: due.id, detail } satisfies Unreadable))
    )

  /** Due deliveries in the order of the rows, without those that cannot be read. */
  const decode = Effect.fnUntraced(function* (rows: ReadonlyArray<{ readonly id: bigint }>) {
    const { failures, values } = decodeEach(rows, WebhookRows.due)
    const opened = yield* Effect.forEach(values, withSecrets)
    const unreadable = [...failures, ...opened.flatMap((each) => ("detail" in each ? [each] : []))]
    if (unreadable.length > 0) yield* setAside(unreadable)
    return opened.flatMap((each) => ("detail" in each ? [] : [each]))
  }, guarded("UnreadableDeliveries.decode"))

  const recheck = Effect.gen(function* () {
    const at = timestamp(yield* Clock.currentTimeMillis)
    const rows = yield* sql<Waiting>`
      SELECT a.details ->> 'deliveryId' AS id, d.state = 'pending' AS waits, d.type, d.payload, d.failures,
        e.id AS endpoint_id, e.secret, e.secret_sealed,
        CASE WHEN e.previous_secret_until > ${at} THEN e.previous_secret END AS previous_secret,
        CASE WHEN e.previous_secret_until > ${at} THEN e.previous_secret_sealed END AS previous_secret_sealed
      FROM builder.alerts a LEFT JOIN builder.webhook_deliveries d ON d.id = (a.details ->> 'deliveryId')::bigint
        LEFT JOIN builder.webhook_endpoints e ON e.id = d.endpoint_id
      WHERE a.cleared_at IS NULL AND a.kind = ${KIND}`
    const { failures } = decodeEach(
      rows.filter(({ waits }) => waits),
      WebhookRows.assertReadable
    )
    const locked = yield* Effect.filter(
      rows.filter(({ waits }) => waits),
      ({ endpoint_id, previous_secret, previous_secret_sealed, secret, secret_sealed }) =>
        secretsOf(endpoint_id, [
          { plain: secret, sealed: secret_sealed },
          { plain: previous_secret, sealed: previous_secret_sealed }
        ]).pipe(Effect.match({ onFailure: () => true, onSuccess: () => false }))
    )
    const unreadable = new Set([...failures, ...locked].map(({ id }) => id))
    const mended = rows.map(({ id }) => id).filter((id) => !unreadable.has(id))
    if (mended.length === 0) return
    yield* sql`UPDATE builder.webhook_deliveries SET due_at = ${at}
      WHERE id = ANY(${mended}::bigint[]) AND state = 'pending'`
    yield* Effect.forEach(mended, (id) => alerts.clear(keyOf(id)), { discard: true })
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
    /** Reads the rows again for which an alert stands. Frees those that can be read, and clears their alerts. */
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
