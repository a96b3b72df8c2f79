/** {@link SweepRecords} in PostgreSQL. Every statement finds its rows by keys. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, Schema } from "effect"
import * as Address from "../../../domain/Address.ts"
import { Hash } from "../../../domain/Hex.ts"
import type { ReachedStatus } from "../../../domain/Intent.ts"
import {
  type Passage,
  type RecordedMessage,
  type RecordedTransaction,
  SweepRecords
} from "../../../ports/orchestrator/SweepRecords.ts"
import { bytes, guarded, text } from "../shared/Database.ts"

type Sql = PgClient.PgClient
type Shape = SweepRecords["Service"]

/** The numbers of chains, as an array that the planner does not look into. */
const numbers = (sql: Sql, chainIds: ReadonlyArray<number>) => sql`(SELECT ${chainIds.map(String)}::text[])::bigint[]`

const ofOwner = (sql: Sql): Shape["ofOwner"] =>
  Effect.fn("SweepRecords.ofOwner")(function* (owner, chainIds, limit) {
    const rows = yield* sql<{ id: string }>`
      SELECT o.id FROM unnest(${numbers(sql, chainIds)}) AS c (id)
      CROSS JOIN LATERAL (
        SELECT s.id, s.number FROM orchestrator.intent_states s
        WHERE s.source_chain_id = c.id AND s.owner = ${owner} AND s.status <> 'quoted'
        ORDER BY s.order_nonce DESC LIMIT ${limit}
      ) o
      ORDER BY o.number DESC LIMIT ${limit}`
    return rows.map(({ id }) => id)
  }, guarded("ofOwner"))

const ofTransaction = (sql: Sql): Shape["ofTransaction"] =>
  Effect.fn("SweepRecords.ofTransaction")(function* (hash, chainIds, limit) {
    const word = bytes(hash)
    const rows = yield* sql<{ id: string }>`
      SELECT id FROM (
        SELECT l.intent_id AS id FROM orchestrator.relay_attempts a
          JOIN orchestrator.relay_transaction_intents l ON l.transaction_id = a.transaction_id
          WHERE a.hash = ${hash}
        UNION
        SELECT intent_id FROM orchestrator.intent_delivery_transactions WHERE tx_hash = ${word}
        UNION
        SELECT r.intent_id FROM unnest(${numbers(sql, chainIds)}) AS c (id)
          JOIN orchestrator.intent_refunds r ON r.source_chain_id = c.id AND r.tx_hash = ${word}
      ) AS found ORDER BY id LIMIT ${limit}`
    return rows.map(({ id }) => id)
  }, guarded("ofTransaction"))

interface StateRow {
  readonly number: string
  readonly tx_hash: Hash | null
  readonly sweep_id: string | null
}

const state = (sql: Sql, id: string) =>
  Effect.map(
    sql<StateRow>`
      SELECT s.number::text AS number, '0x' || encode(s.tx_hash, 'hex') AS tx_hash, g.sweep_id
      FROM orchestrator.intent_states s LEFT JOIN orchestrator.intent_signatures g ON g.number = s.number
      WHERE s.id = ${id}`,
    ([row]) => Option.fromUndefinedOr(row)
  )

interface PassageRow {
  readonly status: ReachedStatus
  readonly at: Date
  readonly tx_hash: Hash | null
  readonly reason: string | null
  readonly detail: string | null
}

const history = (sql: Sql, number: string) =>
  Effect.map(
    sql<PassageRow>`
      SELECT status, at, '0x' || encode(tx_hash, 'hex') AS tx_hash, reason, detail
      FROM orchestrator.intent_history WHERE number = ${number}::bigint ORDER BY id`,
    (rows) =>
      rows.map(({ at, detail, reason, status, tx_hash: txHash }): Passage => ({
        status,
        atMs: at.getTime(),
        ...(txHash === null ? {} : { txHash }),
        ...(reason === null ? {} : { reason }),
        ...(detail === null ? {} : { detail })
      }))
  )

const TransactionRow = Schema.Struct({
  id: Schema.String,
  chain_id: Schema.BigInt,
  lane: Address.Address,
  nonce: Schema.BigInt,
  kind: Schema.Literals(["sweep", "cancel"]),
  status: Schema.Literals(["pending", "mined", "final"]),
  created_at: Schema.Date,
  cost: Schema.NullOr(Schema.BigIntFromString),
  included_hash: Schema.NullOr(Hash),
  included_block_number: Schema.NullOr(Schema.BigInt),
  included_block_hash: Schema.NullOr(Hash),
  intents: Schema.Int,
  attempts: Schema.Array(
    Schema.Struct({
      hash: Hash,
      maxFeePerGas: Schema.BigIntFromString,
      maxPriorityFeePerGas: Schema.BigIntFromString,
      signedAtMs: Schema.Int,
      broadcastAtMs: Schema.optionalKey(Schema.Int)
    })
  )
})

