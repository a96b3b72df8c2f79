/** The local network with the services on it: real parts, in this process and its children, gone when the scope closes. */
import { Array, Effect, Layer, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { bytesToHex } from "viem"
import { builderDefaults } from "../config/Builder.ts"
import { common } from "../config/Common.ts"
import { orchestratorDefaults } from "../config/Orchestrator.ts"
import * as Accounts from "../devnet/Accounts.ts"
import type { DevInfo } from "../devnet/DevInfo.ts"
import * as DevNetwork from "../devnet/DevNetwork.ts"
import * as Ports from "../devnet/Ports.ts"
import type { OrchestratorSettingsShape } from "../orchestrator/shared/OrchestratorSettings.ts"
import type { ServerSettingsShape } from "../server/shared/ServerSettings.ts"
import * as BuilderApp from "./BuilderApp.ts"
import * as OrchestratorApp from "./OrchestratorApp.ts"

export interface Options {
  /** Holds `dev.json` and the database's files. One network at a time can use it. */
  readonly directory: string
  /** A free one unless told. */
  readonly orchestratorPort?: number
  /** A free one unless told. */
  readonly builderPort?: number
  /** The built web app; unset, none is served. */
  readonly webDirectory?: string
  /** Seconds between blocks; 1 unless told. */
  readonly blockSeconds?: number
  /** Url of an empty database to use. Default: a database on a server of the network's own. */
  readonly databaseUrl?: string
  /** Replaces what the services would do by default. */
  readonly settings?: Partial<OrchestratorSettingsShape>
  readonly server?: Partial<ServerSettingsShape>
}

export interface DevApp {
  readonly info: DevInfo
  readonly network: DevNetwork.DevNetwork
  /** Registered with a markup, so that attributed sweeps can be tried out at once. */
  readonly builder: { readonly id: string; readonly apiKey: string }
}

const HOST = "127.0.0.1"

/** What a relayer on the local bridge takes. */
const BRIDGE_FEE_BPS = 10

/** Blocks come every second here, so the service looks more often than it would elsewhere. */
const POLL_MILLIS = 250

/** How long a rotated key may still attribute. */
const ATTRIBUTION_CACHE_MILLIS = 1_000

const DEV_BUILDER = {
  id: "dev",
  name: "Local builder",
  builderBps: 30,
  maxBuilderBps: 100,
  payoutAddress: Accounts.builder().address
}

const newToken = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  return bytesToHex(yield* random.randomBytes(32)).slice(2)
})

const port = (wanted: number | undefined) => (wanted === undefined ? Ports.free : Effect.succeed(wanted))

const secret = (token: string, name: string) => Redacted.make(token, { label: name })

/** As its operator would: over HTTP, with the admin token. */
const registerBuilder = Effect.fnUntraced(function* (builderUrl: string, adminToken: string) {
  const http = yield* HttpClient.HttpClient
  const response = yield* HttpClientRequest.post(`${builderUrl}/builders`).pipe(
    HttpClientRequest.bearerToken(adminToken),
    HttpClientRequest.bodyJsonUnsafe(DEV_BUILDER),
    http.execute,
    Effect.flatMap(HttpClientResponse.filterStatusOk),
    Effect.flatMap(HttpClientResponse.schemaBodyJson(Schema.Struct({ apiKey: Schema.String })))
  )
  return { id: DEV_BUILDER.id, apiKey: response.apiKey }
}, Effect.orDie)

/** Starts everything and returns once it answers. Two can run side by side, in directories of their own. */
export const start = Effect.fn("DevApp.start")(function* (options: Options) {
  const [network, orchestratorToken, builderToken, orchestratorPort, builderPort] = yield* Effect.all(
    [
      DevNetwork.start({
        directory: options.directory,
        blockSeconds: options.blockSeconds ?? 1,
        ...(options.databaseUrl === undefined ? {} : { databaseUrl: options.databaseUrl })
      }),
      newToken,
      newToken,
      port(options.orchestratorPort),
      port(options.builderPort)
    ],
    { concurrency: "unbounded" }
  )
  const orchestratorUrl = `http://${HOST}:${orchestratorPort}`
  const builderUrl = `http://${HOST}:${builderPort}`
  const shared = {
    chains: network.chains.map(({ chain, rpcUrl }) => ({ chain, rpcUrls: [rpcUrl] })),
    databaseUrl: Redacted.make(network.databaseUrl),
    databasePoolSize: common.databasePoolSize.default,
    host: HOST
  }
  const builder = BuilderApp.layer({
    ...shared,
    settings: {
      ...builderDefaults,
      dashboardOrigins: [builderUrl, `http://localhost:${builderPort}`],
      selfSignupEnabled: true,
      orchestratorUrl,
      localNodes: network.chains.map(({ chain, rpcUrl }) => ({ chainId: chain.id, url: rpcUrl })),
      webhooks: { ...builderDefaults.webhooks, pollMillis: POLL_MILLIS }
    },
    gateway: undefined,
    operations: { orchestratorUrl, token: secret(orchestratorToken, "ORCHESTRATOR_ADMIN_TOKEN") },
    webhooksAllowPrivate: true,
    webDirectory: options.webDirectory,
    server: { adminToken: secret(builderToken, "ADMIN_TOKEN"), ...options.server },
    port: builderPort
  })
  const orchestrator = OrchestratorApp.layer({
    ...shared,
    relayerKeys: Array.map(Accounts.relayers(), ({ privateKey }) =>
      Redacted.make(privateKey, { label: "RELAYER_KEYS" })
    ),
    settings: {
      ...orchestratorDefaults,
      relayer: { ...orchestratorDefaults.relayer, pollMillis: POLL_MILLIS },
      watcher: { ...orchestratorDefaults.watcher, pollMillis: POLL_MILLIS },
      outbox: { ...orchestratorDefaults.outbox, pollMillis: POLL_MILLIS },
      ...options.settings
    },
    server: { adminToken: secret(orchestratorToken, "ORCH_ADMIN_TOKEN"), ...options.server },
    port: orchestratorPort,
    acrossFees: { fixedBps: BRIDGE_FEE_BPS },
    prices: "onchain",
    ofacSnapshot: undefined,
    builderBackend: {
      url: builderUrl,
      token: secret(builderToken, "BUILDER_ADMIN_TOKEN"),
      attributionCacheMillis: ATTRIBUTION_CACHE_MILLIS
    }
  })
  yield* Effect.all([Layer.build(builder), Layer.build(orchestrator)], { concurrency: "unbounded", discard: true })
  const registered = yield* registerBuilder(builderUrl, builderToken)
  const info = yield* network.publish({
    orchestratorUrl,
    builderUrl,
    dashboardUrl: builderUrl,
    orchestratorAdminToken: orchestratorToken,
    builderAdminToken: builderToken
  })
  return { network, info, builder: registered } satisfies DevApp
})
