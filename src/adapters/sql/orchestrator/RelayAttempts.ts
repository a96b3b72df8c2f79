/** Signed versions of relay transactions. */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect } from "effect"
import type { Attempt, RelayTransactions } from "../../../ports/orchestrator/RelayTransactions.ts"
import { boundedTime } from "../shared/BoundedTime.ts"
import { bytes as hexBytes, guarded, timestamp } from "../shared/Database.ts"
import type * as RelayTransactionRow from "./RelayTransactionRow.ts"

const now = Effect.map(Clock.currentTimeMillis, timestamp)

/** Values of a row of `orchestrator.relay_attempts`. */
const attemptValues = Effect.fnUntraced(function* (sql: PgClient.PgClient, id: string, attempt: Attempt) {
  const { broadcastAtMs, hash, maxFeePerGas, maxPriorityFeePerGas, raw, signedAtMs } = attempt
  return sql`(
    ${hash}, ${id}::bigint, ${hexBytes(raw)}, ${String(maxFeePerGas)}::numeric, ${String(maxPriorityFeePerGas)}::numeric,
    ${yield* boundedTime(sql, signedAtMs)},
    ${broadcastAtMs === undefined ? null : yield* boundedTime(sql, broadcastAtMs)}
  )`
})

export const addAttempt = (
  sql: PgClient.PgClient,
  bytes: RelayTransactionRow.SignedBytes
): RelayTransactions["Service"]["addAttempt"] =>
  Effect.fnUntraced(function* (id, attempt, kind) {
    bytes.remember(attempt.hash, attempt.raw)
    // Signatures are deterministic: the same version signed twice has the same hash. It counts as signed the last time.
    yield* sql`
      WITH transaction AS (
        UPDATE orchestrator.relay_transactions SET kind = ${kind} WHERE id = ${id}::bigint AND kind <> ${kind}
      ), attempt AS (
        INSERT INTO orchestrator.relay_attempts AS a (
          hash, transaction_id, raw, max_fee_per_gas, max_priority_fee_per_gas, signed_at, broadcast_at
        ) VALUES ${yield* attemptValues(sql, id, attempt)}
        ON CONFLICT (hash) DO UPDATE SET signed_at = greatest(a.signed_at, excluded.signed_at)
      )
      UPDATE orchestrator.intent_states SET tx_hash = ${hexBytes(attempt.hash)}, updated_at = ${yield* now}
      WHERE ${kind} = 'sweep' AND status = 'submitted' AND id = ANY(ARRAY(
        SELECT intent_id FROM orchestrator.relay_transaction_intents WHERE transaction_id = ${id}::bigint AND active
      ))`
  }, guarded("addAttempt"))

export const markBroadcast = (sql: PgClient.PgClient): RelayTransactions["Service"]["markBroadcast"] =>
  Effect.fnUntraced(function* (hash) {
    const at = yield* boundedTime(sql, yield* Clock.currentTimeMillis)
    yield* sql`UPDATE orchestrator.relay_attempts SET broadcast_at = ${at} WHERE hash = ${hash}`
  }, guarded("markBroadcast"))