const decodeTransaction = Schema.decodeUnknownOption(TransactionRow)

const toTransaction = (row: typeof TransactionRow.Type): RecordedTransaction => ({
  id: row.id,
  chainId: Number(row.chain_id),
  lane: row.lane,
  nonce: row.nonce,
  kind: row.kind,
  status: row.status,
  createdAtMs: row.created_at.getTime(),
  intents: row.intents,
  attempts: row.attempts,
  ...(row.cost === null ? {} : { cost: row.cost }),
  ...(row.included_hash === null || row.included_block_number === null || row.included_block_hash === null
    ? {}
    : {
        inclusion: {
          hash: row.included_hash,
          blockNumber: row.included_block_number,
          blockHash: row.included_block_hash
        }
      })
})

/** A transaction that cannot be read is left out. Its alert is standing. */
const transactions = (sql: Sql, id: string) =>
  Effect.map(
    sql`
      SELECT t.id::text AS id, t.chain_id, t.lane, t.nonce, t.kind, t.status, t.created_at,
        CASE WHEN t.status = 'final' THEN t.cost END::text AS cost,
        t.included_hash, t.included_block_number, t.included_block_hash,
        (SELECT count(*)::int FROM orchestrator.relay_transaction_intents l WHERE l.transaction_id = t.id) AS intents,
        (
          SELECT coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('hash', a.hash,
            'maxFeePerGas', a.max_fee_per_gas::text, 'maxPriorityFeePerGas', a.max_priority_fee_per_gas::text,
            'signedAtMs', (extract(epoch FROM a.signed_at) * 1000)::bigint,
            'broadcastAtMs', (extract(epoch FROM a.broadcast_at) * 1000)::bigint)) ORDER BY a.position), '[]')
          FROM orchestrator.relay_attempts a WHERE a.transaction_id = t.id
        ) AS attempts
      FROM (
        SELECT transaction_id FROM orchestrator.relay_transaction_intents WHERE intent_id = ${id} AND active
        UNION ALL
        SELECT transaction_id FROM orchestrator.relay_transaction_intents WHERE intent_id = ${id} AND NOT active
      ) AS carried
      JOIN orchestrator.relay_transactions t ON t.id = carried.transaction_id ORDER BY t.id`,
    (rows) =>
      rows.flatMap((row) =>
        Option.match(decodeTransaction(row), { onNone: () => [], onSome: (r) => [toTransaction(r)] })
      )
  )

/** Keys of the events follow from the intent, and those of the bookings from its settlement. */
const messages = (sql: Sql, id: string, txHash: Hash | null) => {
  const events = ["submitted", "settled_source", "delivered", "failed"].map((status) => `sweep:${id}:${status}`)
  // "_" stands before the position of the settlement, and "`" is the next character.
  const settlements =
    txHash === null
      ? sql``
      : sql`UNION ALL
        SELECT id, idempotency_key, state, attempts FROM orchestrator.outbox
        WHERE idempotency_key > ${`accrual:${txHash}_`} AND idempotency_key < ${`accrual:${txHash}\``} AND intent_id = ${id}
        UNION ALL
        SELECT id, idempotency_key, state, attempts FROM orchestrator.outbox
        WHERE idempotency_key > ${`revenue:${txHash}_`} AND idempotency_key < ${`revenue:${txHash}\``} AND intent_id = ${id}`
  return sql<RecordedMessage>`
    SELECT id::text AS id, idempotency_key AS key, state, attempts FROM (
      SELECT id, idempotency_key, state, attempts FROM orchestrator.outbox WHERE idempotency_key = ANY(${events})
      ${settlements}
    ) AS found ORDER BY found.id`
}

const of = (sql: Sql): Shape["of"] =>
  Effect.fn("SweepRecords.of")(function* (given) {
    const id = text(given)
    const found = yield* state(sql, id)
    if (Option.isNone(found)) return Option.none()
    const { number, sweep_id: sweepId } = found.value
    const passages = yield* history(sql, number)
    // After a reorganisation the settlement may be in another transaction than the one that is booked.
    const booked = passages.find(({ status }) => status === "settled_source")?.txHash ?? found.value.tx_hash
    const told = yield* messages(sql, id, booked)
    return Option.some({
      ...(sweepId === null ? {} : { sweepId }),
      history: passages,
      transactions: yield* transactions(sql, id),
      messages: told.map(({ attempts, id, key, state }) => ({ id, key, state, attempts }))
    })
  }, guarded("SweepRecords.of"))

export const layer = Layer.effect(
  SweepRecords,
  Effect.map(PgClient.PgClient, (sql) =>
    SweepRecords.of({ ofOwner: ofOwner(sql), ofTransaction: ofTransaction(sql), of: of(sql) })
  )
)
