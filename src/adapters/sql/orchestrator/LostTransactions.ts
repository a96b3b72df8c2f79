/** Reads lanes and intents, and books the cost of transactions that a restore made the database forget. */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Option, Schema } from "effect"
import * as Address from "../../../domain/Address.ts"
import type { PayoutMode } from "../../../domain/Builder.ts"
import type { Hash } from "../../../domain/Hex.ts"
import type { IntentStatus } from "../../../domain/Intent.ts"
import type { BookedLine } from "../../../domain/LostSweeps.ts"
import type { KnownNonce, LostTransaction } from "../../../domain/LostTransactions.ts"
import { timestamp } from "../shared/Database.ts"
import { OutboxMessageJson } from "./OutboxMessageJson.ts"

type Sql = PgClient.PgClient

/**
 * Keeps the first nonce of each lane that the database may have forgotten. Services may have run since the restore, and raised the next
 * nonce past those that the chain had used: then it is the one after the last nonce of the restored database. Idempotent.
 */
export const keepLanes = (sql: Sql, restoredToMs: number) =>
  sql`INSERT INTO orchestrator.restored_lanes (restored_to, chain_id, lane, next_nonce)
    SELECT ${timestamp(restoredToMs)}, l.chain_id, l.lane, least(l.next_nonce, 1 + greatest(-1,
      (SELECT max(t.nonce) FROM orchestrator.relay_transactions t
        WHERE t.chain_id = l.chain_id AND t.lane = l.lane AND t.created_at <= ${timestamp(restoredToMs)}),
      (SELECT max(w.nonce) FROM orchestrator.lane_withdrawals w
        WHERE w.chain_id = l.chain_id AND w.lane = l.lane AND w.signed_at <= ${timestamp(restoredToMs)})))
    FROM orchestrator.lanes l ON CONFLICT DO NOTHING`

/** Lanes of a chain with their first nonce after a restore: 0 for one that the restored database did not have. */
export const lanes = Effect.fnUntraced(function* (sql: Sql, restoredToMs: number, chainId: number) {
  const rows = yield* sql<{ lane: string; first: string }>`
    SELECT l.lane, coalesce(r.next_nonce, 0)::text AS first FROM orchestrator.lanes l
      LEFT JOIN orchestrator.restored_lanes r
        ON r.chain_id = l.chain_id AND r.lane = l.lane AND r.restored_to = ${timestamp(restoredToMs)}
    WHERE l.chain_id = ${chainId} ORDER BY l.lane`
  return rows.map(({ first, lane }) => ({ lane: Address.stored(lane), first: BigInt(first) }))
})

/** Nonces of a lane from `first` on that the database has. */
export const knownNonces = Effect.fnUntraced(function* (
  sql: Sql,
  { chainId, first, lane }: { readonly chainId: number; readonly lane: Address.Address; readonly first: bigint }
) {
  const rows = yield* sql<{ nonce: string; block: string | null; mined: boolean }>`
    SELECT nonce::text AS nonce, included_block_number::text AS block, included_hash IS NOT NULL AS mined
      FROM orchestrator.relay_transactions
      WHERE chain_id = ${chainId} AND lane = ${lane} AND nonce >= ${first}
    UNION ALL SELECT nonce::text, NULL, true FROM orchestrator.lost_transactions
      WHERE chain_id = ${chainId} AND lane = ${lane} AND nonce >= ${first}
    UNION ALL SELECT nonce::text, NULL, true FROM orchestrator.lane_withdrawals
      WHERE chain_id = ${chainId} AND lane = ${lane} AND nonce >= ${first}`
  return rows.map(({ block, mined, nonce }): KnownNonce => ({
    nonce: BigInt(nonce),
    isMined: mined,
    ...(block === null ? {} : { blockNumber: BigInt(block) })
  }))
})

