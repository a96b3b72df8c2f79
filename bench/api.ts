/**
 * Measures latencies of the API, compared with a bare `Bun.serve` that answers from memory or after the same indexed read of
 * Postgres. The service runs with all of its features: limits, logging, request ids. The load is an open loop, and a latency
 * counts from the time at which the request was due.
 *
 *     bun bench/api.ts [--seconds N] [--reads N] [--submits N] [--quotes N] [--seed N] [--profile DIR]
 */
import { parseArgs } from "node:util"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { PgClient } from "@effect/sql-pg"
import { Console, Effect, Layer, Logger, Option, Redacted } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as SqlIntents from "../src/adapters/sql/orchestrator/Intents.ts"
import * as Migrated from "../src/adapters/sql/orchestrator/Migrated.ts"
import * as DevChain from "../src/devnet/DevChain.ts"
import * as Postgres from "../src/devnet/Postgres.ts"
import * as Subprocess from "../src/devnet/Subprocess.ts"
import { Intents } from "../src/ports/orchestrator/Intents.ts"
import { cpuMillis } from "./ProcessTime.ts"
import * as Http from "./api/HttpConnections.ts"
import * as Load from "./api/Load.ts"
import * as Service from "./relay/Service.ts"
import * as Sweeps from "./relay/Sweeps.ts"

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "10" },
    /** A second. */
    reads: { type: "string", default: "1400" },
    submits: { type: "string", default: "50" },
    quotes: { type: "string", default: "20" },
    seed: { type: "string", default: "1" },
    profile: { type: "string" }
  }
})

const CONNECTIONS = 64
/** Quoted intents that reads go to. */
const READ_INTENTS = 200
/** Owners who ask for quotes. Theirs are the only nonces that the service itself issues here. */
const QUOTERS = 50
const WARM_UP_SECONDS = 2
const BARE = new URL("./api/Bare.ts", import.meta.url).pathname

const startBare = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const { ready: port } = yield* Subprocess.start({
    name: "bare server",
    command: process.execPath,
    args: [BARE, ...args],
    ready: (line) => Option.fromNullishOr(/listening on (\d+)/.exec(line)?.[1])
  })
  const url = `http://127.0.0.1:${port}`
  const cpuSeconds = Effect.promise(async () => Number(await (await fetch(`${url}/cpu`)).json()) / 1e6)
  return { pool: Http.open(url, CONNECTIONS), cpuSeconds }
})

const submission = ({ authorization, intent, signature }: Sweeps.Sweep): string =>
  JSON.stringify({
    quoteId: intent.quote.id,
    signature,
    authorization: { ...authorization, nonce: authorization.nonce.toString() }
  })

const quoteOf = (dev: DevChain.DevChain, owner: string): string =>
  JSON.stringify({
    owner,
    tokenIn: dev.tokens.DAI,
    amountIn: Sweeps.AMOUNT.toString(),
    tokenOut: dev.tokens.USDC,
    destination: owner,
    destChainId: dev.chain.id,
    tier: "tier1",
    route: `${dev.chain.name}->${dev.chain.name}`,
    subscriptionActive: false,
    userId: "bench"
  })

const shown = (value: number): string => value.toFixed(value < 100 ? 1 : 0).padStart(9)

interface Target {
  readonly pool: Http.Pool
  readonly cpuSeconds: Effect.Effect<number>
}

type Request = (index: number) => string

/** Answers per second, and CPU of the server per answer in microseconds. */
interface Throughput {
  readonly perSecond: number
  readonly cpuMicros: number
}

const closed = Effect.fnUntraced(function* (target: Target, request: Request, forSeconds: number) {
  const before = yield* target.cpuSeconds
  const perSecond = yield* Effect.promise(() => Load.closed(target.pool, request, forSeconds))
  const cpuMicros = (((yield* target.cpuSeconds) - before) * 1e6) / (perSecond * forSeconds)
  return { perSecond, cpuMicros } satisfies Throughput
})

/** The orchestrator's figures as shares of those of the bare servers. */
interface Ratios {
  readonly ofBare: number
  readonly ofBarePostgres: number
  readonly cpuOfBarePostgres: number
}

const show = Effect.fnUntraced(function* (
  throughput: Readonly<Record<string, Throughput>>,
  ratios: Ratios,
  latency: Readonly<Record<string, Load.OpenFigures>>
) {
  yield* Console.log(`\n${`${CONNECTIONS} connections always busy`.padEnd(26)} answers/s    µs CPU`)
  for (const [name, { cpuMicros, perSecond }] of Object.entries(throughput)) {
    yield* Console.log(name.padEnd(26), shown(perSecond), shown(cpuMicros))
  }
  yield* Console.log(
    `orchestrator: ${ratios.ofBare.toFixed(2)} of bare and ${ratios.ofBarePostgres.toFixed(2)} of bare with Postgres, ` +
      `at ${ratios.cpuOfBarePostgres.toFixed(1)} times its CPU`
  )
  yield* Console.log(
    `\n${"ms from the intended time".padEnd(26)}`,
    ["rate/s", "p50", "p99", "p99.9", "max", "dropped", "failed"].map((name) => name.padStart(9)).join("")
  )
  for (const [name, figures] of Object.entries(latency)) {
    const { dropped, failed, maxMs, offeredPerSecond, p50Ms, p999Ms, p99Ms } = figures
    const row = [offeredPerSecond, p50Ms, p99Ms, p999Ms, maxMs, dropped, failed].map(shown).join("")
    yield* Console.log(name.padEnd(26), row)
  }
})

