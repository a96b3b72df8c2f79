/** Measures the CPU time, the WAL and the disk that PostgreSQL spends on a piece of work. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { cpuMillis, parentOf } from "../ProcessTime.ts"

/** Process id of the server: the parent of its backends. */
export const serverOf = (sql: PgClient) =>
  Effect.map(sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`, ([row]) => parentOf(row?.pid ?? 0) ?? 0)

/** Tables and their indexes that a sweep leaves rows in. Names of partitions begin with those of their tables. */
const TABLES = "^(intent_states|intent_terms|intent_signatures|intent_history|outbox|relay_transaction_intents)"

const state = (sql: PgClient) =>
  Effect.gen(function* () {
    yield* sql`SELECT pg_stat_clear_snapshot()`
    const [row] = yield* sql<{ wal: string; bytes: string; updates: bigint; hot: bigint }>`
      SELECT (pg_current_wal_insert_lsn() - '0/0')::text AS wal,
        (SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = 'orchestrator' AND c.relname ~ ${TABLES} AND c.relkind = 'r')::text AS bytes,
        s.n_tup_upd AS updates, s.n_tup_hot_upd AS hot
      FROM pg_stat_user_tables s WHERE s.relname = 'intent_states'`
    return {
      wal: Number(row?.wal ?? 0),
      bytes: Number(row?.bytes ?? 0),
      updates: Number(row?.updates ?? 0),
      hot: Number(row?.hot ?? 0)
    }
  })

/** Runs the work of `count` sweeps; returns what each of them cost. */
export const measured = Effect.fnUntraced(function* <A, E, R>(
  sql: PgClient,
  count: number,
  work: Effect.Effect<A, E, R>
) {
  const server = yield* serverOf(sql)
  // Statistics of idle connections are reported within a second.
  yield* Effect.sleep("2 seconds")
  const before = yield* state(sql)
  const cpu = cpuMillis(server)
  yield* work
  yield* Effect.sleep("2 seconds")
  const spent = cpuMillis(server) - cpu
  const after = yield* state(sql)
  const each = (total: number) => Math.round((total * 100) / count) / 100
  return {
    cpuMillisPerSweep: each(spent),
    walBytesPerSweep: Math.round(each(after.wal - before.wal)),
    updatesPerSweep: each(after.updates - before.updates),
    hotUpdatesPerSweep: each(after.hot - before.hot),
    /** With the room that updates leave behind, until vacuum gives it to the next rows. */
    diskBytesPerSweep: Math.round(each(after.bytes - before.bytes))
  }
})
