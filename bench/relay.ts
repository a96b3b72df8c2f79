/**
 * Measures the throughput of sweeps: signed intents of new accounts through `POST /intents` of a real orchestrator process
 * until delivery, on a node with one block per second and 200M gas per block. The same run measures the node alone.
 *
 * The quotes are inserted through the store beforehand, since quoting is not what is measured.
 *
 *     bun bench/relay.ts [--count N] [--rate N] [--seconds N] [--profile DIR]
 */
import { parseArgs } from "node:util"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { PgClient } from "@effect/sql-pg"
import { Console, Effect, Layer, Logger, Redacted } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as SqlIntents from "../src/adapters/sql/orchestrator/Intents.ts"
import * as Migrated from "../src/adapters/sql/orchestrator/Migrated.ts"
import * as DevChain from "../src/devnet/DevChain.ts"
import * as Postgres from "../src/devnet/Postgres.ts"
import { Intents } from "../src/ports/orchestrator/Intents.ts"
import * as Ceiling from "./relay/Ceiling.ts"
import * as Figures from "./relay/Figures.ts"
import * as Service from "./relay/Service.ts"
import * as Sweeps from "./relay/Sweeps.ts"

const { values } = parseArgs({
  options: {
    /** Intents of the flood, and transactions of the node's own run. */
    count: { type: "string", default: "5000" },
    /** Intents a second of the steady run that latencies are read from. */
    rate: { type: "string", default: "50" },
    /** Duration of the steady run in seconds. 0 skips it. */
    seconds: { type: "string", default: "15" },
    profile: { type: "string" }
  }
})

const GAS_LIMIT = 200_000_000n
const LANES = 4
const CONNECTIONS = 64
const WARM_UP = 2_000
const PATIENCE_MILLIS = 180_000

const body = ({ authorization, intent, signature }: Sweeps.Sweep): string =>
  JSON.stringify({
    quoteId: intent.quote.id,
    signature,
    authorization: { ...authorization, nonce: authorization.nonce.toString() }
  })

const submit = async (url: string, signed: string): Promise<void> => {
  const response = await fetch(`${url}/intents`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: signed
  })
  const text = await response.text()
  if (response.status !== 201) throw new Error(`POST /intents answered ${response.status} ${text}`)
}

/** As fast as the service takes them; returns the seconds until the last was accepted. */
const flood = async (url: string, signed: ReadonlyArray<string>): Promise<number> => {
  const queue = signed.values()
  const started = performance.now()
  const connection = async () => {
    for (const each of queue) await submit(url, each)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  return (performance.now() - started) / 1_000
}

/** At a steady rate, whatever the service does meanwhile. */
const pace = async (url: string, signed: ReadonlyArray<string>, perSecond: number): Promise<void> => {
  const started = performance.now()
  const sent = signed.map(async (each, index) => {
    await Bun.sleep(started + (index * 1_000) / perSecond - performance.now())
    await submit(url, each)
  })
  await Promise.all(sent)
}

const rounded = (value: unknown): unknown => {
  if (typeof value === "number") return Math.round(value * 1_000) / 1_000
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, rounded(part)]))
}

