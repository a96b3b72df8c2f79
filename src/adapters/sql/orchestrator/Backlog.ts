/** {@link Backlog} in PostgreSQL. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { Backlog, MOST_COUNTED } from "../../../ports/orchestrator/Backlog.ts"
import { guarded } from "../shared/Database.ts"
import * as PoolWait from "../shared/PoolWait.ts"

interface Row {
  readonly quoted: Date | null
  readonly queued: Date | null
  readonly settled: Date | null
  readonly ledger: bigint
  readonly ledger_oldest: Date | null
  readonly events: bigint
  readonly events_oldest: Date | null
}

const millis = (time: Date | null | undefined): number | undefined => time?.getTime()

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  /** The longest due ones, so that a longer queue costs no more. */
  const messages = (topic: "events" | "ledger") => sql`
    SELECT created_at FROM orchestrator.outbox
    WHERE state = 'pending' AND topic = ${topic} ORDER BY due_at, id LIMIT ${MOST_COUNTED}`

  const read = sql<Row>`
    WITH ledger AS (${messages("ledger")}), events AS (${messages("events")}), chains AS (
      -- Each chain of the queue by one look at the index.
      WITH RECURSIVE chain AS (
        (SELECT source_chain_id, submitted_at FROM orchestrator.intent_queue ORDER BY source_chain_id, submitted_at LIMIT 1)
        UNION ALL
        SELECT next.source_chain_id, next.submitted_at FROM chain CROSS JOIN LATERAL (
          SELECT source_chain_id, submitted_at FROM orchestrator.intent_queue q
          WHERE q.source_chain_id > chain.source_chain_id ORDER BY source_chain_id, submitted_at LIMIT 1
        ) next
      )
      SELECT submitted_at FROM chain
    )
    SELECT
      (SELECT created_at FROM orchestrator.open_quotes ORDER BY number LIMIT 1) AS quoted,
      (SELECT min(submitted_at) FROM chains) AS queued,
      (SELECT since FROM orchestrator.intent_deliveries WHERE NOT delivered ORDER BY since LIMIT 1) AS settled,
      (SELECT count(*) FROM ledger) AS ledger,
      (SELECT min(created_at) FROM ledger) AS ledger_oldest,
      (SELECT count(*) FROM events) AS events,
      (SELECT min(created_at) FROM events) AS events_oldest`.pipe(
    Effect.map(([row]) => ({
      intents: { quoted: millis(row?.quoted), queued: millis(row?.queued), settled_source: millis(row?.settled) },
      outbox: {
        ledger: { waiting: Number(row?.ledger ?? 0), oldestMs: millis(row?.ledger_oldest) },
        events: { waiting: Number(row?.events ?? 0), oldestMs: millis(row?.events_oldest) }
      }
    })),
    guarded("backlog")
  )

  return Backlog.of({ read, poolWaitMillis: PoolWait.measure(sql) })
})

/** Requires the schema of `Migrated.layer`. */
export const layer = Layer.effect(Backlog, make)
