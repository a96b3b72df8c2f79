/**
 * Moves intents by events. One statement changes status, history and outbox, so all of it happens or nothing.
 *
 * The row lock and the check of the transition are the update itself: it finds an intent only in a status from which the
 * domain allows all of its events.
 */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import {
  effectOf,
  effectsOf,
  type IntentEvent,
  type IntentStatus,
  legalFrom,
  transitions
} from "../../../domain/Intent.ts"
import type { Intents, Step } from "../../../ports/orchestrator/Intents.ts"
import { idempotencyKey } from "../../../ports/orchestrator/Outbox.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as IntentRow from "./IntentRow.ts"
import * as OutboxMessageJson from "./OutboxMessageJson.ts"
import { tell } from "./SweepEventSql.ts"

/** Changes of a step, and the statuses from which all of its events are legal. */
const stepRow = ({ detail, events, id }: Step) => {
  const { deliveryTxHash, failureReason, status, txHash } = effectsOf(events)
  return {
    id: text(id),
    from: legalFrom(events),
    status,
    tx_hash: txHash,
    delivery_tx_hash: deliveryTxHash,
    failure_reason: failureReason,
    failure_detail: failureReason === undefined || detail === undefined ? undefined : text(detail)
  }
}

const eventRow = (id: string, event: IntentEvent, detail: string | undefined) => {
  const { deliveryTxHash, failureReason, status, txHash } = effectOf(event)
  return {
    id: text(id),
    event: event._tag,
    status,
    tx_hash: txHash,
    delivery_tx_hash: deliveryTxHash,
    failure_reason: failureReason,
    detail: detail === undefined ? undefined : text(detail)
  }
}

const messageRows = ({ id, outbox = [] }: Step) =>
  outbox.map((message) => ({
    id: text(id),
    key: idempotencyKey(message),
    message: OutboxMessageJson.encode(message)
  }))

/** Columns of a moved intent `i` that its builder's event is made of. The documents are read for attributed intents only. */
const told = (sql: PgClient.PgClient) => sql`i.id, i.builder_id, i.source_chain_id, i.tx_hash,
  CASE WHEN i.builder_id IS NOT NULL THEN i.quote END AS quote,
  CASE WHEN i.builder_id IS NOT NULL THEN i."order" END AS "order"`

/**
 * Applies the steps and returns the columns `returned` of the intents that moved; these include those of {@link told}.
 *
 * Rows are locked in the order of their ids, so that two passes over the same intents cannot wait for each other. A message's
 * key comes from its settlement, so a message that exists already is the same message.
 */
const move = Effect.fnUntraced(function* <Row extends object>(
  sql: PgClient.PgClient,
  steps: ReadonlyArray<Step>,
  returned: Fragment
) {
  const millis = yield* Clock.currentTimeMillis
  const at = timestamp(millis)
  const events = steps.flatMap(({ detail, events, id }) => events.map((event) => eventRow(id, event, detail)))
  return yield* sql<Row>`
    WITH step AS (
      SELECT * FROM jsonb_to_recordset(${sql.json(steps.map(stepRow))}) AS s (
        id text, "from" text[], status text, tx_hash text, delivery_tx_hash text, failure_reason text,
        failure_detail text
      )
    ), passed AS (
      SELECT * FROM ROWS FROM (
        jsonb_to_recordset(${sql.json(events)}) AS (
          id text, event text, status text, tx_hash text, delivery_tx_hash text, failure_reason text, detail text
        )
      ) WITH ORDINALITY AS e (id, event, status, tx_hash, delivery_tx_hash, failure_reason, detail, position)
    ), locked AS (
      SELECT i.id FROM orchestrator.intents i JOIN step USING (id)
      WHERE i.status = ANY(step."from") ORDER BY i.id FOR UPDATE OF i
    ), moved AS (
      UPDATE orchestrator.intents i
      SET status = coalesce(step.status, i.status), tx_hash = coalesce(step.tx_hash, i.tx_hash),
        delivery_tx_hash = coalesce(step.delivery_tx_hash, i.delivery_tx_hash),
        failure_reason = coalesce(step.failure_reason, i.failure_reason),
        failure_detail = coalesce(step.failure_detail, i.failure_detail),
        delivery_look_at = CASE WHEN step.status = 'settled_source' THEN ${at} ELSE i.delivery_look_at END,
        lease_worker = NULL, lease_until = NULL, updated_at = ${at}
      FROM locked JOIN step USING (id)
      WHERE i.id = locked.id AND i.status = ANY(step."from")
      RETURNING ${returned}
    ), event AS (
      INSERT INTO orchestrator.intent_events (intent_id, event, status, tx_hash, reason, detail, at)
      SELECT e.id, e.event, e.status, coalesce(e.tx_hash, e.delivery_tx_hash), e.failure_reason, e.detail, ${at}
      FROM passed e JOIN moved USING (id) ORDER BY e.position
    ), message AS (
      INSERT INTO orchestrator.outbox (idempotency_key, intent_id, message, due_at, created_at)
      SELECT m.key, m.id, m.message, ${at}, ${at}
      FROM ROWS FROM (
        jsonb_to_recordset(${sql.json(steps.flatMap(messageRows))}) AS (id text, key text, message jsonb)
      ) WITH ORDINALITY AS m (id, key, message, position)
      JOIN moved USING (id) ORDER BY m.position
      ON CONFLICT (idempotency_key) DO NOTHING
    ), told AS (${tell(sql, sql`moved m JOIN passed e USING (id)`, millis)})
    SELECT * FROM moved`
})

/** Status of an intent; one that does not exist is a defect. */
export const statusOf = Effect.fnUntraced(function* (sql: PgClient.PgClient, id: string) {
  const [row] = yield* sql<{ status: IntentStatus }>`SELECT status FROM orchestrator.intents WHERE id = ${text(id)}`
  return row === undefined ? yield* Effect.die(new Error(`intent ${id} does not exist`)) : row.status
})

export const apply = (sql: PgClient.PgClient): Intents["Service"]["apply"] => {
  const attempt: Intents["Service"]["apply"] = Effect.fnUntraced(function* (id, events, consequences) {
    const [row] = yield* move<IntentRow.IntentRow>(sql, [{ id, events, ...consequences }], sql`i.*`)
    if (row !== undefined) return IntentRow.toIntent(row)
    yield* Effect.fromResult(transitions(yield* statusOf(sql, id), events))
    // Another process moved it to a status in which the events are legal after the update had missed it.
    return yield* attempt(id, events, consequences)
  }, guarded("apply"))
  return attempt
}

export const applyAll = (sql: PgClient.PgClient): Intents["Service"]["applyAll"] =>
  Effect.fnUntraced(function* (steps) {
    if (steps.length === 0) return new Set<string>()
    const moved = yield* move<{ id: string }>(sql, steps, told(sql))
    return new Set(moved.map(({ id }) => id))
  }, guarded("applyAll"))
