/**
 * The scene of a fault test: the local network behind proxies, a database and relayer lanes of its own, a builder
 * backend, and orchestrators that are real processes.
 */
import * as BunServices from "@effect/platform-bun/BunServices"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Schedule } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { type Hex, parseEther } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import type { DevChain } from "../../src/devnet/DevChain.ts"
import * as DevNetwork from "../../src/devnet/DevNetwork.ts"
import * as Ports from "../../src/devnet/Ports.ts"
import * as ChainsFile from "../support/ChainsFile.ts"
import * as FaultProxy from "../support/FaultProxy.ts"
import { TestNetwork } from "../support/Network.ts"
import * as OrchestratorProcess from "../support/OrchestratorProcess.ts"
import { TestServer } from "../support/Postgres.ts"
import { freshOwner, type Owner, type Place } from "../support/Services.ts"
import { StubServer } from "../support/StubServer.ts"
import * as SweepClient from "../support/SweepClient.ts"
import * as Checker from "../../chaos/Checker.ts"
import * as Observation from "../../chaos/Observation.ts"

/** Services that the tests of a file share. A block is mined for every transaction. */
export const layer = Layer.mergeAll(TestNetwork.layer(), TestServer.layer).pipe(
  Layer.provideMerge(BunServices.layer),
  Layer.orDie
)

/** Ways to the chains, by name, that a test can break; and the chains file that leads through them. */
export interface Route {
  readonly chainsFile: string
  readonly alpha: FaultProxy.FaultProxy
  readonly beta: FaultProxy.FaultProxy
}

type Environment = Readonly<Record<string, string>>
type Start = Pick<OrchestratorProcess.Options, "args" | "program">

/** A quote with what its owner signed. */
export interface Sweep {
  readonly id: string
  readonly owner: Hex
  readonly signed: SweepClient.Signed
}

const LANES = 2
const AMOUNT = "50"
const API_KEY = "key of the only builder"

/** Longer than any fault lasts, and than what is done after it takes on a busy machine. */
const PATIENCE_SECONDS = 180

const BUILDER = {
  builderId: "bld_faults",
  builderBps: 20,
  maxBuilderBps: 100,
  payoutAddress: privateKeyToAccount(generatePrivateKey()).address,
  payoutMode: "ledger"
}

/** Knows one builder, and takes every message. */
const backend = StubServer.answering(({ path }) =>
  path === "/attribute" ? { status: 200, body: BUILDER } : { status: 201, body: { ok: true } }
)

const booked = ({ body, path }: { readonly body: string; readonly path: string }): ReadonlyArray<string> => {
  if (path !== "/accruals" && path !== "/revenue") return []
  const { sweepId } = JSON.parse(body) as { readonly sweepId: string }
  return [`${path === "/accruals" ? "accrual" : "revenue"}:${sweepId}`]
}

/** Gives the lanes gas on a chain. Earlier blocks belong to other scenes. */
const fundLanes = (dev: DevChain, lanes: ReadonlyArray<Hex>) =>
  dev.node.ask("fund the lanes", async (node) => {
    await Promise.all(lanes.map((address) => node.setBalance({ address, value: parseEther("100") })))
    await node.mine({ blocks: 1 })
    return { dev, fromBlock: await node.getBlockNumber() }
  })

/** New ways to the chains, without faults until they are told to have some. */
const routeTo = (alpha: DevChain, beta: DevChain) =>
  Effect.gen(function* () {
    const [toAlpha, toBeta] = [yield* FaultProxy.start(alpha.rpcUrl), yield* FaultProxy.start(beta.rpcUrl)]
    const chainsFile = yield* ChainsFile.write([alpha, beta], (dev) => (dev === alpha ? toAlpha.url : toBeta.url))
    return { chainsFile, alpha: toAlpha, beta: toBeta } satisfies Route
  })

const requestOf = ({ info }: Place, owner: Hex): SweepClient.SweepRequest => ({
  owner,
  chain: info,
  tokenIn: "DAI",
  amountIn: AMOUNT,
  tokenOut: "USDC"
})

/** Quotes an owner's sweep, and signs it. */
const quoteFor = Effect.fnUntraced(function* (
  client: SweepClient.SweepClient,
  account: Owner,
  request: SweepClient.SweepRequest
) {
  const answer = yield* Effect.promise(() => client.quote({ ...request, apiKey: API_KEY }))
  assert.strictEqual(answer.status, 200, answer.text)
  const signed = yield* Effect.promise(() => SweepClient.sign(account, answer))
  return { id: signed.quoteId, owner: account.address, signed } satisfies Sweep
})

const delivered = Effect.fnUntraced(function* (client: SweepClient.SweepClient, { id }: Sweep) {
  const ended = yield* Effect.promise(() => client.ended(id, PATIENCE_SECONDS))
  assert.strictEqual(ended.string("status"), "delivered", ended.text)
  return ended
})

const status = ({ get }: SweepClient.SweepClient, { id }: Sweep) =>
  Effect.map(
    Effect.promise(() => get(`/intents/${id}`)),
    (answer) => answer.string("status")
  )

