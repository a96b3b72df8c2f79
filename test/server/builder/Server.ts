/** The real backend on a free port, apart from what belongs to the test runner, so that a process of its own can run it. */
import { type Duration, Effect, Layer, Logger, Redacted, References } from "effect"
import { HttpServer } from "effect/http"
import * as VaultBalances from "../../../src/adapters/evm/contracts/VaultBalances.ts"
import * as GatewayAssertions from "../../../src/adapters/jose/GatewayAssertions.ts"
import * as WebhookTransport from "../../../src/adapters/memory/builder/WebhookTransport.ts"
import * as OrchestratorOperationsHttp from "../../../src/adapters/http/OrchestratorOperationsHttp.ts"
import * as SignInMessages from "../../../src/adapters/siwe/SignInMessages.ts"
import * as WalletSignatures from "../../../src/adapters/siwe/WalletSignatures.ts"
import * as Migrated from "../../../src/adapters/sql/builder/Migrated.ts"
import * as Stores from "../../../src/adapters/sql/builder/Stores.ts"
import * as UseCases from "../../../src/builder/UseCases.ts"
import { BuilderSettings, type BuilderSettingsShape } from "../../../src/builder/shared/BuilderSettings.ts"
import { builderDefaults } from "../../../src/config/Builder.ts"
import type { ChainClient, Chains } from "../../../src/ports/shared/Chains.ts"
import { Screening } from "../../../src/ports/shared/Screening.ts"
import type { OrchestratorOperations } from "../../../src/ports/builder/OrchestratorOperations.ts"
import type { OperatorAssertions } from "../../../src/ports/builder/OperatorAssertions.ts"
import type { WebhookTransport as Transport } from "../../../src/ports/builder/WebhookTransport.ts"
import { KeptOverrides } from "../../../src/runtime/KeptOverrides.ts"
import * as BuilderServer from "../../../src/server/builder/BuilderServer.ts"
import * as RateLimitStore from "../../../src/server/shared/RateLimitStore.ts"
import { ServerSettings, type ServerSettingsShape } from "../../../src/server/shared/ServerSettings.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { unlimited } from "../../support/RateLimits.ts"

export const DASHBOARD = "https://dashboard.example.com"
export const ADMIN_TOKEN = "an-admin-token-of-the-tests"
export const CHAIN_ID = FakeChain.chain.id
export const TOKEN = FakeChain.address(0xd1)
export const OTHER_TOKEN = FakeChain.address(0xd2)

export interface Options {
  readonly settings?: Partial<BuilderSettingsShape>
  readonly server?: Partial<ServerSettingsShape>
  /** Answers of the only chain's node. */
  readonly node?: Partial<ChainClient>
  /** Default: clears every address. */
  readonly screening?: Screening["Service"]["clear"]
  readonly chains?: Layer.Layer<Chains>
  /** Default: not configured. */
  readonly operations?: Layer.Layer<OrchestratorOperations>
  readonly assertions?: Layer.Layer<OperatorAssertions>
  /** Default: keeps what it is given. */
  readonly webhooks?: Layer.Layer<Transport>
  /** Default: a free port. */
  readonly port?: number
  /** Default: the server's own. */
  readonly idleTimeout?: number
  readonly gracefulShutdownTimeout?: Duration.Input
}

/** Windows that tests never fill by accident. */

/** A chain without contract wallets. */
const refusesSignatures = () => Effect.succeed("0x00" as const)

/** The stores on the database that the context has. */
export const stores = Stores.layer.pipe(Layer.provideMerge(Migrated.layer))

/** The server on given stores. */
export const serverOnStores = (options: Options = {}) => {
  const settings = BuilderSettings.layer({
    ...builderDefaults,
    dashboardOrigins: [DASHBOARD],
    selfSignupEnabled: true,
    ...options.settings
  })
  const chains = options.chains ?? FakeChain.layer({ call: refusesSignatures, ...options.node })
  return BuilderServer.listen({
    port: options.port ?? 0,
    hostname: "127.0.0.1",
    ...(options.idleTimeout === undefined ? {} : { idleTimeout: options.idleTimeout }),
    ...(options.gracefulShutdownTimeout === undefined
      ? {}
      : { gracefulShutdownTimeout: options.gracefulShutdownTimeout })
  }).pipe(
    Layer.provide(UseCases.layer),
    // An orchestrator in the same test has others.
    Layer.provide(Layer.fresh(KeptOverrides.layer)),
    Layer.provide(WalletSignatures.layer),
    Layer.provide(options.webhooks ?? Layer.empty),
    Layer.provideMerge(WebhookTransport.layer),
    Layer.provide([
      chains,
      SignInMessages.layer,
      VaultBalances.layer,
      Layer.succeed(Screening, { clear: options.screening ?? (() => Effect.void) }),
      options.operations ?? OrchestratorOperationsHttp.notConfigured(["ORCHESTRATOR_URL", "ORCHESTRATOR_ADMIN_TOKEN"]),
      options.assertions ?? GatewayAssertions.disabled,
      RateLimitStore.layerMemory,
      settings,
      ServerSettings.layer({
        adminToken: Redacted.make(ADMIN_TOKEN),
        rateLimits: unlimited,
        ...options.server
      })
    ]),
    Layer.provide(Logger.layer([])),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "None"))
  )
}

/** URL of the running server. */
export const url = Effect.map(
  HttpServer.HttpServer,
  ({ address }) => `http://127.0.0.1:${address._tag === "UnixPathAddress" ? 0 : address.port}`
)