const bench = Effect.gen(function* () {
  const seconds = Number(values.seconds)
  const seed = Number(values.seed)
  const rates = { reads: Number(values.reads), submits: Number(values.submits), quotes: Number(values.quotes) }

  const server = yield* Postgres.start({ durable: true })
  const databaseUrl = yield* server.createDatabase("bench")
  const dev = yield* DevChain.start({ id: 31_337, name: "bench" })
  const { client } = dev.node
  const relayerKeys = [generatePrivateKey()]
  yield* Effect.promise(async () => {
    for (const key of relayerKeys) {
      await client.setBalance({ address: privateKeyToAccount(key).address, value: 10n ** 24n })
    }
  })
  const submits = Math.ceil(rates.submits * seconds)
  const sweeps = yield* Effect.promise(() => Sweeps.make(dev, READ_INTENTS + submits + QUOTERS))
  yield* Effect.promise(() => client.setIntervalMining({ interval: 1 }))
  const stores = yield* Layer.build(
    SqlIntents.layer.pipe(
      Layer.provide(Migrated.layer),
      Layer.provideMerge(PgClient.layer({ url: Redacted.make(databaseUrl), maxConnections: 4 }))
    )
  )
  yield* Effect.flatMap(Intents, (intents) =>
    Effect.forEach(sweeps.slice(0, -QUOTERS), ({ intent }) => intents.create(intent), { concurrency: 4, discard: true })
  ).pipe(Effect.provide(stores))
  const sql = yield* Effect.provide(PgClient.PgClient, stores)
  yield* sql`VACUUM ANALYZE orchestrator.intent_states, orchestrator.intent_terms`

  const ids = sweeps.slice(0, READ_INTENTS).map(({ intent }) => intent.quote.id)
  const read = (index: number): string => Http.get(`/intents/${ids[index % ids.length] ?? ""}`)
  const service = yield* Service.start({
    dev,
    databaseUrl,
    builderUrl: "http://127.0.0.1:9",
    relayerKeys,
    profile: values.profile
  })
  const bare = yield* startBare(ids[0] ?? "")
  const barePostgres = yield* startBare(ids[0] ?? "", databaseUrl)
  const orchestrator = {
    pool: Http.open(service.url, CONNECTIONS),
    cpuSeconds: Effect.sync(() => cpuMillis(service.pid) / 1_000)
  }

  for (const target of [bare, barePostgres, orchestrator]) yield* closed(target, read, WARM_UP_SECONDS)
  const throughput = {
    bare: yield* closed(bare, read, seconds),
    barePostgres: yield* closed(barePostgres, read, seconds),
    orchestrator: yield* closed(orchestrator, read, seconds)
  }

  const open = ({ pool }: Target, perSecond: number, expected: number, request: Request) =>
    Effect.promise(() =>
      Load.open(
        pool,
        Array.from({ length: Math.ceil(perSecond * seconds) }, (_, index) => request(index)),
        { perSecond, seed, expected }
      )
    )
  const latency = {
    "GET, bare": yield* open(bare, rates.reads, 200, read),
    "GET, bare with Postgres": yield* open(barePostgres, rates.reads, 200, read),
    "GET /intents/:id": yield* open(orchestrator, rates.reads, 200, read),
    "POST /quote": yield* open(orchestrator, rates.quotes, 200, (index) =>
      Http.post("/quote", quoteOf(dev, sweeps.at(-1 - (index % QUOTERS))?.owner ?? ""))
    ),
    "POST /intents": yield* open(orchestrator, rates.submits, 201, (index) => {
      const sweep = sweeps[READ_INTENTS + index]
      return Http.post("/intents", sweep === undefined ? "" : submission(sweep))
    })
  }

  const { bare: bareFigures, barePostgres: postgresFigures, orchestrator: own } = throughput
  const ratios = {
    ofBare: own.perSecond / bareFigures.perSecond,
    ofBarePostgres: own.perSecond / postgresFigures.perSecond,
    cpuOfBarePostgres: own.cpuMicros / postgresFigures.cpuMicros
  }
  yield* show(throughput, ratios, latency)
  yield* Console.log(`\n${JSON.stringify({ bench: "api", seed, seconds, throughput, ratios, latency })}`)
})

bench.pipe(Effect.scoped, Effect.provide([BunServices.layer, Logger.layer([])]), BunRuntime.runMain)
