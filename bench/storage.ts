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
import * as Database from "../src/adapters/sql/shared/Database.ts"
import * as HeldIntents from "../src/adapters/sql/orchestrator/HeldIntents.ts"
import * as Postgres from "../src/devnet/Postgres.ts"
import { stores } from "../test/support/OrchestratorStores.ts"
import { fill } from "../test/support/LargeTables.ts"
import * as Costs from "./storage/Costs.ts"
import * as Lives from "./storage/Lives.ts"
import * as Reads from "./storage/Reads.ts"

const { values } = parseArgs({
  options: {
    /** Sweeps whose cost is measured. */
    count: { type: "string", default: "3000" },
    /** Old sweeps behind the reads. 0 skips them. */
    sweeps: { type: "string", default: "0" }
  }
})

const CONNECTIONS = 8

const storesOf = (url: string) =>
  Layer.mergeAll(stores, HeldIntents.layer).pipe(
    Layer.provideMerge(Database.layer({ url: Redacted.make(url), poolSize: CONNECTIONS }))
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
  yield* fill(yield* PgClient.PgClient, sweeps)
  yield* Console.log(JSON.stringify({ bench: "storage", oldSweeps: sweeps, readMs: yield* Reads.times }))
})

const bench = Effect.gen(function* () {
  const server = yield* Postgres.start({ durable: true })
  const [count, sweeps] = [Number(values.count), Number(values.sweeps)]
  yield* Effect.provide(costs(count), storesOf(yield* server.createDatabase("costs")))
  if (sweeps > 0) yield* Effect.provide(reads(sweeps), storesOf(yield* server.createDatabase("reads")))
})

bench.pipe(Effect.scoped, Effect.provide(BunServices.layer), BunRuntime.runMain)
