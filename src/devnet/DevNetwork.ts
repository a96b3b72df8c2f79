/** The whole local network: PostgreSQL, chains and filler, and the file from which clients read its addresses. */
import { Effect, Exit, FileSystem, Path, Schema, type Scope } from "effect"
import type { PlatformError } from "effect/PlatformError"
import type { ChildProcessSpawner } from "effect/process"
import type { SqlError } from "effect/sql/SqlError"
import type { DevChainFailed } from "./LocalNode.ts"
import type { DevChain } from "./DevChain.ts"
import { DevInfo } from "./DevInfo.ts"
import * as Network from "./Network.ts"
import * as Postgres from "./Postgres.ts"
import type { SubprocessFailed } from "./Subprocess.ts"

export interface DevNetworkOptions extends Network.NetworkOptions {
  /** Directory of PostgreSQL's data and of `dev.json`. One network at a time can use it. */
  readonly directory: string
  /** Default: a free port. */
  readonly postgresPort?: number
  /** Url of an empty database to use. Default: a database on a server of the network's own. */
  readonly databaseUrl?: string
}

/** Urls and admin tokens of the services that run on the network. */
export type DevServices = Pick<
  DevInfo,
  "orchestratorUrl" | "builderUrl" | "dashboardUrl" | "orchestratorAdminToken" | "builderAdminToken" | "market"
>

export interface DevNetwork extends Network.Network {
  /** Url of an empty database. */
  readonly databaseUrl: string
  /**
   * Writes `dev.json` and `chains.json` atomically, readable only by the user, and removes them when the scope closes.
   */
  readonly publish: (services: DevServices) => Effect.Effect<DevInfo, PlatformError, Scope.Scope>
}

export const FILE = "dev.json"

/** Name of the file that other services and commands take as `CHAINS_FILE`. */
export const CHAINS_FILE = "chains.json"

const DATABASE = "sweep"

/** Starts everything, and stops it when the scope closes. Fails if another network uses the directory. */
export const start = Effect.fn("DevNetwork.start")(function* (
  options: DevNetworkOptions
): Effect.fn.Return<
  DevNetwork,
  Postgres.PostgresUnavailable | SubprocessFailed | DevChainFailed | PlatformError | SqlError,
  Scope.Scope | ChildProcessSpawner.ChildProcessSpawner | FileSystem.FileSystem | Path.Path
> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const directory = path.resolve(options.directory)
  const file = path.join(directory, FILE)
  const chainsFile = path.join(directory, CHAINS_FILE)

  const database = Effect.gen(function* () {
    if (options.databaseUrl !== undefined) {
      return { databaseUrl: options.databaseUrl, exited: Effect.never }
    }
    const server = yield* Postgres.start({
      dataDirectory: path.join(directory, "dev-postgres"),
      // The chains are new, so data about the previous ones would be wrong, and none of it needs to be durable.
      fresh: true,
      durable: false,
      ...(options.postgresPort === undefined ? {} : { port: options.postgresPort })
    })
    // PostgreSQL's lock now protects the directory, so files in it were left by a killed network.
    yield* fs.remove(file, { force: true })
    yield* fs.remove(chainsFile, { force: true })
    return { databaseUrl: yield* server.createDatabase(DATABASE), exited: server.exited }
  })
  const [{ databaseUrl, exited }, network] = yield* Effect.all([database, Network.start(options)], { concurrency: 2 })

  const publish = Effect.fn("DevNetwork.publish")(
    function* (services: DevServices) {
      const info: DevInfo = {
        ...services,
        databaseUrl,
        chains: network.chains.map(describe),
        accounts: network.users,
        sanctionedAddress: network.sanctionedAddress
      }
      const encoded = yield* Effect.orDie(Schema.encodeEffect(DevInfo)(info))
      yield* published(chainsFile, network.chains.map(asChainsFileEntry))
      yield* published(file, encoded)
      return info
    },
    Effect.provideService(FileSystem.FileSystem, fs)
  )

  return {
    ...network,
    databaseUrl,
    publish,
    exited: Effect.raceFirst(network.exited, exited)
  }
})

/** Writes a file and removes it when the scope closes. */
const published = Effect.fnUntraced(function* (file: string, content: unknown) {
  const fs = yield* FileSystem.FileSystem
  yield* Effect.acquireRelease(writeWhole(file, `${JSON.stringify(content, null, 2)}\n`), () =>
    Effect.ignore(fs.remove(file, { force: true }))
  )
})

/** Replaces the file atomically: a reader sees the old content or the new one. */
const writeWhole = Effect.fnUntraced(function* (file: string, content: string) {
  const fs = yield* FileSystem.FileSystem
  const scratch = `${file}.new`
  yield* fs.remove(scratch, { force: true })
  yield* fs.writeFileString(scratch, content, { mode: 0o600, flag: "wx" })
  yield* fs
    .rename(scratch, file)
    .pipe(
      Effect.onExit((exit) => (Exit.isFailure(exit) ? Effect.ignore(fs.remove(scratch, { force: true })) : Effect.void))
    )
})

/** A chain in the form of `dev.json`. */
export const describe = ({
  chain,
  rpcUrl,
  spokePool,
  spokePoolPeriphery,
  uniswap
}: DevChain): DevInfo["chains"][number] => ({
  id: chain.id,
  name: chain.name,
  rpcUrl,
  ...chain.contracts,
  feeRecipient: chain.feeRecipient,
  spokePool,
  spokePoolPeriphery,
  swapRouter: uniswap.swapRouter,
  ...(chain.multicallHandler === undefined ? {} : { multicallHandler: chain.multicallHandler }),
  venues: (chain.venues ?? []).map(({ family, name, router }) => ({ name, family, router })),
  permit2: chain.permit2,
  sanctionsOracle: chain.sanctionsOracle,
  tokens: Object.fromEntries(chain.tokens.map(({ address, decimals, symbol }) => [symbol, { address, decimals }]))
})

/** A chain in the form of the chains file. The guard's owner is only used when contracts are deployed. */
const asChainsFileEntry = ({ chain, deployer, rpcUrl }: DevChain) => ({
  ...chain,
  rpcUrls: [rpcUrl],
  guardOwner: deployer.address
})
