/** {@link Backlog} in PostgreSQL. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { Backlog, MOST_COUNTED } from "../../../ports/orchestrator/Backlog.ts"
import { guarded } from "../shared/Database.ts"
import * as PoolWait from "../shared/PoolWait.ts"

interface IntentsRow {
  readonly quoted: Date | null
  readonly queued: Date | null
  readonly settled: Date | null
}

interface OutboxRow {
  readonly ledger: bigint
  readonly ledger_oldest: Date | null
  readonly events: bigint
  readonly events_oldest: Date | null
}

const millis = (time: Date | null | undefined): number | undefined => time?.getTime()

/** Each chain of a part of the queue with its first row, by one look at the index of the part. */
const chainsOf = (sql: PgClient.PgClient, part: Fragment, order: Fragment) => sql`
  WITH RECURSIVE chain AS (
    (
      SELECT source_chain_id, submitted_at FROM orchestrator.intent_queue
      WHERE ${part} ORDER BY source_chain_id, ${order} LIMIT 1
    )
    UNION ALL
    SELECT next.source_chain_id, next.submitted_at FROM chain CROSS JOIN LATERAL (
      SELECT source_chain_id, submitted_at FROM orchestrator.intent_queue q
      WHERE q.source_chain_id > chain.source_chain_id AND ${part} ORDER BY source_chain_id, ${order} LIMIT 1
    ) next
  )
  SELECT source_chain_id, submitted_at FROM chain`

const intents = (sql: PgClient.PgClient): Backlog["Service"]["intents"] => {
  const isFresh = sql`not_before IS NULL`
  const isPostponed = sql`not_before IS NOT NULL`
  return sql<IntentsRow>`
    WITH fresh AS (${chainsOf(sql, isFresh, sql`submitted_at`)}), postponed AS (
      -- Their index has no time of submission, so the number of rows that are read is limited.
      SELECT first.submitted_at FROM (${chainsOf(sql, isPostponed, sql`not_before`)}) chain CROSS JOIN LATERAL (
        SELECT submitted_at FROM orchestrator.intent_queue q
        WHERE q.source_chain_id = chain.source_chain_id AND ${isPostponed} ORDER BY not_before LIMIT ${MOST_COUNTED}
      ) first
    )
    SELECT
      (SELECT created_at FROM orchestrator.open_quotes ORDER BY number LIMIT 1) AS quoted,
      LEAST((SELECT min(submitted_at) FROM fresh), (SELECT min(submitted_at) FROM postponed)) AS queued,
      (SELECT since FROM orchestrator.intent_deliveries WHERE NOT delivered ORDER BY since LIMIT 1) AS settled`.pipe(
    Effect.map(([row]) => ({
      quoted: millis(row?.quoted),
      queued: millis(row?.queued),
      settled_source: millis(row?.settled)
    })),
    guarded("backlog.intents")
  )
}

const outbox = (sql: PgClient.PgClient): Backlog["Service"]["outbox"] => {
  /** The longest due ones, so that a longer queue costs no more. */
  const messages = (topic: "events" | "ledger") => sql`
    SELECT created_at FROM orchestrator.outbox
    WHERE state = 'pending' AND topic = ${topic} ORDER BY due_at, id LIMIT ${MOST_COUNTED}`
  return sql<OutboxRow>`
    WITH ledger AS (${messages("ledger")}), events AS (${messages("events")})
    SELECT
      (SELECT count(*) FROM ledger) AS ledger,
      (SELECT min(created_at) FROM ledger) AS ledger_oldest,
      (SELECT count(*) FROM events) AS events,
      (SELECT min(created_at) FROM events) AS events_oldest`.pipe(
    Effect.map(([row]) => ({
      ledger: { waiting: Number(row?.ledger ?? 0), oldestMs: millis(row?.ledger_oldest) },
      events: { waiting: Number(row?.events ?? 0), oldestMs: millis(row?.events_oldest) }
    })),
    guarded("backlog.outbox")
  )
}

/** Requires the schema of `Migrated.layer`. */
export const layer = Layer.effect(
  Backlog,
  Effect.map(PgClient.PgClient, (sql) =>
    Backlog.of({ intents: intents(sql), outbox: outbox(sql), poolWaitMillis: PoolWait.measure(sql) })
  )
)
