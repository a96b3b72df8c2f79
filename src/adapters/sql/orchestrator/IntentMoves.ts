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
  BURNING,
  effectOf,
  effectsOf,
  type IntentEvent,
  type IntentStatus,
  legalFrom,
  transitions
} from "../../../domain/Intent.ts"
import type { Intents, Step } from "../../../ports/orchestrator/Intents.ts"
import { idempotencyKey } from "../../../ports/orchestrator/Outbox.ts"
import { boundedTime } from "../shared/BoundedTime.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as IntentRow from "./IntentRow.ts"
import * as IntentTables from "./IntentTables.ts"
import * as OutboxMessageJson from "./OutboxMessageJson.ts"
import * as Rate from "./Rate.ts"
import { tell } from "./SweepEventSql.ts"

/** Changes of a step, and the statuses from which all of its events are legal. */
const stepRow = ({ detail, events, feePrice, id }: Step) => {
  const { amountOut, deliveryTxHash, failureReason, status, txHash } = effectsOf(events)
  return {
    id: text(id),
    from: legalFrom(events),
    status,
    tx_hash: txHash,
    delivery_tx_hash: deliveryTxHash,
    amount_out: amountOut?.toString(),
    failure_reason: failureReason,
    failure_detail: failureReason === undefined || detail === undefined ? undefined : text(detail),
    fee_rate: feePrice === undefined ? undefined : Rate.ofUnit(feePrice)
  }
}

const eventRow = (id: string, event: IntentEvent, detail: string | undefined) => {
  const { deliveryTxHash, failureReason, status, txHash } = effectOf(event)
  return {
    id: text(id),
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

/**
 * Applies the steps and returns what `returned` selects from the new states in `moved`.
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
        id text, "from" text[], status text, tx_hash text, delivery_tx_hash text, amount_out numeric,
        failure_reason text, failure_detail text, fee_rate numeric
      )
    ), passed AS (
      SELECT * FROM ROWS FROM (
        jsonb_to_recordset(${sql.json(events)}) AS (
          id text, status text, tx_hash text, delivery_tx_hash text, failure_reason text, detail text
        )
      ) WITH ORDINALITY AS e (id, status, tx_hash, delivery_tx_hash, failure_reason, detail, position)
    ), locked AS (
      SELECT i.id FROM orchestrator.intent_states i JOIN step USING (id)
      WHERE i.id = ANY(${IntentTables.ids(
        sql,
        steps.map(({ id }) => text(id))
      )}) AND i.status = ANY(step."from")
      ORDER BY i.id FOR UPDATE OF i
    ), moved AS (
      UPDATE orchestrator.intent_states i
      SET status = coalesce(step.status, i.status),
        tx_hash = coalesce(decode(substr(step.tx_hash, 3), 'hex'), i.tx_hash),
        delivery_tx_hash = coalesce(decode(substr(step.delivery_tx_hash, 3), 'hex'), i.delivery_tx_hash),
        amount_out = coalesce(step.amount_out, i.amount_out),
        failure_reason = coalesce(step.failure_reason, i.failure_reason),
        failure_detail = coalesce(step.failure_detail, i.failure_detail),
        burned_at = CASE WHEN step.failure_reason = ANY(${BURNING}) AND (i.tx_hash IS NOT NULL OR step.tx_hash IS NOT NULL)
          THEN ${at} ELSE i.burned_at END,
        fee_rate = coalesce(step.fee_rate, i.fee_rate),
        updated_at = ${at}
      FROM locked JOIN step USING (id)
      WHERE i.id = locked.id AND i.status = ANY(step."from")
      RETURNING i.*
    ), event AS (
      INSERT INTO orchestrator.intent_history (number, status, tx_hash, reason, detail, at)
      SELECT moved.number, e.status, decode(substr(coalesce(e.tx_hash, e.delivery_tx_hash), 3), 'hex'), e.failure_reason,
        e.detail, ${at}
      FROM passed e JOIN moved USING (id) ORDER BY e.position
    ), message AS (
      INSERT INTO orchestrator.outbox (idempotency_key, intent_id, message, due_at, created_at)
      SELECT m.key, m.id, m.message, ${yield* boundedTime(sql, millis)}, ${at}
      FROM ROWS FROM (
        jsonb_to_recordset(${sql.json(steps.flatMap(messageRows))}) AS (id text, key text, message jsonb)
      ) WITH ORDINALITY AS m (id, key, message, position)
      JOIN moved USING (id) ORDER BY m.position
      ON CONFLICT (idempotency_key) DO NOTHING
    ), told AS (${yield* tell(sql, sql`moved m JOIN passed e USING (id)`, millis)})
    ${returned}`
})

/** Status of an intent; one that does not exist is a defect. */
export const statusOf = Effect.fnUntraced(function* (sql: PgClient.PgClient, id: string) {
  const [row] = yield* sql<{
    status: IntentStatus
  }>`SELECT status FROM orchestrator.intent_states WHERE id = ${text(id)}`
  return row === undefined ? yield* Effect.die(new Error(`intent ${id} does not exist`)) : row.status
})

export const apply = (sql: PgClient.PgClient): Intents["Service"]["apply"] => {
  const whole = sql`SELECT ${IntentTables.columns(sql)} FROM moved s ${IntentTables.documents(sql)}`
  const attempt: Intents["Service"]["apply"] = Effect.fnUntraced(function* (id, events, consequences) {
    const [row] = yield* move<IntentRow.IntentRow>(sql, [{ id, events, ...consequences }], whole)
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
    const moved = yield* move<{ id: string }>(sql, steps, sql`SELECT id FROM moved`)
    return new Set(moved.map(({ id }) => id))
  }, guarded("applyAll"))

export const resettle = (sql: PgClient.PgClient): Intents["Service"]["resettle"] =>
  Effect.fnUntraced(function* (steps) {
    if (steps.length === 0) return
    yield* sql`
      WITH step AS (
        SELECT * FROM jsonb_to_recordset(${sql.json(steps.map(stepRow))})
          AS s (id text, tx_hash text, delivery_tx_hash text, amount_out numeric)
      ), locked AS (
        SELECT i.id FROM orchestrator.intent_states i JOIN step USING (id)
        WHERE i.id = ANY(${IntentTables.ids(
          sql,
          steps.map(({ id }) => text(id))
        )}) AND i.status IN ('settled_source', 'delivered')
        ORDER BY i.id FOR UPDATE OF i
      )
      UPDATE orchestrator.intent_states i
      SET tx_hash = decode(substr(step.tx_hash, 3), 'hex'),
        delivery_tx_hash = coalesce(decode(substr(step.delivery_tx_hash, 3), 'hex'), i.delivery_tx_hash),
        amount_out = coalesce(step.amount_out, i.amount_out), updated_at = ${timestamp(yield* Clock.currentTimeMillis)}
      FROM locked JOIN step USING (id)
      WHERE i.id = locked.id AND i.tx_hash <> decode(substr(step.tx_hash, 3), 'hex')`
  }, guarded("resettle"))