/** Nonces below `first` of transactions that were not found on the chain, so that an unknown one may have used the nonce. */
export const unseenNonces = Effect.fnUntraced(function* (
  sql: Sql,
  { chainId, first, lane }: { readonly chainId: number; readonly lane: Address.Address; readonly first: bigint },
  sinceMs: number
) {
  const rows = yield* sql<{ nonce: string }>`
    SELECT nonce::text AS nonce FROM orchestrator.relay_transactions
    WHERE chain_id = ${chainId} AND lane = ${lane} AND nonce < ${first} AND included_hash IS NULL
      AND (finalized_at IS NULL OR finalized_at > ${timestamp(sinceMs)})`
  return rows.map(({ nonce }) => BigInt(nonce))
})

/** Those of the hashes that the relayer signed itself, as far as the database knows. */
export const signed = Effect.fnUntraced(function* (sql: Sql, hashes: ReadonlyArray<Hash>) {
  const rows = yield* sql<{ hash: Hash }>`
    SELECT hash::text AS hash FROM orchestrator.relay_attempts WHERE hash = ANY(${hashes}::text[])
    UNION ALL SELECT hash::text FROM orchestrator.lost_transactions WHERE hash = ANY(${hashes}::text[])`
  return new Set(rows.map(({ hash }) => hash))
})

/** Books the cost of transactions in the hours in which they were mined. Idempotent by hash. Returns the hashes that were added. */
export const book = Effect.fnUntraced(function* (sql: Sql, lost: ReadonlyArray<LostTransaction>) {
  if (lost.length === 0) return new Set<Hash>()
  const rows = lost.map(({ chainId, hash, lane, minedAtMs, nonce, wei }) => ({
    hash,
    chain_id: chainId,
    lane,
    nonce: String(nonce),
    wei: String(wei),
    mined_at: timestamp(minedAtMs)
  }))
  const added = yield* sql<{ hash: Hash }>`
    WITH lost AS (
      SELECT * FROM jsonb_to_recordset(${sql.json(rows)}) AS l
        (hash text, chain_id bigint, lane text, nonce bigint, wei numeric, mined_at timestamptz)
    ), added AS (
      INSERT INTO orchestrator.lost_transactions (hash, chain_id, lane, nonce, wei, mined_at, booked_at)
      SELECT hash, chain_id, lane, nonce, wei, mined_at, ${timestamp(yield* Clock.currentTimeMillis)} FROM lost
      ON CONFLICT (hash) DO NOTHING RETURNING hash, chain_id, wei, mined_at
    ), spending AS (
      INSERT INTO orchestrator.relay_spending AS s (chain_id, hour, wei)
      SELECT chain_id, date_trunc('hour', mined_at), sum(wei) FROM added GROUP BY 1, 2
      ON CONFLICT (chain_id, hour) DO UPDATE SET wei = s.wei + excluded.wei
    )
    SELECT hash::text AS hash FROM added`
  return new Set(added.map(({ hash }) => hash))
})

/** Statuses of the intents with these order hashes, and their builders; undefined for an intent without one. */
export const attributions = Effect.fnUntraced(function* (sql: Sql, digests: ReadonlyArray<Hash>) {
  const rows = yield* sql<{
    digest: Hash
    status: IntentStatus
    builder_id: string | null
    payout_mode: PayoutMode | null
  }>`
    SELECT '0x' || encode(s.order_digest, 'hex') AS digest, s.status, s.builder_id, t.payout_mode
    FROM orchestrator.intent_states s JOIN orchestrator.intent_terms t USING (number)
    WHERE s.order_digest = ANY(ARRAY(SELECT decode(substr(digest, 3), 'hex') FROM unnest(${digests}::text[]) AS digest))`
  return {
    statuses: new Map(rows.map(({ digest, status }) => [digest, status])),
    intents: new Map(
      rows.map(({ builder_id, digest, payout_mode }) => [
        digest,
        builder_id === null ? undefined : { builderId: builder_id, payoutMode: payout_mode ?? "onchain" }
      ])
    )
  }
})

/** Number of the newest quotes whose vaults are read. */
const RECENT_QUOTES = 100_000

/**
 * Vaults that recent orders name, in the payout mode `ledger`, by the chain of the order. Leaves out `shared`. Terms do not have the
 * chain, and states have no index of the number, so every state is read if other vaults are named. This may exceed a statement's timeout.
 */
