/** The local network with the services on it: real parts, in this process and its children, gone when the scope closes. */
import { Array, Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { bytesToHex } from "viem"
import * as Accounts from "../devnet/Accounts.ts"
import type { DevInfo } from "../devnet/DevInfo.ts"
import * as DevNetwork from "../devnet/DevNetwork.ts"
import * as Ports from "../devnet/Ports.ts"
import { defaults, type OrchestratorSettingsShape } from "../orchestrator/OrchestratorSettings.ts"
import type { ServerSettingsShape } from "../server/shared/ServerSettings.ts"
import * as OrchestratorApp from "./OrchestratorApp.ts"

export interface Options {
  /** Holds `dev.json` and the database's files. One network at a time can use it. */
  readonly directory: string
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
  readonly network: DevNetwork.DevNetwork
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

/** Starts everything and returns once it answers. Two can run side by side, in directories of their own. */
export const start = Effect.fn("DevApp.start")(function* (options: Options) {
  const [network, adminToken, port] = yield* Effect.all(
    [
      DevNetwork.start({ directory: options.directory, blockSeconds: options.blockSeconds ?? 1 }),
      newToken,
      options.orchestratorPort === undefined ? Ports.free : Effect.succeed(options.orchestratorPort)
    ],
    { concurrency: "unbounded" }
  )
  yield* Layer.build(
    OrchestratorApp.layer({
      chains: network.chains.map(({ chain, rpcUrl }) => ({ chain, rpcUrls: [rpcUrl] })),
      databaseUrl: Redacted.make(network.databaseUrl),
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
  const info = yield* network.publish({
    orchestratorUrl: `http://${HOST}:${port}`,
    builderUrl: "",
    dashboardUrl: "",
    orchestratorAdminToken: adminToken,
    builderAdminToken: ""
  })
  return { network, info } satisfies DevApp
})
