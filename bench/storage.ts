/**
 * Cost of the orchestrator's storage: CPU of PostgreSQL, WAL and disk for each sweep from its quote to its delivery, and the times
 * of reads with many old sweeps behind them.
 *
 *     bun bench/storage.ts [--count N] [--sweeps N]
 */
import { parseArgs } from "node:util"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { PgClient } from "@effect/sql-pg"
import { Console, Effect, Layer, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Database from "../src/adapters/sql/shared/Database.ts"
import * as HeldIntents from "../src/adapters/sql/orchestrator/HeldIntents.ts"
import * as KeptData from "../src/adapters/sql/orchestrator/KeptData.ts"
import * as Postgres from "../src/devnet/Postgres.ts"
import { stores } from "../test/support/OrchestratorStores.ts"
import { fill } from "../test/support/LargeTables.ts"
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
  Layer.mergeAll(stores, HeldIntents.layer, KeptData.layer).pipe(
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

const reads = Effect.fnUntraced(function* (sweeps: number) {
  yield* Console.error(`storing ${sweeps} old sweeps`)
  yield* Effect.scoped(Effect.flatMap(Database.unlimited, (sql) => fill(sql, sweeps))).pipe(
    Effect.provide(Reactivity.layer)
  )
  const measures = yield* Reads.measured
  const missed = Reads.missed(measures)
  yield* Console.log(JSON.stringify({ bench: "storage", oldSweeps: sweeps, reads: measures, missed }))
  return missed.length === 0
})

const bench = Effect.gen(function* () {
  const server = yield* Postgres.start({ durable: true })
  const [count, sweeps] = [Number(values.count), Number(values.sweeps)]
  if (count > 0) yield* Effect.provide(costs(count), storesOf(yield* server.createDatabase("costs"), CONNECTIONS))
  if (sweeps > 0) {
    const held = yield* Effect.provide(reads(sweeps), storesOf(yield* server.createDatabase("reads"), READING))
    if (!held) process.exitCode = 1
  }
})

bench.pipe(Effect.scoped, Effect.provide(BunServices.layer), BunRuntime.runMain)
