/** Relay transactions in Postgres. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer, Schema } from "effect"
import type * as Address from "../../../domain/Address.ts"
import { Hash } from "../../../domain/Hex.ts"
import {
  type Attempt,
  IntentTaken,
  type RelayTransaction,
  RelayTransactions
} from "../../../ports/orchestrator/RelayTransactions.ts"
import { guarded, timestamp } from "../shared/Database.ts"
import * as RelayTransactionRow from "./RelayTransactionRow.ts"

const decodeInclusions = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ id: Schema.BigInt, hash: Hash, block_number: Schema.BigInt, block_hash: Hash }))
)

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const bytes = RelayTransactionRow.makeBytes()

  const now = Effect.map(Clock.currentTimeMillis, timestamp)

  const attemptValues = (id: string, attempt: Attempt) => sql`(
    ${attempt.hash}, ${id}::bigint, ${Buffer.from(attempt.raw.slice(2), "hex")}, ${String(attempt.maxFeePerGas)}::numeric,
    ${String(attempt.maxPriorityFeePerGas)}::numeric, ${timestamp(attempt.signedAtMs)},
    ${attempt.broadcastAtMs === undefined ? null : timestamp(attempt.broadcastAtMs)}
  )`

  /** Locks the lane until the transaction ends, and takes its next nonce. */
  const takeNonce = Effect.fnUntraced(function* (chainId: number, lane: Address.Address, chainNonce: bigint) {
    const [row] = yield* sql<{ nonce: bigint }>`
      INSERT INTO orchestrator.lanes AS l (chain_id, lane, next_nonce)
      VALUES (${chainId}, ${lane}, ${chainNonce} + 1)
      ON CONFLICT (chain_id, lane) DO UPDATE SET next_nonce = greatest(l.next_nonce, ${chainNonce}) + 1
      RETURNING next_nonce - 1 AS nonce`
    return row?.nonce ?? chainNonce
  })

  /** Inserts the transaction with links to those of the intents that are free, which it locks. */
  const insert = (
    options: Pick<
      Parameters<RelayTransactions["Service"]["allocate"]>[0],
      "chainId" | "lane" | "intentIds" | "reserve"
    >,
    nonce: bigint,
    at: Date
  ) =>
    sql<{ id: bigint; taken: ReadonlyArray<string> }>`
      WITH free AS (
        SELECT id, account FROM orchestrator.intents
        WHERE id = ANY(${options.intentIds}) AND source_chain_id = ${options.chainId}
          AND status = 'submitted' AND relay_transaction_id IS NULL
        ORDER BY id
        FOR UPDATE
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
        ARRAY(SELECT unnest(${options.intentIds}::text[]) EXCEPT SELECT free.id::text FROM free) AS taken
      FROM transaction`

  const allocate: RelayTransactions["Service"]["allocate"] = (options) => {
    const stored = Effect.gen(function* () {
      const millis = yield* Clock.currentTimeMillis
      const nonce = yield* takeNonce(options.chainId, options.lane, options.chainNonce).pipe(guarded("allocate"))
      const [row] = yield* insert(options, nonce, timestamp(millis)).pipe(
        Effect.mapError((error) =>
          error.reason._tag === "UniqueViolation" && error.reason.constraint.startsWith("relay_transaction_intents_")
            ? new IntentTaken({ intentIds: options.intentIds })
            : error
        ),
        guarded("allocate")
      )
      if (row === undefined) return yield* Effect.die(new Error("the inserted transaction was not returned"))
      if (row.taken.length > 0) return yield* new IntentTaken({ intentIds: row.taken })
      const id = String(row.id)
      const attempt = yield* options.sign(nonce)
      yield* sql`
        WITH attempt AS (
          INSERT INTO orchestrator.relay_attempts (
            hash, transaction_id, raw, max_fee_per_gas, max_priority_fee_per_gas, signed_at, broadcast_at
          ) VALUES ${attemptValues(id, attempt)}
        )
        UPDATE orchestrator.intents
        SET relay_transaction_id = ${id}::bigint, tx_hash = ${attempt.hash}, updated_at = ${timestamp(millis)},
          lease_worker = NULL, lease_until = NULL, not_before = NULL
        WHERE id = ANY(${options.intentIds})`.pipe(guarded("allocate"))
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

  const addAttempt: RelayTransactions["Service"]["addAttempt"] = Effect.fnUntraced(function* (id, attempt, kind) {
    bytes.remember(attempt.hash, attempt.raw)
    // Signatures are deterministic: the same version signed twice has the same hash.
    yield* sql`
      WITH transaction AS (
        UPDATE orchestrator.relay_transactions SET kind = ${kind} WHERE id = ${id}::bigint AND kind <> ${kind}
      ), attempt AS (
        INSERT INTO orchestrator.relay_attempts (
          hash, transaction_id, raw, max_fee_per_gas, max_priority_fee_per_gas, signed_at, broadcast_at
        ) VALUES ${attemptValues(id, attempt)}
        ON CONFLICT (hash) DO NOTHING
      )
      UPDATE orchestrator.intents i
      SET tx_hash = ${attempt.hash}, updated_at = ${yield* now}
      FROM orchestrator.relay_transaction_intents l
      WHERE l.transaction_id = ${id}::bigint AND l.active AND i.id = l.intent_id AND i.status = 'submitted'
        AND ${kind} = 'sweep'`
  }, guarded("addAttempt"))

  const markBroadcast = Effect.fnUntraced(function* (hash: Hash) {
    yield* sql`UPDATE orchestrator.relay_attempts SET broadcast_at = ${yield* now} WHERE hash = ${hash}`
  }, guarded("markBroadcast"))

  const setInclusion: RelayTransactions["Service"]["setInclusion"] = Effect.fnUntraced(function* (id, inclusion) {
    yield* sql`
        UPDATE orchestrator.relay_transactions
        SET status = ${inclusion === undefined ? "pending" : "mined"}, included_hash = ${inclusion?.hash ?? null},
          included_block_number = ${inclusion?.blockNumber ?? null},
          included_block_hash = ${inclusion?.blockHash ?? null}
        WHERE id = ${id}::bigint AND status <> 'final'`
  }, guarded("setInclusion"))

  const finalize: RelayTransactions["Service"]["finalize"] = Effect.fnUntraced(function* (endings) {
    if (endings.length === 0) return
    const at = yield* now
    const rows = endings.map(({ cost = 0n, id, inclusion }) => ({
      id,
      cost: String(cost),
      hash: inclusion?.hash,
      block_number: inclusion === undefined ? undefined : String(inclusion.blockNumber),
      block_hash: inclusion?.blockHash
    }))
    yield* sql`
      WITH ending AS (
        SELECT * FROM jsonb_to_recordset(${sql.json(rows)})
          AS e (id bigint, cost numeric, hash text, block_number bigint, block_hash text)
      ), locked AS (
        SELECT t.id FROM orchestrator.relay_transactions t JOIN ending USING (id)
        WHERE t.status <> 'final' ORDER BY t.id FOR UPDATE OF t
      ), transaction AS (
        UPDATE orchestrator.relay_transactions t
        SET status = 'final', finalized_at = ${at}, included_hash = ending.hash,
          included_block_number = ending.block_number, included_block_hash = ending.block_hash
        FROM locked JOIN ending USING (id)
        WHERE t.id = locked.id AND t.status <> 'final'
        RETURNING t.id, t.chain_id, ending.cost
      ), spending AS (
        INSERT INTO orchestrator.relay_spending AS s (chain_id, hour, wei)
        SELECT chain_id, date_trunc('hour', ${at}::timestamptz), sum(cost) FROM transaction
        GROUP BY chain_id HAVING sum(cost) > 0
        ON CONFLICT (chain_id, hour) DO UPDATE SET wei = s.wei + excluded.wei
      ), link AS (
        UPDATE orchestrator.relay_transaction_intents l SET active = false
        FROM transaction WHERE l.transaction_id = transaction.id AND l.active
        RETURNING l.intent_id
      )
      UPDATE orchestrator.intents i SET relay_transaction_id = NULL
      FROM link WHERE i.id = link.intent_id AND i.status = 'submitted'`
  }, guarded("finalize"))

  const finalFrom: RelayTransactions["Service"]["finalFrom"] = Effect.fnUntraced(function* (chainId, blockNumber) {
    const rows = yield* sql`
        SELECT id, included_hash AS hash, included_block_number AS block_number, included_block_hash AS block_hash
        FROM orchestrator.relay_transactions
        WHERE chain_id = ${chainId} AND status = 'final' AND included_block_number >= ${blockNumber}
        ORDER BY id`
    return (yield* decodeInclusions(rows).pipe(Effect.orDie)).map((row) => ({
      id: String(row.id),
      inclusion: { hash: row.hash, blockNumber: row.block_number, blockHash: row.block_hash }
    }))
  }, guarded("finalFrom"))

  const reopen: RelayTransactions["Service"]["reopen"] = Effect.fnUntraced(function* (ids) {
    yield* sql`
      UPDATE orchestrator.relay_transactions
      SET status = 'pending', reopened = true, finalized_at = NULL, included_hash = NULL, included_block_number = NULL,
        included_block_hash = NULL
      WHERE id = ANY(${ids}::bigint[]) AND status = 'final'`
  }, guarded("reopen"))

  const detach: RelayTransactions["Service"]["detach"] = Effect.fnUntraced(function* (id, intentIds) {
    yield* sql`
      WITH link AS (
        UPDATE orchestrator.relay_transaction_intents SET active = false
        WHERE transaction_id = ${id}::bigint AND intent_id = ANY(${intentIds}) AND active
        RETURNING intent_id
      )
      UPDATE orchestrator.intents i SET relay_transaction_id = NULL
      FROM link WHERE i.id = link.intent_id AND i.status = 'submitted'`
  }, guarded("detach"))

  const spending = Effect.fnUntraced(function* (chainId: number, sinceMs: number) {
    const [row] = yield* sql<{ wei: string }>`
      SELECT (
        coalesce((
          SELECT sum(wei) FROM orchestrator.relay_spending
          WHERE chain_id = ${chainId} AND hour >= date_trunc('hour', ${timestamp(sinceMs)}::timestamptz)
        ), 0) + coalesce((
          SELECT sum(reserved) FROM orchestrator.relay_transactions WHERE chain_id = ${chainId} AND status <> 'final'
        ), 0)
      )::text AS wei`
    return BigInt(row?.wei ?? 0)
  }, guarded("spending"))

  const unfinished = Effect.fnUntraced(function* (chainId: number) {
    const known = bytes.known()
    const rows = yield* sql<RelayTransactionRow.TransactionRow>`
      SELECT t.*, carried.intent_ids, carried.wanted_until,
        (
          SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
            'hash', a.hash,
            'raw', CASE WHEN a.hash <> ALL(${[...known.keys()]}) THEN '0x' || encode(a.raw, 'hex') END,
            'maxFeePerGas', a.max_fee_per_gas::text, 'maxPriorityFeePerGas', a.max_priority_fee_per_gas::text,
            'signedAtMs', (extract(epoch FROM a.signed_at) * 1000)::bigint,
            'broadcastAtMs', (extract(epoch FROM a.broadcast_at) * 1000)::bigint
          )) ORDER BY a.position)
          FROM orchestrator.relay_attempts a WHERE a.transaction_id = t.id
        ) AS attempts
      FROM orchestrator.relay_transactions t
      CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(i.id::text ORDER BY l.position), '{}') AS intent_ids,
          max(i.deadline) FILTER (WHERE i.status = 'submitted' OR t.reopened) AS wanted_until
        FROM orchestrator.relay_transaction_intents l
        JOIN orchestrator.intents i ON i.id = l.intent_id
        WHERE l.transaction_id = t.id AND (
          l.active OR t.reopened AND i.status IN ('settled_source', 'delivered') AND EXISTS (
            SELECT FROM orchestrator.relay_attempts a WHERE a.transaction_id = t.id AND a.hash = i.tx_hash
          )
        )
      ) carried
      WHERE t.chain_id = ${chainId} AND t.status <> 'final'
      ORDER BY t.lane, t.nonce`
    const transactions = rows.map(RelayTransactionRow.toTransaction(known))
    for (const { hash, raw } of transactions.flatMap(({ attempts }) => attempts)) bytes.remember(hash, raw)
    return transactions
  }, guarded("unfinished"))

  return RelayTransactions.of({
    allocate,
    addAttempt,
    markBroadcast,
    setInclusion,
    finalize,
    finalFrom,
    reopen,
    detach,
    spending,
    unfinished
  })
})

/** Needs the migrated schema of `Migrated.layer`. */
export const layer = Layer.effect(RelayTransactions, make)