/** Offers again while the service asks for that. A busy machine may answer too late for one of its deadlines. */
const patiently = (offered: Effect.Effect<number>) =>
  Effect.repeat(offered, { schedule: Schedule.spaced("1 second"), until: (status) => status !== 503, times: 8 })

/** As if time had passed: work that a dead process had claimed is free. */
const endLeases = (sql: PgClient.PgClient) => sql`
  UPDATE orchestrator.intent_queue SET lease_until = now() - interval '1 second' WHERE lease_until IS NOT NULL`

const isReadOfNonce =
  (lanes: ReadonlyArray<Hex>) =>
  ({ method, params }: FaultProxy.Call): boolean =>
    method === "eth_getTransactionCount" &&
    params[1] === "latest" &&
    lanes.some((lane) => lane.toLowerCase() === String(params[0]).toLowerCase())

/** Waits until the service has nothing left to do, for a while. */
const finished = (sql: PgClient.PgClient) =>
  Observation.isIdle(sql).pipe(
    Effect.repeat({ schedule: Schedule.spaced("100 millis"), until: (idle) => idle }),
    Effect.timeoutOption(`${PATIENCE_SECONDS} seconds`)
  )

/** A scene of its own for a test; `databaseUrl` leads to a database elsewhere. */
export const make = Effect.fnUntraced(function* (options: { readonly databaseUrl?: string } = {}) {
  const { chains } = yield* TestNetwork
  const [alphaChain, betaChain] = chains
  assert.isDefined(alphaChain)
  assert.isDefined(betaChain)
  const alpha: Place = { dev: alphaChain, info: DevNetwork.describe(alphaChain) }

  const databaseUrl = options.databaseUrl ?? (yield* (yield* TestServer).createMigrated)
  const sql = yield* PgClient.make({ url: Redacted.make(databaseUrl), maxConnections: 2 }).pipe(
    Effect.provide(Reactivity.layer)
  )
  const builders = Context.get(yield* Layer.build(backend), StubServer)

  const relayerKeys = Array.from({ length: LANES }, generatePrivateKey)
  const lanes = relayerKeys.map((key) => privateKeyToAccount(key).address)
  const world: Observation.World = { lanes, sql, chains: yield* Effect.forEach(chains, (dev) => fundLanes(dev, lanes)) }

  const acknowledged = new Set<string>()
  const route = routeTo(alphaChain, betaChain)

  /** A process of the service, which reaches the chains by `over`. */
  const orchestrator = Effect.fnUntraced(function* (over: Route, env: Environment = {}, started: Start = {}) {
    const running = yield* OrchestratorProcess.start({
      port: yield* Ports.free,
      chainsFile: over.chainsFile,
      databaseUrl,
      relayerKeys,
      ...started,
      env: {
        BUILDER_URL: builders.url,
        BUILDER_ADMIN_TOKEN: "machine",
        // Most owners of a scene have not swept before.
        FIRST_SWEEPS_LOSS_BUDGET_WEI: "1000000000000000000000",
        ...env
      }
    })
    return { ...running, client: SweepClient.make(running.url) }
  })

  /** A request of a fresh owner who holds exactly the amount. */
  const quoteRequest = Effect.map(freshOwner(alpha, "DAI", AMOUNT), ({ address }) => requestOf(alpha, address))

  /** Quotes a sweep of a fresh owner who holds exactly the amount, and signs it. */
  const quote = Effect.fnUntraced(function* (client: SweepClient.SweepClient) {
    const account = yield* freshOwner(alpha, "DAI", AMOUNT)
    return yield* quoteFor(client, account, requestOf(alpha, account.address))
  })

  /** Submits, and notes whether that was acknowledged. A connection that breaks is status 0. */
  const offer = Effect.fnUntraced(function* (client: SweepClient.SweepClient, { id, signed }: Sweep) {
    const status = yield* Effect.promise(() =>
      client.submit(signed).then(
        (answer) => answer.status,
        () => 0
      )
    )
    if (status === 201) acknowledged.add(id)
    return status
  })

  const submit = Effect.fnUntraced(function* (client: SweepClient.SweepClient, sweep: Sweep) {
    assert.strictEqual(yield* patiently(offer(client, sweep)), 201)
  })

  /** Lets the service finish, and fails where a rule of money does not hold. */
  const check = Effect.gen(function* () {
    yield* finished(sql)
    const observed: Checker.Observed = {
      ...(yield* Observation.read(world)),
      acknowledged: [...acknowledged],
      signed: [],
      batches: [],
      booked: (yield* builders.seen).flatMap(booked),
      changes: []
    }
    assert.deepStrictEqual(Checker.findings(observed), [])
    return observed
  })

  return {
    alpha,
    check,
    delivered,
    endLeases: endLeases(sql),
    /** True for the relayer's read of a lane's nonce, which precedes its first claim. Quotes do not need it. */
    looksAtLane: isReadOfNonce(lanes),
    offer,
    orchestrator,
    quote,
    quoteFor,
    quoteRequest,
    route,
    sql,
    status,
    submit
  }
})

export type Scene = Effect.Success<ReturnType<typeof make>>

/** True for the call that sends these bytes to the node. */
export const sends =
  (raw: Hex) =>
  (call: FaultProxy.Call): boolean =>
    FaultProxy.isSend(call) && call.params[0] === raw
