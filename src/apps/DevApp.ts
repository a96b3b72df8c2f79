/** The local network with both services, in this process and its children. Everything stops when the scope closes. */
import { Array, Effect, Layer, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { bytesToHex } from "viem"
import type { BuilderSettingsShape } from "../builder/shared/BuilderSettings.ts"
import { builderDefaults } from "../config/Builder.ts"
import { common } from "../config/Common.ts"
import { orchestratorDefaults } from "../config/Orchestrator.ts"
import * as Accounts from "../devnet/Accounts.ts"
import type { NodeKind } from "../devnet/DevChain.ts"
import type { DevInfo } from "../devnet/DevInfo.ts"
import * as DevNetwork from "../devnet/DevNetwork.ts"
import * as Ports from "../devnet/Ports.ts"
import { NATIVE } from "../domain/Token.ts"
import type { OrchestratorSettingsShape } from "../orchestrator/shared/OrchestratorSettings.ts"
import type { ServerSettingsShape } from "../server/shared/ServerSettings.ts"
import type * as Market from "../devnet/market/Market.ts"
import * as BuilderApp from "./BuilderApp.ts"
import * as DevMarket from "./DevMarket.ts"
import * as OrchestratorApp from "./OrchestratorApp.ts"

export interface Options {
  /** Directory of `dev.json` and the database's files. Only one network at a time can use it. */
  readonly directory: string
  /** Default: a free port. */
  readonly orchestratorPort?: number
  /** Default: a free port. */
  readonly builderPort?: number
  /** Directory of the built web app. Default: no app is served. */
  readonly webDirectory?: string
  /** Program of every chain's node. Default: anvil. */
  readonly node?: NodeKind
  /** Seconds between blocks. Default: 1. */
  readonly blockSeconds?: number
  /** Url of an empty database to use. Default: a database on a server of the network's own. */
  readonly databaseUrl?: string
  /** The same database without a proxy. Default: `databaseUrl` leads to it directly. */
  readonly databaseDirectUrl?: string
  /** Settings that differ from the defaults of the services. */
  readonly settings?: Partial<OrchestratorSettingsShape>
  /** A market on the chains, and the outside services, played on loopback. Default: a few pools of Uniswap v3, and no service. */
  readonly market?: Market.Options
  readonly server?: Partial<ServerSettingsShape>
}

export interface DevApp {
  readonly info: DevInfo
  readonly network: DevNetwork.DevNetwork
  /** Builder with a markup, for trying out attributed sweeps. */
  readonly builder: { readonly id: string; readonly apiKey: string }
  /** The market, if it was asked for. */
  readonly market: DevMarket.DevMarket | undefined
}

const HOST = "127.0.0.1"

/** Fee of relayers on the local bridge. */
const BRIDGE_FEE_BPS = 10

/** Blocks come every second here, so the services poll more often than on real chains. */
const POLL_MILLIS = 250

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

/** Registers a builder over HTTP with the admin token, as its operator would. */
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

/** Settings of the orchestrator for a local network. */
const orchestratorSettings = (
  { chains }: DevNetwork.DevNetwork,
  changes: Options["settings"]
): OrchestratorSettingsShape => ({
  ...orchestratorDefaults,
  // Fees are sold on request only, so that balances change by nothing that the user did not ask for.
  treasury: {
    ...orchestratorDefaults.treasury,
    assets: chains.map(({ chain: { id, stables } }) => ({ chainId: id, token: stables[0] ?? NATIVE })),
    intervalMillis: undefined,
    minValue: 0n,
    pollMillis: POLL_MILLIS
  },
  relayer: { ...orchestratorDefaults.relayer, pollMillis: POLL_MILLIS },
  watcher: { ...orchestratorDefaults.watcher, pollMillis: POLL_MILLIS },
  outbox: { ...orchestratorDefaults.outbox, pollMillis: POLL_MILLIS },
  ...changes
})

/** Settings of the builder backend for a local network. */
const builderSettings = (
  { chains }: DevNetwork.DevNetwork,
  known: Pick<BuilderSettingsShape, "dashboardOrigins" | "domainName" | "orchestratorUrl">
): BuilderSettingsShape => ({
  ...builderDefaults,
  selfSignupEnabled: true,
  localNodes: chains.map(({ chain, rpcUrl }) => ({ chainId: chain.id, url: rpcUrl })),
  webhooks: { ...builderDefaults.webhooks, pollMillis: POLL_MILLIS },
  ...known
})

/** Starts everything and returns once it answers. Several networks can run side by side in separate directories. */
export const start = Effect.fn("DevApp.start")(function* (options: Options) {
  const { domainName = orchestratorDefaults.domainName } = options.settings ?? {}
  const planned = options.market === undefined ? undefined : yield* DevMarket.plan(options.market)
  const [network, orchestratorToken, builderToken, orchestratorPort, builderPort] = yield* Effect.all(
    [
      DevNetwork.start({
        directory: options.directory,
        blockSeconds: options.blockSeconds ?? 1,
        domainName,
        ...(planned === undefined ? {} : { chains: planned.chains }),
        ...(options.node === undefined ? {} : { node: options.node }),
        ...(options.databaseUrl === undefined ? {} : { databaseUrl: options.databaseUrl })
      }),
      newToken,
      newToken,
      port(options.orchestratorPort),
      port(options.builderPort)
    ],
    { concurrency: "unbounded" }
  )
  const market = planned === undefined ? undefined : yield* DevMarket.start(planned, network)
  const orchestratorUrl = `http://${HOST}:${orchestratorPort}`
  const builderUrl = `http://${HOST}:${builderPort}`
  const shared = {
    chains: network.chains.map(({ chain, rpcUrl }) => ({ chain, rpcUrls: [rpcUrl] })),
    databaseUrl: Redacted.make(network.databaseUrl),
    databaseDirectUrl: options.databaseDirectUrl === undefined ? undefined : Redacted.make(options.databaseDirectUrl),
    databasePoolSize: common.databasePoolSize.default,
    host: HOST
  }
  const builder = BuilderApp.layer({
    ...shared,
    settings: builderSettings(network, {
      dashboardOrigins: [builderUrl, `http://localhost:${builderPort}`],
      domainName,
      orchestratorUrl
    }),
    gateway: undefined,
    operations: { orchestratorUrl, token: secret(orchestratorToken, "ORCHESTRATOR_ADMIN_TOKEN") },
    webhooksAllowPrivate: true,
    webDirectory: options.webDirectory,
    server: { adminToken: secret(builderToken, "ADMIN_TOKEN"), ...options.server },
    port: builderPort
  })
  const orchestrator = OrchestratorApp.layer({
    ...shared,
    relayerKeys: Array.map(Accounts.relayers(), ({ privateKey }) => ({
      kind: "raw",
      key: Redacted.make(privateKey, { label: "RELAYER_KEYS" })
    })),
    feeRecipientKey: {
      kind: "raw",
      key: Redacted.make(Accounts.feeRecipient().privateKey, { label: "FEE_RECIPIENT_KEY" })
    },
    settings: orchestratorSettings(network, options.settings),
    server: { adminToken: secret(orchestratorToken, "ORCH_ADMIN_TOKEN"), ...options.server },
    port: orchestratorPort,
    acrossFees: { fixedBps: BRIDGE_FEE_BPS },
    prices: "onchain",
    builderBackend: {
      url: builderUrl,
      token: secret(builderToken, "BUILDER_ADMIN_TOKEN"),
      attributionCacheMillis: 0
    },
    ...market?.orchestrator
  })
  yield* Effect.all([Layer.build(builder), Layer.build(orchestrator)], { concurrency: "unbounded", discard: true })
  const registered = yield* registerBuilder(builderUrl, builderToken)
  const info = yield* network.publish({
    orchestratorUrl,
    builderUrl,
    dashboardUrl: builderUrl,
    orchestratorAdminToken: orchestratorToken,
    builderAdminToken: builderToken,
    ...(market === undefined ? {} : { market: DevMarket.describe(market) })
  })
  return { network, info, builder: registered, market } satisfies DevApp
})
