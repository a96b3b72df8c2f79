/** The local network with the services on it: real parts, in this process and its children, gone when the scope closes. */
import { Array, Effect, Layer, Path, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { bytesToHex } from "viem"
import * as Accounts from "../devnet/Accounts.ts"
import type * as DevChain from "../devnet/DevChain.ts"
import type { DevInfo } from "../devnet/DevInfo.ts"
import * as Network from "../devnet/Network.ts"
import * as Ports from "../devnet/Ports.ts"
import * as Postgres from "../devnet/Postgres.ts"
import { defaults, type OrchestratorSettingsShape } from "../orchestrator/OrchestratorSettings.ts"
import type { ServerSettingsShape } from "../server/shared/ServerSettings.ts"
import * as OrchestratorApp from "./OrchestratorApp.ts"

export interface Options {
  /** Holds the database's files. */
  readonly directory: string
  /** Of an operator who has one; otherwise an embedded one is started. */
  readonly databaseUrl?: Redacted.Redacted
  /** A free one unless told. */
  readonly orchestratorPort?: number
  /** Seconds between blocks; 1 unless told. */
  readonly blockSeconds?: number
  /** Replaces what the services would do by default. */
  readonly settings?: Partial<OrchestratorSettingsShape>
  readonly server?: Partial<ServerSettingsShape>
}

export interface DevApp {
  readonly info: DevInfo
  readonly network: Network.Network
}

const HOST = "127.0.0.1"

/** What a relayer on the local bridge takes. */
const BRIDGE_FEE_BPS = 10

/** Blocks come every second here, so the service looks more often than it would elsewhere. */
const POLL_MILLIS = 250

const newToken = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  return bytesToHex(yield* random.randomBytes(32)).slice(2)
})

const database = Effect.fnUntraced(function* ({ databaseUrl, directory }: Options) {
  if (databaseUrl !== undefined) return databaseUrl
  const path = yield* Path.Path
  const server = yield* Postgres.start({ dataDirectory: path.join(directory, "postgres"), durable: false })
  // The chains start empty, so intents of an earlier run would wait for transactions that no chain has.
  return Redacted.make(yield* server.createDatabase("sweep"))
})

const devChain = ({ chain, rpcUrl, spokePool, uniswap }: DevChain.DevChain): DevInfo["chains"][number] => ({
  id: chain.id,
  name: chain.name,
  rpcUrl,
  ...chain.contracts,
  feeRecipient: chain.feeRecipient,
  spokePool,
  swapRouter: uniswap.swapRouter,
  permit2: chain.permit2,
  sanctionsOracle: chain.sanctionsOracle,
  tokens: Object.fromEntries(
    chain.tokens.map(({ address, decimals, symbol }) => [symbol, { address, decimals }] as const)
  )
})

/** Starts everything and returns once it answers. Two can run side by side, in directories of their own. */
export const start = Effect.fn("DevApp.start")(function* (options: Options) {
  const [databaseUrl, network, adminToken, port] = yield* Effect.all(
    [
      database(options),
      Network.start({ blockSeconds: options.blockSeconds ?? 1 }),
      newToken,
      options.orchestratorPort === undefined ? Ports.free : Effect.succeed(options.orchestratorPort)
    ],
    { concurrency: "unbounded" }
  )
  yield* Layer.build(
    OrchestratorApp.layer({
      chains: network.chains.map(({ chain, rpcUrl }) => ({ chain, rpcUrls: [rpcUrl] })),
      databaseUrl,
      databasePoolSize: 10,
      relayerKeys: Array.map(Accounts.relayers(), ({ privateKey }) =>
        Redacted.make(privateKey, { label: "RELAYER_KEYS" })
      ),
      settings: {
        ...defaults,
        relayer: { ...defaults.relayer, pollMillis: POLL_MILLIS },
        watcher: { ...defaults.watcher, pollMillis: POLL_MILLIS },
        ...options.settings
      },
      server: { adminToken: Redacted.make(adminToken, { label: "ORCH_ADMIN_TOKEN" }), ...options.server },
      host: HOST,
      port,
      acrossFees: { fixedBps: BRIDGE_FEE_BPS },
      prices: "onchain",
      ofacSnapshot: undefined,
      builderBackend: undefined
    })
  )
  return {
    network,
    info: {
      orchestratorUrl: `http://${HOST}:${port}`,
      builderUrl: "",
      dashboardUrl: "",
      orchestratorAdminToken: adminToken,
      builderAdminToken: "",
      databaseUrl: Redacted.value(databaseUrl),
      chains: network.chains.map(devChain),
      accounts: network.users.map(({ address, privateKey }) => ({ address, privateKey })),
      sanctionedAddress: network.sanctionedAddress
    }
  } satisfies DevApp
})
