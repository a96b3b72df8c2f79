/** Measures the CPU time, the WAL and the disk that PostgreSQL spends on a piece of work. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { cpuMillis, parentOf } from "../ProcessTime.ts"

/** Process id of the server: the parent of its backends. */
export const serverOf = (sql: PgClient) =>
  Effect.map(sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`, ([row]) => parentOf(row?.pid ?? 0) ?? 0)

/** Tables that a sweep leaves rows in. Names of partitions begin with those of their tables. */
const TABLES = "^(intent_states|intent_terms|intent_signatures|intent_history|outbox|relay_transaction_intents)"

/** Bytes of each table with its indexes. */
const disk = (sql: PgClient) =>
  Effect.map(
    sql<{ name: string; bytes: string }>`
      SELECT substring(c.relname FROM ${TABLES}) AS name, sum(pg_total_relation_size(c.oid))::text AS bytes
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'orchestrator' AND c.relname ~ ${TABLES} AND c.relkind = 'r' GROUP BY 1 ORDER BY 1`,
    (rows) => rows.map(({ bytes, name }) => [name, Number(bytes)] as const)
  )

const state = (sql: PgClient) =>
  Effect.gen(function* () {
    yield* sql`SELECT pg_stat_clear_snapshot()`
    const [row] = yield* sql<{ wal: string; updates: bigint; hot: bigint }>`
      SELECT (pg_current_wal_insert_lsn() - '0/0')::text AS wal, s.n_tup_upd AS updates, s.n_tup_hot_upd AS hot
      FROM pg_stat_user_tables s WHERE s.relname = 'intent_states'`
    return {
      wal: Number(row?.wal ?? 0),
      disk: yield* disk(sql),
      updates: Number(row?.updates ?? 0),
      hot: Number(row?.hot ?? 0)
    }
  })

const sum = (tables: ReadonlyArray<readonly [name: string, bytes: number]>): number =>
  tables.reduce((total, [, bytes]) => total + bytes, 0)

/**
 * Disk that each of `count` sweeps keeps, while the rows that they leave behind go into the room of those before: the growth by the
 * work, after a vacuum.
 */
export const kept = Effect.fnUntraced(function* <A, E, R>(sql: PgClient, count: number, work: Effect.Effect<A, E, R>) {
  yield* sql`VACUUM ANALYZE`
  const before = new Map(yield* disk(sql))
  yield* work
  const each = (yield* disk(sql)).map(
    ([name, bytes]) => [name, Math.round((bytes - (before.get(name) ?? 0)) / count)] as const
  )
  return { keptBytesPerSweep: sum(each), keptBytesByTable: Object.fromEntries(each) }
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
    diskBytesPerSweep: Math.round(each(sum(after.disk) - sum(before.disk))),
    diskBytesByTable: Object.fromEntries(
      after.disk.map(([name, bytes]) => [name, Math.round(each(bytes - (new Map(before.disk).get(name) ?? 0)))])
    )
  }
})
