/** Tables and indexes that statements read, by the statistics of PostgreSQL. */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

/** Tables of what waits. Nothing but an operator's list of what is stuck may read one from end to end. */
export const WAITING = ["intent_queue", "intent_deliveries", "open_quotes"]

/** Tables of the orchestrator that grow with the number of sweeps. */
const LARGE = [
  "intent_states",
  "intent_terms",
  "intent_signatures",
  "intent_history",
  "outbox",
  "relay_transactions",
  "relay_attempts",
  "relay_transaction_intents"
]

/** Tables of the builder backend that grow with the number of sweeps. */
const BOOKS = ["ledger_entries", "revenue", "sweeps"]

/** Suffix of the partition of a month. */
const PARTITION = "_[0-9]{4}_[0-9]{2}|_default"

export interface Reads {
  /** Large tables that were read from end to end. */
  readonly scanned: ReadonlyArray<string>
  /** Indexes of large tables that were used. */
  readonly indexes: ReadonlyArray<string>
  /** Rows and index entries of large tables that were read. */
  readonly rows: number
}

const statistics = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`SELECT pg_stat_force_next_flush()`
  const whole = sql`regexp_replace(relname, ${PARTITION}, '')`
  const large = sql`${whole} = ANY(CASE schemaname WHEN 'builder' THEN ${BOOKS}::text[] ELSE ${[...LARGE, ...WAITING]}::text[] END)`
  const tables = yield* sql<{ name: string; scans: bigint; rows: bigint }>`
    SELECT ${whole} AS name, sum(seq_scan)::bigint AS scans, sum(seq_tup_read)::bigint AS rows FROM pg_stat_user_tables
    WHERE ${large} GROUP BY 1`
  const indexes = yield* sql<{ name: string; scans: bigint; rows: bigint }>`
    SELECT regexp_replace(indexrelname, ${PARTITION}, '') AS name, sum(idx_scan)::bigint AS scans,
      sum(idx_tup_read)::bigint AS rows
    FROM pg_stat_user_indexes WHERE ${large} GROUP BY 1`
  return {
    tables: new Map(tables.map((row) => [row.name, row])),
    indexes: new Map(indexes.map((row) => [row.name, row]))
  }
})

type Statistics = Effect.Success<typeof statistics>

const used = (before: Statistics["tables"], after: Statistics["tables"]) =>
  Array.from(after.values()).flatMap((row) => {
    const last = before.get(row.name)
    return row.scans > (last?.scans ?? 0n) ? [{ name: row.name, rows: Number(row.rows - (last?.rows ?? 0n)) }] : []
  })

/** Runs an effect on one connection, and tells what its statements read. */
export const reads = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = yield* statistics
    const value = yield* effect
    const after = yield* statistics
    const [tables, indexes] = [used(before.tables, after.tables), used(before.indexes, after.indexes)]
    const found: Reads = {
      scanned: tables.map(({ name }) => name),
      indexes: indexes.map(({ name }) => name).toSorted(),
      rows: [...tables, ...indexes].reduce((sum, { rows }) => sum + rows, 0)
    }
    return { value, ...found }
  })
