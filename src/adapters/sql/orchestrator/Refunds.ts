/** {@link Refunds} in PostgreSQL: one row for each refund that is owed. A unique index keeps a payment from being recorded twice. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer } from "effect"
import * as Address from "../../../domain/Address.ts"
import { Refunds } from "../../../ports/orchestrator/Refunds.ts"
import { boundedColumn } from "../shared/BoundedTime.ts"
import { bytes, guarded, text, timestamp } from "../shared/Database.ts"

type Sql = PgClient.PgClient
type Shape = Refunds["Service"]

interface Row {
  readonly intent_id: string
  readonly account: string
  readonly token: string
  readonly amount: string
  readonly not_before: Date
  readonly search_from: bigint | null
  readonly looks: number
}

const expect = (sql: Sql): Shape["expect"] =>
  Effect.fnUntraced(function* ({ account, amount, chainId, id, notBefore, token }) {
    const now = yield* Clock.currentTimeMillis
    yield* sql`
      INSERT INTO orchestrator.intent_refunds (intent_id, source_chain_id, account, token, amount, not_before, look_at)
      VALUES (${text(id)}, ${chainId}, ${account}, ${token}, ${String(amount)}::numeric, ${timestamp(notBefore * 1_000)},
        ${timestamp(now)})
      ON CONFLICT (intent_id) DO NOTHING`
  }, guarded("Refunds.expect"))

const due = (sql: Sql): Shape["due"] =>
  Effect.fnUntraced(function* (chainId, limit, sinceMs) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql<Row>`
      SELECT r.intent_id, r.account, r.token, r.amount::text AS amount, r.not_before, r.search_from, r.looks
      FROM orchestrator.intent_refunds r
      WHERE r.source_chain_id = ${chainId} AND r.tx_hash IS NULL AND r.not_before >= ${timestamp(sinceMs)}
        AND r.account = ANY(ARRAY(
          SELECT d.account FROM orchestrator.intent_refunds d
          WHERE d.source_chain_id = ${chainId} AND d.tx_hash IS NULL AND d.not_before >= ${timestamp(sinceMs)}
            AND d.look_at <= ${timestamp(now)}
          GROUP BY d.account ORDER BY min(d.look_at), d.account LIMIT ${limit}
        ))
      ORDER BY r.not_before, r.intent_id`
    return rows.map((row) => ({
      id: row.intent_id,
      account: Address.stored(row.account),
      token: Address.stored(row.token),
      amount: BigInt(row.amount),
      notBefore: row.not_before.getTime() / 1_000,
      looks: row.looks,
      ...(row.search_from === null ? {} : { searchFrom: row.search_from })
    }))
  }, guarded("Refunds.due"))

const note = (sql: Sql): Shape["note"] =>
  Effect.fnUntraced(function* (chainId, { ids, line }) {
    const now = yield* Clock.currentTimeMillis
    const hash = bytes(line.txHash)
    const all = ids.map(text)
    const recorded = yield* sql`
      WITH free AS (
        SELECT intent_id FROM orchestrator.intent_refunds
        WHERE intent_id = ANY(${all}) AND source_chain_id = ${chainId} AND tx_hash IS NULL
        ORDER BY intent_id FOR UPDATE
      )
      UPDATE orchestrator.intent_refunds r
      SET tx_hash = ${hash}, log_index = ${line.logIndex}, entry = ${line.entry}, part = p.part, found_at = ${timestamp(now)}
      FROM unnest(${all}::text[]) WITH ORDINALITY AS p (id, part)
      WHERE r.intent_id = p.id AND r.tx_hash IS NULL AND (SELECT count(*) FROM free) = ${all.length}
        AND NOT EXISTS (
          SELECT FROM orchestrator.intent_refunds o
          WHERE o.source_chain_id = ${chainId} AND o.tx_hash = ${hash} AND o.log_index = ${line.logIndex}
            AND o.entry = ${line.entry}
        )
      RETURNING 1`.pipe(
      // Another process recorded the payment at the same time.
      Effect.catchReason("SqlError", "UniqueViolation", () => Effect.succeed([]))
    )
    return recorded.length > 0
  }, guarded("Refunds.note"))

const postpone = (sql: Sql): Shape["postpone"] =>
  Effect.fnUntraced(function* (looked) {
    if (looked.length === 0) return
    const rows = looked.map(({ id, lookAtMs, searchFrom }) => ({
      id: text(id),
      search_from: searchFrom.toString(),
      look_at: timestamp(lookAtMs).toISOString()
    }))
    yield* sql`
      WITH looked AS (
        SELECT * FROM jsonb_to_recordset(${sql.json(rows)}) AS l (id text, search_from bigint, look_at timestamptz)
      ), free AS (
        SELECT r.intent_id AS id FROM orchestrator.intent_refunds r
        WHERE r.intent_id = ANY(${rows.map(({ id }) => id)}) AND r.tx_hash IS NULL
        ORDER BY r.intent_id FOR UPDATE SKIP LOCKED
      )
      UPDATE orchestrator.intent_refunds r
      SET search_from = looked.search_from, look_at = ${yield* boundedColumn(sql, sql`looked.look_at`)}, looks = r.looks + 1
      FROM free JOIN looked USING (id) WHERE r.intent_id = free.id`
  }, guarded("Refunds.postpone"))

const noteInstead = (sql: Sql): Shape["noteInstead"] =>
  Effect.fnUntraced(function* (id, { amount, token }) {
    yield* sql`
      INSERT INTO orchestrator.intent_arrivals (intent_id, token, amount)
      VALUES (${text(id)}, ${token}, ${String(amount)}::numeric)
      ON CONFLICT (intent_id) DO NOTHING`
  }, guarded("Refunds.noteInstead"))

/** Requires the schema of `Migrated.layer`. */
export const layer = Layer.effect(
  Refunds,
  Effect.map(PgClient.PgClient, (sql) => ({
    expect: expect(sql),
    due: due(sql),
    note: note(sql),
    noteInstead: noteInstead(sql),
    postpone: postpone(sql)
  }))
)
