/** Relay transactions in Postgres. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer, Schema } from "effect"
import { hexToBytes } from "viem"
import * as Address from "../../../domain/Address.ts"
import { Uint256 } from "../../../domain/Amount.ts"
import { Hash, Hex } from "../../../domain/Hex.ts"
import {
  type Attempt,
  IntentTaken,
  type RelayTransaction,
  RelayTransactions
} from "../../../ports/RelayTransactions.ts"
import { guarded, timestamp } from "../Database.ts"

const TransactionRow = Schema.Struct({
  id: Schema.BigInt,
  chain_id: Schema.BigInt,
  lane: Address.Address,
  nonce: Schema.BigInt,
  kind: Schema.Literals(["sweep", "cancel"]),
  status: Schema.Literals(["pending", "mined", "final"]),
  intent_ids: Schema.Array(Schema.String),
  attempts: Schema.Array(
    Schema.Struct({
      hash: Hash,
      raw: Hex,
      maxFeePerGas: Uint256,
      maxPriorityFeePerGas: Uint256,
      signedAtMs: Schema.Int,
      broadcastAtMs: Schema.optionalKey(Schema.Int)
    })
  ),
  included_hash: Schema.NullOr(Hash),
  included_block_number: Schema.NullOr(Schema.BigInt),
  included_block_hash: Schema.NullOr(Hash),
  created_at: Schema.Date
})

const toTransaction = (row: typeof TransactionRow.Type): RelayTransaction => ({
  id: String(row.id),
  chainId: Number(row.chain_id),
  lane: row.lane,
  nonce: row.nonce,
  kind: row.kind,
  intentIds: row.intent_ids,
  status: row.status,
  attempts: row.attempts,
  ...(row.included_hash !== null && row.included_block_number !== null && row.included_block_hash !== null
    ? {
        inclusion: {
          hash: row.included_hash,
          blockNumber: row.included_block_number,
          blockHash: row.included_block_hash
        }
      }
    : {}),
  createdAtMs: row.created_at.getTime()
})

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(TransactionRow))

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const now = Effect.map(Clock.currentTimeMillis, timestamp)

  const attemptValues = (id: string, attempt: Attempt) => sql`(
    ${attempt.hash}, ${id}::bigint, ${hexToBytes(attempt.raw)}, ${String(attempt.maxFeePerGas)}::numeric,
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
    options: { readonly chainId: number; readonly lane: Address.Address; readonly intentIds: ReadonlyArray<string> },
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
        INSERT INTO orchestrator.relay_transactions (chain_id, lane, nonce, kind, created_at)
        VALUES (
          ${options.chainId}, ${options.lane}, ${nonce}, ${options.intentIds.length === 0 ? "cancel" : "sweep"}, ${at}
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
    return sql.withTransaction(stored).pipe(guarded("allocate"), Effect.withSpan("RelayTransactions.allocate"))
  }

  const addAttempt: RelayTransactions["Service"]["addAttempt"] = Effect.fn("RelayTransactions.addAttempt")(function* (
    id,
    attempt,
    kind
  ) {
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

  const markBroadcast = Effect.fn("RelayTransactions.markBroadcast")(function* (hash: Hash) {
    yield* sql`UPDATE orchestrator.relay_attempts SET broadcast_at = ${yield* now} WHERE hash = ${hash}`
  }, guarded("markBroadcast"))

  const setInclusion: RelayTransactions["Service"]["setInclusion"] = Effect.fn("RelayTransactions.setInclusion")(
    function* (id, inclusion) {
      yield* sql`
        UPDATE orchestrator.relay_transactions
        SET status = ${inclusion === undefined ? "pending" : "mined"}, included_hash = ${inclusion?.hash ?? null},
          included_block_number = ${inclusion?.blockNumber ?? null},
          included_block_hash = ${inclusion?.blockHash ?? null}
        WHERE id = ${id}::bigint AND status <> 'final'`
    },
    guarded("setInclusion")
  )

  const finalize = Effect.fn("RelayTransactions.finalize")(function* (id: string) {
    yield* sql`
      WITH transaction AS (
        UPDATE orchestrator.relay_transactions SET status = 'final', finalized_at = ${yield* now}
        WHERE id = ${id}::bigint AND status <> 'final'
        RETURNING id
      ), link AS (
        UPDATE orchestrator.relay_transaction_intents l SET active = false
        FROM transaction WHERE l.transaction_id = transaction.id AND l.active
        RETURNING l.intent_id
      )
      UPDATE orchestrator.intents i SET relay_transaction_id = NULL
      FROM link WHERE i.id = link.intent_id AND i.status = 'submitted'`
  }, guarded("finalize"))

  const detach: RelayTransactions["Service"]["detach"] = Effect.fn("RelayTransactions.detach")(function* (
    id,
    intentIds
  ) {
    yield* sql`
      WITH link AS (
        UPDATE orchestrator.relay_transaction_intents SET active = false
        WHERE transaction_id = ${id}::bigint AND intent_id = ANY(${intentIds}) AND active
        RETURNING intent_id
      )
      UPDATE orchestrator.intents i SET relay_transaction_id = NULL
      FROM link WHERE i.id = link.intent_id AND i.status = 'submitted'`
  }, guarded("detach"))

  const unfinished = Effect.fn("RelayTransactions.unfinished")(function* (chainId: number) {
    const rows = yield* sql`
      SELECT t.*,
        ARRAY(
          SELECT l.intent_id::text FROM orchestrator.relay_transaction_intents l
          WHERE l.transaction_id = t.id AND l.active ORDER BY l.position
        ) AS intent_ids,
        (
          SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
            'hash', a.hash, 'raw', '0x' || encode(a.raw, 'hex'),
            'maxFeePerGas', a.max_fee_per_gas::text, 'maxPriorityFeePerGas', a.max_priority_fee_per_gas::text,
            'signedAtMs', (extract(epoch FROM a.signed_at) * 1000)::bigint,
            'broadcastAtMs', (extract(epoch FROM a.broadcast_at) * 1000)::bigint
          )) ORDER BY a.position)
          FROM orchestrator.relay_attempts a WHERE a.transaction_id = t.id
        ) AS attempts
      FROM orchestrator.relay_transactions t
      WHERE t.chain_id = ${chainId} AND t.status <> 'final'
      ORDER BY t.lane, t.nonce`
    return (yield* decodeRows(rows).pipe(Effect.orDie)).map(toTransaction)
  }, guarded("unfinished"))

  return RelayTransactions.of({
    allocate,
    addAttempt,
    markBroadcast,
    setInclusion,
    finalize,
    detach,
    unfinished
  })
})

/** Needs the migrated schema of `Migrated.layer`. */
export const layer = Layer.effect(RelayTransactions, make)
