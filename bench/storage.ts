/**
 * Cost of the orchestrator's storage: CPU of PostgreSQL, WAL and disk for each sweep from its quote to its delivery, and the times
 * of reads of both services with many old sweeps behind them.
 *
 *     bun bench/storage.ts [--count N] [--sweeps N]
 */
import { parseArgs } from "node:util"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { PgClient } from "@effect/sql-pg"
import { Console, Effect, Layer, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Migrated from "../src/adapters/sql/builder/Migrated.ts"
import * as BuilderStores from "../src/adapters/sql/builder/Stores.ts"
import * as Database from "../src/adapters/sql/shared/Database.ts"
import * as HeldIntents from "../src/adapters/sql/orchestrator/HeldIntents.ts"
import * as KeptData from "../src/adapters/sql/orchestrator/KeptData.ts"
import * as MoneyBook from "../src/adapters/sql/orchestrator/MoneyBook.ts"
import * as Postgres from "../src/devnet/Postgres.ts"
import { stores } from "../test/support/OrchestratorStores.ts"
import { fill } from "../test/support/LargeTables.ts"
import * as Books from "./storage/Books.ts"
import * as Costs from "./storage/Costs.ts"
import * as Lives from "./storage/Lives.ts"
import * as Reads from "./storage/Reads.ts"

const { values } = parseArgs({
  options: {
    /** Sweeps whose cost is measured. 0 skips them. */
    count: { type: "string", default: "3000" },
    /** Old sweeps behind the reads. 0 skips them. */
    sweeps: { type: "string", default: "0" }
  }
})

const CONNECTIONS = 8

/** One listens, and the other runs every statement, so that it has all of their statistics. */
const READING = 2

const storesOf = (url: string, poolSize: number) =>
  Layer.mergeAll(stores, HeldIntents.layer, KeptData.layer, MoneyBook.layer).pipe(
    Layer.provideMerge(Database.layer({ url: Redacted.make(url), poolSize }))
  )

const costs = Effect.fnUntraced(function* (count: number) {
  const sql = yield* PgClient.PgClient
  yield* Lives.run("warm", 500)
  yield* sql`VACUUM ANALYZE`
  const cost = yield* Costs.measured(sql, count, Lives.run("sweep", count))
  const kept = yield* Costs.kept(sql, count, Lives.run("another", count))
  yield* Console.log(JSON.stringify({ bench: "storage", sweeps: count, ...cost, ...kept }))
})

const booksOf = (url: string) =>
  BuilderStores.layer.pipe(
    Layer.provideMerge(Migrated.layer),
    Layer.provideMerge(Database.layer({ url: Redacted.make(url), poolSize: READING }))
  )

/** Runs an effect on a connection whose statements may take long. */
const unlimited = <A, E, R>(run: (sql: PgClient.PgClient) => Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.flatMap(Database.unlimited, run)).pipe(Effect.provide(Reactivity.layer))

/** Prints the measures, and returns true if no bar was missed. */
const judged = Effect.fnUntraced(function* (service: string, sweeps: number, measures: Reads.Measures) {
  const missed = Reads.missed(measures)
  yield* Console.log(JSON.stringify({ bench: "storage", service, oldSweeps: sweeps, reads: measures, missed }))
  return missed.length === 0
})

const reads = Effect.fnUntraced(function* (sweeps: number) {
  yield* Console.error(`storing ${sweeps} old sweeps`)
  yield* unlimited((sql) => fill(sql, sweeps))
  return yield* judged("orchestrator", sweeps, yield* Reads.measured)
})

const books = Effect.fnUntraced(function* (sweeps: number) {
  yield* Console.error(`booking ${sweeps} old sweeps`)
  yield* unlimited((sql) => Books.fill(sql, sweeps))
  const held = yield* judged("builder", sweeps, yield* Books.measured)
  const differences = yield* unlimited(Books.differences)
  if (differences > 0) yield* Console.error(`${differences} kept sums differ from their rows`)
  return held && differences === 0
})

const bench = Effect.gen(function* () {
  const server = yield* Postgres.start({ durable: true })
  const [count, sweeps] = [Number(values.count), Number(values.sweeps)]
  if (count > 0) yield* Effect.provide(costs(count), storesOf(yield* server.createDatabase("costs"), CONNECTIONS))
  if (sweeps > 0) {
    const held = yield* Effect.provide(reads(sweeps), storesOf(yield* server.createDatabase("reads"), READING))
    const right = yield* Effect.provide(books(sweeps), booksOf(yield* server.createDatabase("books")))
    if (!(held && right)) process.exitCode = 1
  }
})

bench.pipe(Effect.scoped, Effect.provide(BunServices.layer), BunRuntime.runMain)