const bench = Effect.gen(function* () {
  const count = Number(values.count)
  const paced = Number(values.rate) * Number(values.seconds)

  const server = yield* Postgres.start({ durable: true })
  const databaseUrl = yield* server.createDatabase("bench")
  const dev = yield* DevChain.start({ id: 31_337, name: "bench" })
  const { client } = dev.anvil
  const relayerKeys = Array.from({ length: LANES }, generatePrivateKey)
  const lanes = relayerKeys.map((key) => privateKeyToAccount(key).address)
  yield* Effect.promise(async () => {
    await client.setBlockGasLimit({ gasLimit: GAS_LIMIT })
    for (const address of lanes) await client.setBalance({ address, value: 10n ** 24n })
  })
  yield* Console.error(`signing ${2 * count + paced + WARM_UP} sweeps`)
  const all = yield* Effect.promise(() => Sweeps.make(dev, 2 * count + paced + WARM_UP))
  yield* Effect.promise(() => client.setIntervalMining({ interval: 1 }))

  const stores = yield* Layer.build(
    SqlIntents.layer.pipe(
      Layer.provide(Migrated.layer),
      Layer.provideMerge(PgClient.layer({ url: Redacted.make(databaseUrl), maxConnections: 4 }))
    )
  )
  const given = <A, E>(effect: Effect.Effect<A, E, Intents | PgClient.PgClient>) => Effect.provide(effect, stores)
  const served = all.slice(0, count + paced + WARM_UP)
  yield* given(
    Effect.flatMap(Intents, (intents) =>
      Effect.forEach(served, ({ intent }) => intents.create(intent), { concurrency: 4, discard: true })
    )
  )
  const sql = yield* given(PgClient.PgClient)
  yield* sql`VACUUM ANALYZE orchestrator.intents`

  const backend = yield* Effect.acquireRelease(
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
  const service = yield* Service.start({
    dev,
    databaseUrl,
    builderUrl: `http://127.0.0.1:${backend.port}`,
    relayerKeys,
    profile: values.profile
  })

  const ended = (ids: ReadonlyArray<string>) =>
    sql<{ open: number }>`
      SELECT count(*)::int AS open FROM orchestrator.intents
      WHERE id = ANY(${ids}) AND status NOT IN ('delivered', 'failed')`.pipe(
      Effect.delay("200 millis"),
      Effect.repeat({ until: ([row]) => row?.open === 0 }),
      Effect.timeout(PATIENCE_MILLIS)
    )
  const idsOf = (sweeps: ReadonlyArray<Sweeps.Sweep>) => sweeps.map(({ intent }) => intent.quote.id)
  const run = Effect.fnUntraced(function* (
    sweeps: ReadonlyArray<Sweeps.Sweep>,
    offer: (signed: ReadonlyArray<string>) => Promise<number | void>
  ) {
    const signed = sweeps.map(body)
    const before = yield* service.cpuSeconds
    const fromBlock = yield* Effect.promise(() => client.getBlockNumber())
    const seconds = yield* Effect.promise(() => offer(signed))
    const accepting = yield* service.cpuSeconds
    yield* ended(idsOf(sweeps))
    const cpu = (yield* service.cpuSeconds) - before
    const toBlock = yield* Effect.promise(() => client.getBlockNumber())
    const gas = yield* Effect.promise(() =>
      Figures.gasOf(
        (blockNumber) =>
          client
            .request<{
              Method: "eth_getBlockReceipts"
              Parameters: [string]
              ReturnType: ReadonlyArray<{ from: string; gasUsed: string }>
            }>({ method: "eth_getBlockReceipts", params: [`0x${blockNumber.toString(16)}`] })
            .then((receipts) => receipts.map(({ from, gasUsed }) => ({ from, gasUsed: BigInt(gasUsed) }))),
        lanes,
        fromBlock,
        toBlock
      )
    )
    const figures = yield* Figures.read(sql, idsOf(sweeps))
    return {
      ...figures,
      ...(typeof seconds === "number" ? { acceptedPerSecond: sweeps.length / seconds } : {}),
      sweepsPerTransaction: figures.delivered / figures.transactions,
      gasPerSweep: Number(gas) / sweeps.length,
      cpuMsPerSweep: (cpu * 1_000) / sweeps.length,
      cpuMsPerSweepWhileAccepting: ((accepting - before) * 1_000) / sweeps.length
    }
  })

  yield* run(served.slice(0, WARM_UP), (signed) => flood(service.url, signed))
  yield* Console.error(`flooding with ${count}`)
  const flooded = yield* run(served.slice(WARM_UP, WARM_UP + count), (signed) => flood(service.url, signed))
  yield* Console.error(JSON.stringify(rounded(flooded), null, 2))
  const steady =
    paced === 0
      ? undefined
      : yield* run(served.slice(WARM_UP + count), (signed) => pace(service.url, signed, Number(values.rate)))
  yield* Console.error(JSON.stringify(rounded(steady ?? null), null, 2))
  const arrived = yield* Effect.promise(() => Sweeps.arrived(dev, served))
  const nodePerSecond = yield* Effect.promise(() => Ceiling.measure(dev, all.slice(served.length)))

  yield* Console.log(
    JSON.stringify(
      rounded({
        bench: "relay",
        count,
        arrived,
        expected: served.length,
        nodePerSecond,
        shareOfNode: flooded.settledPerSecond / nodePerSecond,
        steadyShareOfNode: flooded.steadyPerSecond / nodePerSecond,
        flood: flooded,
        ...(steady === undefined ? {} : { ratePerSecond: Number(values.rate), paced: steady })
      })
    )
  )
})

bench.pipe(Effect.scoped, Effect.provide([BunServices.layer, Logger.layer([])]), BunRuntime.runMain)