export const recentVaults = Effect.fnUntraced(function* (sql: Sql, shared: ReadonlyArray<Address.Address>) {
  const rows = yield* sql.withTransaction(
    Effect.andThen(
      sql`SET LOCAL statement_timeout = 0`,
      sql<{ chain: string; vault: string }>`
        SELECT DISTINCT s.source_chain_id::text AS chain, named.builder AS vault FROM (
          SELECT number, builder FROM (
            SELECT number, builder, payout_mode FROM orchestrator.intent_terms ORDER BY number DESC LIMIT ${RECENT_QUOTES}
          ) AS recent WHERE payout_mode = 'ledger' AND builder <> ALL(${shared}::text[])
        ) AS named JOIN orchestrator.intent_states s USING (number)`
    )
  )
  return rows.map(({ chain, vault }) => ({ chainId: Number(chain), vault: Address.stored(vault) }))
})

/**
 * Nonces of orders on a chain that could settle since a moment: one of each guard. A restored database may have an order as quoted that
 * was submitted and settled, so all statuses count. States have no index of the deadline, so every state of the chain is read. This may
 * exceed a statement's timeout.
 */
export const recentNonces = Effect.fnUntraced(function* (sql: Sql, chainId: number, sinceMs: number) {
  const rows = yield* sql.withTransaction(
    Effect.andThen(
      sql`SET LOCAL statement_timeout = 0`,
      sql<{ nonce: string }>`SELECT min(order_nonce)::text AS nonce FROM orchestrator.intent_states
        WHERE source_chain_id = ${chainId} AND deadline >= ${String(Math.floor(sinceMs / 1000))}::numeric
        GROUP BY div(order_nonce, ${String(2n ** 128n)}::numeric) ORDER BY 1`
    )
  )
  return rows.map(({ nonce }) => BigInt(nonce))
})

/** Transactions in which the orders with these digests settled first, as the history of their intents has them. */
export const firstSettlements = Effect.fnUntraced(function* (sql: Sql, digests: ReadonlyArray<Hash>) {
  const rows = yield* sql<{ digest: Hash; hash: Hash }>`
    SELECT '0x' || encode(s.order_digest, 'hex') AS digest, '0x' || encode(h.tx_hash, 'hex') AS hash
    FROM orchestrator.intent_states s JOIN orchestrator.intent_history h USING (number)
    WHERE s.order_digest = ANY(ARRAY(SELECT decode(substr(digest, 3), 'hex') FROM unnest(${digests}::text[]) AS digest))
      AND h.status = 'settled_source' AND h.tx_hash IS NOT NULL`
  const found = new Map<Hash, ReadonlyArray<Hash>>()
  for (const { digest, hash } of rows) found.set(digest, [...(found.get(digest) ?? []), hash])
  return found
})

const decodeMessage = Schema.decodeUnknownOption(OutboxMessageJson)

/** Lines of the orders' messages that the builder backend has not accepted yet. */
export const undelivered = Effect.fnUntraced(function* (sql: Sql, digests: ReadonlyArray<Hash>) {
  const rows = yield* sql<{ message: unknown }>`
    SELECT o.message FROM orchestrator.outbox o
    WHERE o.state IN ('pending', 'rejected') AND o.topic = 'ledger' AND o.intent_id = ANY(ARRAY(
      SELECT s.id FROM orchestrator.intent_states s
      WHERE s.order_digest = ANY(ARRAY(SELECT decode(substr(digest, 3), 'hex') FROM unnest(${digests}::text[]) AS digest))))`
  return rows.flatMap(({ message }): ReadonlyArray<BookedLine> => {
    const known = Option.getOrUndefined(decodeMessage(message))
    if (known?._tag === "Accrual") {
      const { amount, builderId, sweepId, token } = known.accrual
      return [{ book: "accrual", sweepId, token, amount, builderId }]
    }
    if (known?._tag !== "Revenue") return []
    const { amount, sweepId, token } = known.revenue
    return [{ book: "revenue", sweepId, token, amount }]
  })
})
