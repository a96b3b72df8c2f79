/**
 * Environment of a chaos run: two chains, a PostgreSQL that can be killed, a builder backend, and places for orchestrators.
 * Orchestrators are real processes whose connections go through proxies that can cut them off at a given step.
 */
import { appendFileSync } from "node:fs"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Exit, FileSystem, Path, Redacted, Schedule, Scope } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import * as Reactivity from "effect/reactivity/Reactivity"
import { erc20Abi, type Hex, parseEther, type PrivateKeyAccount } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import type { DevInfo } from "../src/devnet/DevInfo.ts"
import type { DevChain } from "../src/devnet/DevChain.ts"
import * as DevNetwork from "../src/devnet/DevNetwork.ts"
import * as Network from "../src/devnet/Network.ts"
import * as Ports from "../src/devnet/Ports.ts"
import * as Tokens from "../src/devnet/Tokens.ts"
import * as Address from "../src/domain/Address.ts"
import * as ChainsFile from "../test/support/ChainsFile.ts"
import * as FaultProxy from "../test/support/FaultProxy.ts"
import * as OrchestratorProcess from "../test/support/OrchestratorProcess.ts"
import * as Backend from "./Backend.ts"
import type * as Checker from "./Checker.ts"
import * as Client from "./Client.ts"
import * as Database from "./Database.ts"
import * as Observation from "./Observation.ts"
import * as PostgresTap from "./PostgresTap.ts"

const LANES = 4

/** Tokens that owners sweep, and their targets. Each owner has enough for many sweeps. */
export const TOKEN_IN = "DAI"
export const TOKEN_OUT = "USDC"
export const AMOUNT_IN = "50"
const HOLDING = Tokens.units(TOKEN_IN, 5_000n)

/** One that fails over and over must not be refused for it: failing is what a run is for. */
const SETTINGS = {
  BUILDER_ADMIN_TOKEN: "machine",
  BUILDER_FAILURE_BUDGET: "1000000",
  OWNER_FAILURE_BUDGET: "1000000"
}

/** Longer than leases last, and than what is done after them takes on a busy machine. */
const QUIET_SECONDS = 120

/** A chain as the network and as a client knows it. */
export interface Place {
  readonly dev: DevChain
  readonly info: DevInfo["chains"][number]
}

/** A place for one orchestrator at a time, with its proxies. */
export interface Slot {
  readonly name: string
  readonly url: string
  readonly tap: PostgresTap.PostgresTap
  readonly alpha: FaultProxy.FaultProxy
  readonly beta: FaultProxy.FaultProxy
  readonly backend: Backend.Address
  readonly isUp: () => boolean
  /** Starts a process where none runs; done when it answers. */
  readonly up: Effect.Effect<void, OrchestratorProcess.ProcessFailed, ChildProcessSpawner.ChildProcessSpawner>
  /** SIGKILL, where a process runs; done when it is gone. */
  readonly down: Effect.Effect<void>
}

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
}

const confirmedAfter = (dev: DevChain, confirmations: number): DevChain => ({
  ...dev,
  chain: { ...dev.chain, confirmations }
})

