/** The builder backend with an adapter for each port. */
import { Effect, Layer, type Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import * as JsonRpcChains from "../adapters/evm/chains/Chains.ts"
import * as VaultBalances from "../adapters/evm/contracts/VaultBalances.ts"
import * as WebhookTransportHttp from "../adapters/http/WebhookTransportHttp.ts"
import * as GatewayAssertions from "../adapters/jose/GatewayAssertions.ts"
import * as OrchestratorOperationsHttp from "../adapters/http/OrchestratorOperationsHttp.ts"
import * as AllScreening from "../adapters/screening/All.ts"
import * as AesGcmSecretBox from "../adapters/secrets/AesGcmSecretBox.ts"
import * as SignInMessages from "../adapters/siwe/SignInMessages.ts"
import * as WalletSignatures from "../adapters/siwe/WalletSignatures.ts"
import * as Migrated from "../adapters/sql/builder/Migrated.ts"
import * as Stores from "../adapters/sql/builder/Stores.ts"
import * as SqlWebhookBacklog from "../adapters/sql/builder/WebhookBacklog.ts"
import * as Database from "../adapters/sql/shared/Database.ts"
import * as EventConflictReview from "../builder/ledger/EventConflictReview.ts"
import * as RestoreReview from "../builder/payout/RestoreReview.ts"
import * as Retention from "../builder/shared/Retention.ts"
import { Readiness } from "../builder/shared/Readiness.ts"
import * as UseCases from "../builder/UseCases.ts"
import { BuilderSettings, type BuilderSettingsShape } from "../builder/shared/BuilderSettings.ts"
import * as Sampling from "../builder/webhook/Sampling.ts"
import * as SecretReview from "../builder/webhook/SecretReview.ts"
import { WebhookDelivery } from "../builder/webhook/WebhookDelivery.ts"
import { KeptOverrides } from "../runtime/KeptOverrides.ts"
import * as SumReview from "../runtime/SumReview.ts"
import * as BuilderServer from "../server/builder/BuilderServer.ts"
import { ServerSettings, type ServerSettingsShape } from "../server/shared/ServerSettings.ts"
import * as WebAssets from "../server/web/WebAssets.ts"
import * as Clocks from "./Clocks.ts"
import * as Notifications from "./Notifications.ts"
import * as Redis from "./Redis.ts"
import * as Telemetry from "./Telemetry.ts"

export interface Options {
  /** Verify signatures of contract wallets, and prove payouts. */
  readonly chains: ReadonlyArray<JsonRpcChains.ChainEndpoints>
  readonly databaseUrl: Redacted.Redacted
  /** The database without a proxy. Default: `databaseUrl` leads to it directly. */
  readonly databaseDirectUrl?: Redacted.Redacted | undefined
  readonly databasePoolSize: number
  /** Redis or Valkey in which replicas count requests together. Default: each counts its own. */
  readonly redisUrl?: Redacted.Redacted | undefined
  readonly settings: BuilderSettingsShape
  /** The orchestrator that the console shows, or the settings that are missing for it. */
  readonly operations: OrchestratorOperationsHttp.Options | { readonly missing: ReadonlyArray<string> }
  readonly gateway: GatewayAssertions.Gateway | undefined
  readonly server: Partial<ServerSettingsShape>
  readonly host: string
  readonly port: number
  /** Time in which a stopping server still answers, but is not ready, in milliseconds. Default: 0. */
  readonly drainMillis?: number
  /** Allows webhooks to private networks and over HTTP, for local networks only. Default: false. */
  readonly webhooksAllowPrivate?: boolean
  /** Keys that encrypt secrets in the database. Default: they are stored readable. */
  readonly secrets?: AesGcmSecretBox.Options
  /** Directory of the built web app. Default: no app is served. */
  readonly webDirectory?: string | undefined
  /** Default: metrics are kept, and nothing is sent. */
  readonly telemetry?: Telemetry.Options | undefined
  /** Default: no alert is told. */
  readonly notifications?: Notifications.Options | undefined
}

/** Adapters of a deployment for every port. */
export const adapters = (options: Options) =>
  Layer.mergeAll(
    options.gateway === undefined ? GatewayAssertions.disabled : GatewayAssertions.layer(options.gateway),
    "missing" in options.operations
      ? OrchestratorOperationsHttp.notConfigured(options.operations.missing)
      : OrchestratorOperationsHttp.layer(options.operations),
    AllScreening.layerOracle(),
    SignInMessages.layer,
    WalletSignatures.layer,
    VaultBalances.layer,
    WebhookTransportHttp.layer({ allowPrivate: options.webhooksAllowPrivate ?? false }),
    Layer.merge(Stores.layer, SqlWebhookBacklog.layer).pipe(
      Layer.provide(options.secrets === undefined ? Layer.empty : AesGcmSecretBox.layer(options.secrets)),
      Layer.provide(Migrated.layer),
      Layer.provide(
        Database.layer({
          url: options.databaseUrl,
          directUrl: options.databaseDirectUrl,
          poolSize: options.databasePoolSize
        })
      )
    )
  ).pipe(Layer.provideMerge(JsonRpcChains.layer(options.chains)), Layer.provide(FetchHttpClient.layer))

const notifications = (options: Notifications.Options) =>
  Notifications.layer(
    "builder-backend",
    options,
    Effect.flatMap(Readiness, ({ isStored }) => isStored)
  ).pipe(Layer.provide(Readiness.layer))

/** Not shared with an orchestrator in the same process, whose overrides are others. */
const keptOverrides = Layer.fresh(KeptOverrides.layer)

/** The whole service: the server and the delivery of webhooks. */
export const layer = (options: Options) =>
  Layer.mergeAll(
    BuilderServer.listen({
      port: options.port,
      hostname: options.host,
      drain: options.drainMillis ?? 0
    }).pipe(Layer.provide(UseCases.layer), Layer.provide(keptOverrides)),
    Retention.layer,
    SumReview.layer,
    Telemetry.isRead(options.telemetry, options.server.metricsToken) ? Sampling.layer : Layer.empty,
    SecretReview.layer,
    EventConflictReview.layer,
    RestoreReview.layer,
    options.notifications === undefined ? Layer.empty : notifications(options.notifications),
    Redis.review(options.redisUrl),
    Clocks.review(),
    WebhookDelivery.layer
  ).pipe(
    Layer.provide(adapters(options)),
    Layer.provide(BuilderSettings.layer(options.settings)),
    Layer.provide(ServerSettings.layer(options.server)),
    Layer.provide(Redis.rateLimits(options.redisUrl)),
    Layer.provide(options.webDirectory === undefined ? Layer.empty : WebAssets.layer(options.webDirectory)),
    Layer.provide(Telemetry.layer("builder-backend", options.telemetry))
  )
