/**
 * Environment of a chaos run: two chains, a PostgreSQL that can be killed, a builder backend, and places for orchestrators.
 * Orchestrators are real processes whose connections go through proxies that can cut them off at a given step.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, FileSystem, Path, Redacted, Schedule } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { type Hex, parseEther, type PrivateKeyAccount } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import type { DevChain } from "../src/devnet/DevChain.ts"
import * as DevNetwork from "../src/devnet/DevNetwork.ts"
import * as Network from "../src/devnet/Network.ts"
import * as Address from "../src/domain/Address.ts"
import * as Backend from "./Backend.ts"
import type * as Checker from "./Checker.ts"
import * as Client from "./Client.ts"
import * as Database from "./Database.ts"
import * as Holdings from "./Holdings.ts"
import * as Observation from "./Observation.ts"
import * as Slot from "./Slot.ts"
import * as SmallDisk from "./SmallDisk.ts"

const LANES = 4

const DATABASE = "chaos"

/** Longer than leases last, and than what is done after them takes on a busy machine. */
const QUIET_SECONDS = 120

export interface Options {
  /** Holds the client's log and, under `logFile`, what the processes said. */
  readonly directory: string
  readonly logFile: string
  /** Blocks that make a transaction count. */
  readonly confirmations: { readonly alpha: number; readonly beta: number }
  readonly slots: number
  /** Accounts that hold what they sweep on both chains. */
  readonly owners: number
  /** More settings of the processes. */
  readonly env?: Readonly<Record<string, string>>
  /**
   * True if all that processes say to the database and to nodes passes through the harness, which can cut it off anywhere. If false,
   * only the transactions that they send do, so that the harness takes less of the machine. Default: true.
   */
  readonly isTapped?: boolean
}

/** Gives the lanes gas, and each owner what it sweeps. */
const endow = Effect.fnUntraced(function* (
  dev: DevChain,
  lanes: ReadonlyArray<Hex>,
  owners: ReadonlyArray<PrivateKeyAccount>
) {
  yield* dev.node.ask("fund the lanes", (node) =>
    Promise.all(lanes.map((address) => node.setBalance({ address, value: parseEther("1000") })))
  )
  yield* Effect.forEach(
    owners,
    ({ address }) =>
      Effect.forEach(
        Holdings.TOKENS_IN,
        (token) => dev.fund(Address.of(address), { token, amount: Holdings.holdingOf(token) }),
        { discard: true }
      ),
    { concurrency: 50, discard: true }
  )
})

/** Earlier blocks do not belong to this run. */
const begin = (dev: DevChain) =>
  dev.node.ask("begin", async (node) => {
    await node.mine({ blocks: 1 })
    return { dev, fromBlock: await node.getBlockNumber() }
  })

/** Waits until there is nothing left to do; false where that takes too long. */
const quiet = (sql: PgClient.PgClient) =>
  Observation.isIdle(sql).pipe(
    Effect.orElseSucceed(() => false),
    Effect.repeat({ schedule: Schedule.spaced("200 millis"), until: (idle) => idle }),
    Effect.timeoutOption(`${QUIET_SECONDS} seconds`),
    Effect.map((idle) => idle._tag === "Some")
  )

/** As if time had passed: work that a dead process had claimed is free. */
const endLeases = (sql: PgClient.PgClient) =>
  Effect.andThen(
    sql`UPDATE orchestrator.intent_queue SET lease_until = now() - interval '1 second' WHERE lease_until IS NOT NULL`,
    sql`UPDATE orchestrator.outbox SET held_until = NULL WHERE held_until IS NOT NULL AND state = 'pending'`
  )

export const make = Effect.fn("World.make")(function* (options: Options) {
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  yield* fs.makeDirectory(options.directory, { recursive: true })

  const database = yield* Database.place
  const [network, server] = yield* Effect.all([Network.start(), database.start], { concurrency: 2 })
  let running = server
  const databaseUrl = yield* server.server.createDatabase(DATABASE)
  const disk = yield* SmallDisk.move(server.server.url("postgres"), DATABASE)
  const sql = yield* PgClient.make({ url: Redacted.make(databaseUrl), maxConnections: 2 }).pipe(
    Effect.provide(Reactivity.layer)
  )
  const [alphaDev, betaDev] = network.chains
  if (alphaDev === undefined || betaDev === undefined) return yield* Effect.die(new Error("two chains are needed"))
  const alpha: Holdings.Place = { dev: alphaDev, info: DevNetwork.describe(alphaDev) }
  const beta: Holdings.Place = { dev: betaDev, info: DevNetwork.describe(betaDev) }

  const relayerKeys = Array.from({ length: LANES }, generatePrivateKey)
  const lanes = relayerKeys.map((key) => privateKeyToAccount(key).address)
  const owners = Array.from({ length: options.owners }, () => privateKeyToAccount(generatePrivateKey()))
  for (const { dev } of [alpha, beta]) yield* endow(dev, lanes, owners)
  const holdings = yield* Holdings.make(
    [alpha, beta],
    owners.map(({ address }) => address)
  )

  const observed: Observation.World = {
    lanes,
    sql,
    chains: yield* Effect.forEach([alphaDev, betaDev], begin)
  }

  const backend = Backend.make()
  const client = yield* Client.make(path.join(options.directory, `acknowledged-${crypto.randomUUID()}.log`))
  const surroundings = {
    alphaDev,
    betaDev,
    backend,
    databasePort: server.server.port,
    databaseUrl,
    relayerKeys,
    options
  }
  const slots = yield* Effect.forEach(
    Array.from({ length: options.slots }, (_, index) => `orchestrator-${index + 1}`),
    (name) => Slot.make(name, surroundings)
  )

  const observe = Effect.gen(function* () {
    return {
      ...(yield* Observation.read(observed)),
      acknowledged: client.acknowledged(),
      signed: client.signed(),
      batches: client.batches(),
      booked: backend.booked(),
      changes: yield* holdings.changes
    } satisfies Checker.Observed
  })

  return {
    alpha,
    beta,
    databaseUrl,
    backend,
    client,
    /** Holds the database's tables. Undefined where it cannot be mounted. */
    disk,
    drain: holdings.drain,
    endLeases: endLeases(sql),
    lanes,
    observe,
    owners,
    quiet: quiet(sql),
    slots,
    sql,
    /** Processes of the database, as a group that a signal reaches. */
    databaseGroup: () => running.server.pid,
    /** SIGKILL for the database, which starts again at once. */
    crashDatabase: Effect.gen(function* () {
      yield* running.crash
      running = yield* database.start
    })
  }
})

export type World = Effect.Success<ReturnType<typeof make>>
