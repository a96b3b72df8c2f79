/** The builder backend, wired: which adapter stands behind each port. */
import { Layer, type Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import * as JsonRpcChains from "../adapters/evm/Chains.ts"
import * as GatewayAssertions from "../adapters/jose/GatewayAssertions.ts"
import * as SignInMessages from "../adapters/siwe/SignInMessages.ts"
import * as WalletSignatures from "../adapters/siwe/WalletSignatures.ts"
import * as Migrated from "../adapters/sql/builder/Migrated.ts"
import * as Stores from "../adapters/sql/builder/Stores.ts"
import * as Database from "../adapters/sql/Database.ts"
import * as BuilderBackend from "../builder/BuilderBackend.ts"
import { BuilderSettings, type BuilderSettingsShape } from "../builder/BuilderSettings.ts"
import * as BuilderServer from "../server/builder/BuilderServer.ts"
import * as RateLimitStore from "../server/shared/RateLimitStore.ts"
import { ServerSettings, type ServerSettingsShape } from "../server/shared/ServerSettings.ts"
import * as WebAssets from "../server/web/WebAssets.ts"

export interface Options {
  /** For wallets that are contracts, and to prove payouts. */
  readonly chains: ReadonlyArray<JsonRpcChains.ChainEndpoints>
  readonly databaseUrl: Redacted.Redacted
  readonly databasePoolSize: number
  readonly settings: Partial<BuilderSettingsShape>
  readonly gateway: GatewayAssertions.Gateway | undefined
  readonly server: Partial<ServerSettingsShape>
  readonly host: string
  readonly port: number
  /** The built web app; unset, none is served. */
  readonly webDirectory?: string | undefined
}

/** Every port, by the adapters of a deployment. */
export const adapters = (options: Options) =>
  Layer.mergeAll(
    options.gateway === undefined ? GatewayAssertions.disabled : GatewayAssertions.layer(options.gateway),
    SignInMessages.layer,
    WalletSignatures.layer,
    Stores.layer.pipe(
      Layer.provide(Migrated.layer),
      Layer.provide(Database.layer({ url: options.databaseUrl, poolSize: options.databasePoolSize }))
    )
  ).pipe(Layer.provideMerge(JsonRpcChains.layer(options.chains)), Layer.provide(FetchHttpClient.layer))

/** The whole service, listening. */
export const layer = (options: Options) =>
  BuilderServer.listen({ port: options.port, hostname: options.host }).pipe(
    Layer.provide(BuilderBackend.layer),
    Layer.provide(adapters(options)),
    Layer.provide(BuilderSettings.layer(options.settings)),
    Layer.provide(ServerSettings.layer(options.server)),
    Layer.provide(RateLimitStore.layerMemory),
    Layer.provide(options.webDirectory === undefined ? Layer.empty : WebAssets.layer(options.webDirectory))
  )
