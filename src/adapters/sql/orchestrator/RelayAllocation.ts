/** Allocates a lane's next nonce to a transaction, signs it and stores the signed bytes, all or nothing. */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect } from "effect"
import type * as Address from "../../../domain/Address.ts"
import {
  IntentTaken,
  LaneClosed,
  type RelayTransaction,
  type RelayTransactions
} from "../../../ports/orchestrator/RelayTransactions.ts"
import { bytes as hexBytes, guarded, timestamp } from "../shared/Database.ts"
import * as IntentTables from "./IntentTables.ts"
import { attemptValues } from "./RelayAttempts.ts"
import type * as RelayTransactionRow from "./RelayTransactionRow.ts"

/** Locks the lane until the transaction ends, and takes its next nonce. */
const takeNonce = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  chainId: number,
  lane: Address.Address,
  chainNonce: bigint
) {
  const [row] = yield* sql<{ nonce: bigint }>`
    INSERT INTO orchestrator.lanes AS l (chain_id, lane, next_nonce)
    VALUES (${chainId}, ${lane}, ${chainNonce} + 1)
    ON CONFLICT (chain_id, lane) DO UPDATE SET next_nonce = greatest(l.next_nonce, ${chainNonce}) + 1
    RETURNING next_nonce - 1 AS nonce, ${IntentTables.byKeys(sql)}`
  return row?.nonce ?? chainNonce
})

/**
 * Inserts the transaction and its links to the free ones among the intents. Locks their states and, so that no claim takes them,
 * their rows of the queue: in this order, as everything that moves an intent does.
 */
const insert = (
  sql: PgClient.PgClient,
  options: Pick<Parameters<RelayTransactions["Service"]["allocate"]>[0], "chainId" | "lane" | "intentIds" | "reserve">,
  nonce: bigint,
  at: Date
) =>
  sql<{ id: bigint; taken: ReadonlyArray<string>; is_open: boolean }>`
    WITH free AS (
      SELECT s.id, q.account FROM orchestrator.intent_states s JOIN orchestrator.intent_queue q ON q.intent_id = s.id
      WHERE s.id = ANY(${IntentTables.ids(sql, options.intentIds)}) AND s.source_chain_id = ${options.chainId}
        AND s.status = 'submitted' AND s.relay_transaction_id IS NULL
      ORDER BY s.id
      FOR UPDATE OF s, q
    ), transaction AS (
      INSERT INTO orchestrator.relay_transactions (chain_id, lane, nonce, kind, reserved, created_at)
      VALUES (
        ${options.chainId}, ${options.lane}, ${nonce}, ${options.intentIds.length === 0 ? "cancel" : "sweep"},
        ${String(options.reserve ?? 0n)}::numeric, ${at}
      )
      RETURNING id
    ), link AS (
      INSERT INTO orchestrator.relay_transaction_intents (transaction_id, intent_id, position, account)
      SELECT transaction.id, free.id, array_position(${options.intentIds}::text[], free.id::text), free.account
      FROM transaction, free
    )
    SELECT transaction.id,
      ARRAY(SELECT unnest(${options.intentIds}::text[]) EXCEPT SELECT free.id::text FROM free) AS taken,
      NOT EXISTS (SELECT FROM orchestrator.lane_states WHERE lane = ${options.lane} AND state <> 'active') AS is_open
    FROM transaction`

export const allocate =
  (sql: PgClient.PgClient, bytes: RelayTransactionRow.SignedBytes): RelayTransactions["Service"]["allocate"] =>
  (options) => {
    const stored = Effect.gen(function* () {
      const millis = yield* Clock.currentTimeMillis
      const nonce = yield* takeNonce(sql, options.chainId, options.lane, options.chainNonce).pipe(guarded("allocate"))
      const [row] = yield* insert(sql, options, nonce, timestamp(millis)).pipe(
        Effect.mapError((error) =>
          error.reason._tag === "UniqueViolation" && error.reason.constraint.startsWith("relay_transaction_intents_")
            ? new IntentTaken({ intentIds: options.intentIds })
            : error
        ),
        guarded("allocate")
      )
      if (row === undefined) return yield* Effect.die(new Error("the inserted transaction was not returned"))
      if (!row.is_open) return yield* new LaneClosed({ lane: options.lane })
      if (row.taken.length > 0) return yield* new IntentTaken({ intentIds: row.taken })
      const id = String(row.id)
      const attempt = yield* options.sign(nonce)
      yield* sql`
        WITH attempt AS (
          INSERT INTO orchestrator.relay_attempts (
            hash, transaction_id, raw, max_fee_per_gas, max_priority_fee_per_gas, signed_at, broadcast_at
          ) VALUES ${attemptValues(sql, id, attempt)}
        )
        UPDATE orchestrator.intent_states
        SET relay_transaction_id = ${id}::bigint, tx_hash = ${hexBytes(attempt.hash)}, updated_at = ${timestamp(millis)}
        WHERE id = ANY(${IntentTables.ids(sql, options.intentIds)})`.pipe(guarded("allocate"))
      bytes.remember(attempt.hash, attempt.raw)
      const transaction: RelayTransaction = {
        id,
        chainId: options.chainId,
        lane: options.lane,
        nonce,
        kind: options.intentIds.length === 0 ? "cancel" : "sweep",
        intentIds: options.intentIds,
        status: "pending",
        attempts: [attempt],
        createdAtMs: millis
      }
      return transaction
    })
    return sql.withTransaction(stored).pipe(guarded("allocate"))
  }