export const make = Effect.fn("World.make")(function* (options: Options) {
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  yield* fs.makeDirectory(options.directory, { recursive: true })

  const database = yield* Database.place
  const [network, server] = yield* Effect.all([Network.start(), database.start], { concurrency: 2 })
  let running = server
  const databaseUrl = yield* server.server.createDatabase("chaos")
  const sql = yield* PgClient.make({ url: Redacted.make(databaseUrl), maxConnections: 2 }).pipe(
    Effect.provide(Reactivity.layer)
  )
  const [alphaDev, betaDev] = network.chains
  if (alphaDev === undefined || betaDev === undefined) return yield* Effect.die(new Error("two chains are needed"))
  const alpha: Place = { dev: alphaDev, info: DevNetwork.describe(alphaDev) }
  const beta: Place = { dev: betaDev, info: DevNetwork.describe(betaDev) }

  const relayerKeys = Array.from({ length: LANES }, generatePrivateKey)
  const lanes = relayerKeys.map((key) => privateKeyToAccount(key).address)
  const owners = Array.from({ length: options.owners }, () => privateKeyToAccount(generatePrivateKey()))
  for (const { dev } of [alpha, beta]) {
    yield* dev.anvil.ask("fund the lanes", (node) =>
      Promise.all(lanes.map((address) => node.setBalance({ address, value: parseEther("1000") })))
    )
    yield* Effect.forEach(
      owners,
      ({ address }) => dev.fund(Address.of(address), { token: TOKEN_IN, amount: HOLDING }),
      { concurrency: 50, discard: true }
    )
  }

  const balance = ({ dev }: Place, account: Hex, token: Hex) =>
    dev.anvil.ask("read a balance", (node) =>
      node.readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [account] })
    )
  /** Everybody whose money is counted: all that sweep, and those who are paid by each sweep. */
  const watched = [alpha, beta].flatMap((place) => {
    const { builderVault, feeRecipient } = place.dev.chain
    const [tokenIn, tokenOut] = [place.dev.tokens[TOKEN_IN], place.dev.tokens[TOKEN_OUT]]
    const addresses: ReadonlyArray<Hex> = owners.map(({ address }) => address)
    return [
      { place, takesFees: false, token: tokenIn, accounts: addresses },
      { place, takesFees: false, token: tokenOut, accounts: addresses },
      { place, takesFees: true, token: tokenIn, accounts: [feeRecipient] },
      { place, takesFees: false, token: tokenIn, accounts: builderVault === undefined ? [] : [builderVault] }
    ].flatMap(({ accounts, place, takesFees, token }) =>
      accounts.map((account) => ({ place, takesFees, token, account }))
    )
  })
  const holdings = Effect.forEach(watched, ({ account, place, token }) => balance(place, account, token), {
    concurrency: "unbounded"
  })
  const before = yield* holdings
  /** Amounts that the run itself took from owners, by chain and account. */
  const taken = new Map<string, bigint>()
  const takenKey = ({ dev }: Place, account: string) => `${dev.chain.id} ${account.toLowerCase()}`

  const observed: Observation.World = {
    lanes,
    sql,
    chains: yield* Effect.forEach([alphaDev, betaDev], (dev) =>
      dev.anvil.ask("begin", async (node) => {
        // Earlier blocks do not belong to this run.
        await node.mine({ blocks: 1 })
        return { dev, fromBlock: await node.getBlockNumber() }
      })
    )
  }

  const backend = Backend.make()
  const client = yield* Client.make(path.join(options.directory, `acknowledged-${crypto.randomUUID()}.log`))
  const scope = yield* Effect.scope

  const slot = Effect.fnUntraced(function* (name: string) {
    const [tap, toAlpha, toBeta, books, port] = yield* Effect.all([
      PostgresTap.start(server.server.port),
      FaultProxy.start(alphaDev.rpcUrl),
      FaultProxy.start(betaDev.rpcUrl),
      backend.address,
      Ports.free
    ])
    const chainsFile = yield* ChainsFile.write(
      [confirmedAfter(alphaDev, options.confirmations.alpha), confirmedAfter(betaDev, options.confirmations.beta)],
      ({ rpcUrl }) => (rpcUrl === alphaDev.rpcUrl ? toAlpha.url : toBeta.url)
    )
    let life: { readonly scope: Scope.Closeable; readonly process: OrchestratorProcess.OrchestratorProcess } | undefined

    const up: Slot["up"] = Effect.gen(function* () {
      if (life !== undefined) return
      const own = yield* Scope.fork(scope)
      const process = yield* OrchestratorProcess.start({
        port,
        chainsFile,
        databaseUrl: tap.through(databaseUrl),
        relayerKeys,
        env: { ...SETTINGS, BUILDER_URL: books.url, ...options.env }
      }).pipe(Effect.provideService(Scope.Scope, own))
      life = { scope: own, process }
    })
    const down: Slot["down"] = Effect.gen(function* () {
      if (life === undefined) return
      const { process, scope: own } = life
      life = undefined
      yield* process.kill
      const said = yield* process.output
      appendFileSync(options.logFile, said.map((line) => `${name} ${line}\n`).join(""))
      yield* Scope.close(own, Exit.void)
    })
    yield* Effect.addFinalizer(() => down)
    return {
      name,
      url: `http://127.0.0.1:${port}`,
      tap,
      alpha: toAlpha,
      beta: toBeta,
      backend: books,
      isUp: () => life !== undefined,
      up,
      down
    } satisfies Slot
  })
  const slots = yield* Effect.forEach(
    Array.from({ length: options.slots }, (_, index) => `orchestrator-${index + 1}`),
    slot
  )

  /** Waits until there is nothing left to do; false where that takes too long. */
  const quiet = Observation.isIdle(sql).pipe(
    Effect.orElseSucceed(() => false),
    Effect.repeat({ schedule: Schedule.spaced("200 millis"), until: (idle) => idle }),
    Effect.timeoutOption(`${QUIET_SECONDS} seconds`),
    Effect.map((idle) => idle._tag === "Some")
  )

  const observe = Effect.gen(function* () {
    const after = yield* holdings
    const changes = watched.map(({ account, place, takesFees, token }, index): Checker.Change => {
      const stolen = token === place.dev.tokens[TOKEN_IN] ? (taken.get(takenKey(place, account)) ?? 0n) : 0n
      return {
        chainId: place.dev.chain.id,
        account,
        takesFees,
        token,
        amount: (after[index] ?? 0n) - (before[index] ?? 0n) + stolen
      }
    })
    return {
      ...(yield* Observation.read(observed)),
      acknowledged: client.acknowledged(),
      booked: backend.booked(),
      changes
    } satisfies Checker.Observed
  })

  /** Takes all that an owner sweeps, between two blocks, as if it had been spent elsewhere. */
  const drain = Effect.fnUntraced(function* (place: Place, owner: PrivateKeyAccount) {
    const token = place.dev.tokens[TOKEN_IN]
    const held = yield* balance(place, owner.address, token)
    yield* place.dev.anvil.ask("drain", (node) =>
      node.request<{ Method: "anvil_dealERC20"; Parameters: [Hex, Hex, Hex]; ReturnType: null }>({
        method: "anvil_dealERC20",
        params: [owner.address, token, "0x0"]
      })
    )
    const key = takenKey(place, owner.address)
    taken.set(key, (taken.get(key) ?? 0n) + held)
  })

  return {
    alpha,
    beta,
    backend,
    client,
    drain,
    /** As if time had passed: work that a dead process had claimed is free. */
    endLeases: Effect.andThen(
      sql`UPDATE orchestrator.intents SET lease_until = now() - interval '1 second' WHERE lease_until IS NOT NULL`,
      sql`UPDATE orchestrator.outbox SET due_at = now() WHERE state = 'pending'`
    ),
    lanes,
    observe,
    owners,
    quiet,
    slots,
    sql,
    /** SIGKILL for the database, which starts again at once. */
    crashDatabase: Effect.gen(function* () {
      yield* running.crash
      running = yield* database.start
    })
  }
})

export type World = Effect.Success<ReturnType<typeof make>>
