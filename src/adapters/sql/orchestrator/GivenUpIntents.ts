/** Reasons for which submitted intents are no longer sent. */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Option } from "effect"
import { BURNING, type FailureReason } from "../../../domain/Intent.ts"
import type { Intents } from "../../../ports/orchestrator/Intents.ts"
import { boundedTime } from "../shared/BoundedTime.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import { isHeldBy } from "./IntentQueue.ts"

/** Retention of a reason after the time when its intent can be claimed again, in milliseconds: a day. */
const KEPT_MILLIS = 86_400_000

export const giveUp = (sql: PgClient.PgClient): Intents["Service"]["giveUp"] =>
  Effect.fnUntraced(function* (id, { detail, notBeforeMs, reason, worker }) {
    const millis = yield* Clock.currentTimeMillis
    const notBefore = yield* boundedTime(sql, notBeforeMs)
    // An intent that a transaction carries is not in the queue.
    const isHeld = worker === undefined ? sql`true` : sql`id IN (SELECT intent_id FROM queued)`
    // The lock comes first: a transaction that lets the intent go reads the time after which it can be claimed.
    const recorded = yield* sql.withTransaction(
      Effect.andThen(
        sql`SELECT FROM orchestrator.intent_states WHERE id = ${text(id)} FOR UPDATE`,
        sql`
          WITH old AS (
            DELETE FROM orchestrator.given_up_intents WHERE not_before < ${yield* boundedTime(sql, millis - KEPT_MILLIS)}
          ), queued AS (
            UPDATE orchestrator.intent_queue SET not_before = ${notBefore}, lease_worker = NULL, lease_until = NULL,
              waiting_for = NULL
            WHERE intent_id = ${text(id)} AND ${isHeldBy(sql, worker)}
            RETURNING intent_id
          ), intent AS (
            SELECT id, source_chain_id || ':' || owner AS account, builder_id, tx_hash FROM orchestrator.intent_states
            WHERE id = ${text(id)} AND status = 'submitted' AND ${isHeld}
          )
          INSERT INTO orchestrator.given_up_intents AS g (
            intent_id, account, builder_id, reason, detail, burned, at, not_before
          )
          SELECT id, account, builder_id, ${reason}, ${text(detail)},
            tx_hash IS NOT NULL AND ${BURNING.includes(reason)}, ${timestamp(millis)}, ${notBefore}
          FROM intent
          ON CONFLICT (intent_id) DO UPDATE
          SET reason = excluded.reason, detail = excluded.detail, burned = g.burned OR excluded.burned, at = excluded.at,
            not_before = excluded.not_before
          RETURNING intent_id`
      )
    )
    return recorded.length > 0
  }, guarded("giveUp"))

export const givenUp = (sql: PgClient.PgClient): Intents["Service"]["givenUp"] =>
  Effect.fnUntraced(function* (id) {
    const [row] = yield* sql<{ reason: FailureReason; detail: string }>`
      SELECT reason, detail FROM orchestrator.given_up_intents WHERE intent_id = ${text(id)}`
    return Option.fromUndefinedOr(row)
  }, guarded("givenUp"))

export const givenUpReasons = (sql: PgClient.PgClient): Intents["Service"]["givenUpReasons"] =>
  Effect.fnUntraced(function* (ids) {
    const rows = yield* sql<{ id: string; reason: FailureReason }>`
      SELECT intent_id AS id, reason FROM orchestrator.given_up_intents WHERE intent_id = ANY(${ids.map(text)})`
    return new Map(rows.map(({ id, reason }) => [id, reason]))
  }, guarded("givenUpReasons"))
