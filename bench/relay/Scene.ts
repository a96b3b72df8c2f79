/** The surroundings of a relay run: a node, PostgreSQL with stored quotes, a builder backend, and the orchestrator. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as SqlIntents from "../../src/adapters/sql/orchestrator/Intents.ts"
import * as Migrated from "../../src/adapters/sql/orchestrator/Migrated.ts"
import * as DevChain from "../../src/devnet/DevChain.ts"
import * as Postgres from "../../src/devnet/Postgres.ts"
import { Intents } from "../../src/ports/orchestrator/Intents.ts"
import * as Service from "./Service.ts"
import * as Sweeps from "./Sweeps.ts"

const GAS_LIMIT = 200_000_000n
const LANES = 4

/** Acknowledges every message, as a builder backend does. */
const backend = Effect.acquireRelease(
  Effect.sync(() =>
    Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        const { entries = [] } = (await request.json()) as { readonly entries?: ReadonlyArray<{ sweepId: string }> }
        return Response.json({ ok: true, booked: entries.map(({ sweepId }) => sweepId) }, { status: 201 })
      }
    })
  ),
  (running) => Effect.promise(() => running.stop(true))
)

const nodeWith = Effect.fnUntraced(function* (lanes: ReadonlyArray<`0x${string}`>) {
  const dev = yield* DevChain.start({ id: 31_337, name: "bench" })
  const { client } = dev.node
  yield* Effect.promise(async () => {
    await client.setBlockGasLimit({ gasLimit: GAS_LIMIT })
    for (const address of lanes) await client.setBalance({ address, value: 10n ** 24n })
  })
  return dev
})

/** Stores the quotes of the sweeps, and returns a client of the database. */
const stored = Effect.fnUntraced(function* (databaseUrl: string, sweeps: ReadonlyArray<Sweeps.Sweep>) {
  const stores = yield* Layer.build(
    SqlIntents.layer.pipe(
      Layer.provide(Migrated.layer),
      Layer.provideMerge(PgClient.layer({ url: Redacted.make(databaseUrl), maxConnections: 4 }))
    )
  )
  yield* Effect.flatMap(Intents, (intents) =>
    Effect.forEach(sweeps, ({ intent }) => intents.create(intent), { concurrency: 4, discard: true })
  ).pipe(Effect.provide(stores))
  const sql = yield* Effect.provide(PgClient.PgClient, stores)
  yield* sql`VACUUM ANALYZE orchestrator.intent_states, orchestrator.intent_terms`
  return sql
})

type Service = Effect.Success<ReturnType<typeof Service.start>>

/** Replicas of the orchestrator. */
type Services = readonly [Service, ...ReadonlyArray<Service>]

/**
 * Starts everything for `served` sweeps through the service, and makes `direct` more that no quote is stored for. Blocks come once
 * a second.
 */
export const start = Effect.fnUntraced(function* (options: {
  readonly served: number
  readonly direct: number
  readonly profile: string | undefined
}) {
  const server = yield* Postgres.start({ durable: true })
  const databaseUrl = yield* server.createDatabase("bench")
  const relayerKeys = Array.from({ length: LANES }, generatePrivateKey)
  const lanes = relayerKeys.map((key) => privateKeyToAccount(key).address)
  const dev = yield* nodeWith(lanes)
  const all = yield* Effect.promise(() => Sweeps.make(dev, options.served + options.direct))
  yield* Effect.promise(() => dev.node.client.setIntervalMining({ interval: 1 }))
  const served = all.slice(0, options.served)
  const sql = yield* stored(databaseUrl, served)
  const { port } = yield* backend
  const another = (profile?: string) =>
    Service.start({ dev, databaseUrl, builderUrl: `http://127.0.0.1:${port}`, relayerKeys, profile })
  const services: Services = [yield* another(options.profile)]
  return { dev, lanes, sql, services, another, served, direct: all.slice(options.served) }
})

export type Scene = Effect.Success<ReturnType<typeof start>>

/** The same with one more replica of the orchestrator. */
export const replicated = (scene: Scene) =>
  Effect.map(scene.another(), (replica): Scene => ({ ...scene, services: [...scene.services, replica] }))
