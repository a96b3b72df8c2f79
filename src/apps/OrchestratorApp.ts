/**
 * The orchestrator with an adapter for each port. Tests and other programs can provide other layers to `useCases`.
 */
import { Array, Effect, Layer, Option, type Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { FetchHttpClient, type HttpClient } from "effect/http"
import * as Across from "../adapters/bridge/Across.ts"
import * as AcrossRefunds from "../adapters/bridge/AcrossRefunds.ts"
import * as JsonRpcChains from "../adapters/evm/chains/Chains.ts"
import * as HttpRpcEndpoints from "../adapters/evm/chains/RpcEndpoints.ts"
import * as ConfiguredKey from "../adapters/signers/ConfiguredKey.ts"
import * as LaneKeys from "../adapters/evm/keys/LaneKeys.ts"
import * as TreasuryAccount from "../adapters/evm/keys/TreasuryAccount.ts"
import * as EvmSweepContracts from "../adapters/evm/contracts/SweepContracts.ts"
import * as EvmSweepSimulation from "../adapters/evm/contracts/SweepSimulation.ts"
import * as NativeSignatures from "../adapters/evm/keys/NativeSignatures.ts"
import * as BuilderAttributionHttp from "../adapters/http/BuilderAttributionHttp.ts"
import * as BuilderLedgerHttp from "../adapters/http/BuilderLedgerHttp.ts"
import * as ProviderHealth from "../adapters/providers/Health.ts"
import * as ListAndSimulation from "../adapters/risk/ListAndSimulation.ts"
import * as AesGcmSecretBox from "../adapters/secrets/AesGcmSecretBox.ts"
import * as UniswapV3 from "../adapters/swap/UniswapV3.ts"
import type { KeyReference } from "../domain/KeyReference.ts"
import { type Share, WHOLE } from "../domain/Role.ts"
import * as ChainReviews from "../orchestrator/operate/ChainReviews.ts"
import { EndpointDesk } from "../orchestrator/operate/EndpointDesk.ts"
import * as EndpointReview from "../orchestrator/operate/EndpointReview.ts"
import { HealthCheck } from "../orchestrator/operate/HealthCheck.ts"
import { IntentDesk } from "../orchestrator/operate/IntentDesk.ts"
import { LaneDesk } from "../orchestrator/operate/LaneDesk.ts"
import { Intake } from "../orchestrator/intake/Intake.ts"
import { SweepIntake } from "../orchestrator/intake/SweepIntake.ts"
import * as KeptClearances from "../orchestrator/shared/KeptClearances.ts"
import * as KeptEndpoints from "../orchestrator/shared/KeptEndpoints.ts"
import { KeptOverrides } from "../runtime/KeptOverrides.ts"
import * as Limits from "../orchestrator/shared/Limits.ts"
import { OrchestratorSettings, type OrchestratorSettingsShape } from "../orchestrator/shared/OrchestratorSettings.ts"
import { onlyIn, ProcessShare } from "../orchestrator/shared/ProcessShare.ts"
import * as LateMessages from "../orchestrator/outbox/LateMessages.ts"
import { OutboxDelivery } from "../orchestrator/outbox/OutboxDelivery.ts"
import { Portfolio } from "../orchestrator/portfolio/Portfolio.ts"
import { LimitDesk } from "../orchestrator/operate/LimitDesk.ts"
import { PauseDesk } from "../orchestrator/operate/PauseDesk.ts"
import { Readiness } from "../orchestrator/operate/Readiness.ts"
import { StoryDesk } from "../orchestrator/operate/StoryDesk.ts"
import * as RoleReview from "../orchestrator/operate/RoleReview.ts"
import * as Sampling from "../orchestrator/operate/Sampling.ts"
import * as Retention from "../orchestrator/operate/Retention.ts"
import { Quoter } from "../orchestrator/quote/Quoter.ts"
import { Relayer } from "../orchestrator/relay/Relayer.ts"
import * as RemovedSubjects from "../orchestrator/operate/RemovedSubjects.ts"
import * as TargetReviews from "../orchestrator/operate/TargetReviews.ts"
import * as TokenReviews from "../orchestrator/operate/TokenReviews.ts"
import { Treasury } from "../orchestrator/treasury/Treasury.ts"
import { Watcher } from "../orchestrator/watch/Watcher.ts"
import * as WatchedAttribution from "../orchestrator/shared/WatchedAttribution.ts"
import * as WatchedPrices from "../orchestrator/shared/WatchedPrices.ts"
import { BuilderAttribution } from "../ports/orchestrator/BuilderAttribution.ts"
import { BuilderLedger, LedgerUnavailable } from "../ports/orchestrator/BuilderLedger.ts"
import { type AcrossFeeOptions, acrossFees } from "./orchestrator/AcrossFeeSources.ts"
import * as AppBridges from "./orchestrator/Bridges.ts"
import * as AppFees from "./orchestrator/Fees.ts"
import * as AppPortfolio from "./orchestrator/Portfolio.ts"
import * as AppPrices from "./orchestrator/Prices.ts"
import type * as RouteServices from "./orchestrator/RouteServices.ts"
import { providerProbes } from "./orchestrator/Probes.ts"
import * as AppRisk from "./orchestrator/Risk.ts"
import * as Clocks from "./Clocks.ts"
import * as Notifications from "./Notifications.ts"
import * as AppScreening from "./orchestrator/Screening.ts"
import * as Redis from "./Redis.ts"
import * as Telemetry from "./Telemetry.ts"
import * as Stores from "./orchestrator/Stores.ts"
import * as Swaps from "./orchestrator/Swaps.ts"
import * as OrchestratorServer from "../server/orchestrator/OrchestratorServer.ts"
import * as ProbeServer from "../server/orchestrator/ProbeServer.ts"
import * as LoopProgress from "../runtime/LoopProgress.ts"
import * as SumReview from "../runtime/SumReview.ts"
import { ServerSettings, type ServerSettingsShape } from "../server/shared/ServerSettings.ts"

export interface BuilderBackend {
  readonly url: string
  /** Machine token of the backend. Without it nothing is booked, and messages stay in the outbox. */
  readonly token: Redacted.Redacted | undefined
  readonly attributionCacheMillis: number
}

export interface Options {
  /** Part of the service that this process runs. Default: everything. */
  readonly share?: Share
  readonly chains: ReadonlyArray<JsonRpcChains.ChainEndpoints>
  readonly databaseUrl: Redacted.Redacted
  /** The database without a proxy. Default: `databaseUrl` leads to it directly. */
  readonly databaseDirectUrl?: Redacted.Redacted | undefined
  readonly databasePoolSize: number
  /** Redis or Valkey in which replicas count requests together. Default: each counts its own. */
  readonly redisUrl?: Redacted.Redacted | undefined
  /** Keys of the lanes, in this process or outside. */
  readonly relayerKeys: Array.NonEmptyReadonlyArray<KeyReference>
  /** Key of the fee recipient, in this process or in a KMS. Without it the treasury sells nothing. */
  readonly feeRecipientKey?: KeyReference | undefined
  /** Default: every key is in this process. */
  readonly keys?: ConfiguredKey.Options
  /** Keys that encrypt the RPC endpoints that the operator chooses. Default: none can be chosen. */
  readonly secrets?: AesGcmSecretBox.Options
  readonly settings: OrchestratorSettingsShape
  readonly server: Partial<ServerSettingsShape>
  readonly host: string
  readonly port: number
  /** Time in which a stopping server still answers, but is not ready, in milliseconds. Default: 0. */
  readonly drainMillis?: number
  /** Sources of the bridge's fees. */
  readonly acrossFees: AcrossFeeOptions
  /** Bridges beside Across. Default: none. */
  readonly bridges?: AppBridges.Options
  readonly prices: AppPrices.Options["prices"]
  readonly coinGecko?: AppPrices.Options["coinGecko"]
  /** Sources of the portfolio beside the chains file. Default: none. */
  readonly discovery?: AppPortfolio.Options
  /** Services that are asked for routes beside the exchanges of the chains. Default: none. */
  readonly routeServices?: RouteServices.Options | undefined
  /** Service that knows the subscribers. Default: the request is trusted. */
  readonly subscriptions?: AppFees.Options | undefined
  /** Sources of risk that are asked about tokens, and the rules of the operator. Default: none. */
  readonly risk?: AppRisk.Options | undefined
  /** Sources of sanctions screening beside the on-chain oracle. Default: none. */
  readonly screening?: AppScreening.Options
  readonly builderBackend: BuilderBackend | undefined
  /** Client of every outside HTTP service. Default: the runtime's `fetch`. */
  readonly http?: Layer.Layer<HttpClient.HttpClient>
  /** Default: metrics are kept, and nothing is sent. */
  readonly telemetry?: Telemetry.Options | undefined
  /** Default: no alert is told. */
  readonly notifications?: Notifications.Options | undefined
}

/** Without a backend no sweep is attributed, and messages stay in the outbox until there is one. */
const unattributed = Layer.succeed(BuilderAttribution, { resolve: () => Effect.succeed(Option.none()) })
const unconfigured = () => Effect.fail(new LedgerUnavailable({ detail: "no builder backend is configured" }))
const unbooked = Layer.succeed(BuilderLedger, { book: unconfigured, bookRevenues: unconfigured, tell: unconfigured })

const builderBackend = (backend: BuilderBackend | undefined) =>
  Layer.mergeAll(
    backend === undefined
      ? unattributed
      : BuilderAttributionHttp.layer({
          builderUrl: backend.url,
          cacheLifetime: backend.attributionCacheMillis,
          ...(backend.token === undefined ? {} : { token: backend.token })
        }),
    backend?.token === undefined ? unbooked : BuilderLedgerHttp.layer({ builderUrl: backend.url, token: backend.token })
  )

const shareOf = ({ share = WHOLE }: Pick<Options, "share">): Share => share

/** Limits and endpoints of the operator, followed once for the whole process. */
const followed = Layer.merge(Limits.layer, KeptEndpoints.layer).pipe(Layer.provide(KeptOverrides.layer))

/** Adapters that use the nodes. */
const onChain = (options: Options, durable: ReturnType<typeof Stores.layer>) => {
  const prices = AppPrices.layer(options).pipe(Layer.provide(durable))
  return Layer.mergeAll(
    AppBridges.layer(
      Across.layer({
        orderLifetimeSeconds: options.settings.quoteLifetimeMillis / 1000 + options.settings.orderGraceSeconds
      }).pipe(Layer.provide([acrossFees(options.acrossFees).pipe(Layer.provide(prices)), UniswapV3.layer])),
      options.bridges
    ).pipe(Layer.provide([durable, prices])),
    AcrossRefunds.layer,
    EvmSweepSimulation.layer,
    ListAndSimulation.layer(options.settings.maxTransferFeeBps),
    // Token lists are kept fresh where portfolios are asked for.
    AppPortfolio.layer(shareOf(options).roles.has("api") ? options.discovery : undefined),
    prices,
    AppRisk.layer(options.chains, options.risk, Redis.answers(options.redisUrl)).pipe(Layer.provide(prices)),
    AppScreening.layer(options.screening).pipe(Layer.provide(durable)),
    Swaps.layer(options.chains, options.routeServices).pipe(Layer.provide(prices))
  ).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        JsonRpcChains.layer(options.chains).pipe(Layer.provide(followed.pipe(Layer.provide(durable)))),
        EvmSweepContracts.layer
      )
    )
  )
}

const keys = ({ feeRecipientKey, keys: options = ConfiguredKey.IN_PROCESS, relayerKeys }: Options) =>
  Layer.merge(
    LaneKeys.layer(Array.map(relayerKeys, (key) => ConfiguredKey.make(key, options))),
    feeRecipientKey === undefined
      ? TreasuryAccount.none
      : TreasuryAccount.layer(ConfiguredKey.make(feeRecipientKey, options))
  )

/** Adapters of a deployment for every port. */
export const adapters = (options: Options) => {
  const durable = Stores.layer({ ...options, maxInFlightUsd: options.bridges?.maxInFlightUsd })
  return Layer.mergeAll(
    HttpRpcEndpoints.layer(options.chains),
    builderBackend(options.builderBackend),
    AppFees.layer(options.subscriptions),
    onChain(options, durable),
    durable,
    NativeSignatures.layer
  ).pipe(
    Layer.provideMerge(options.secrets === undefined ? Layer.empty : AesGcmSecretBox.layer(options.secrets)),
    Layer.provideMerge(keys(options)),
    Layer.provideMerge(SecureRandom.layerWebCrypto),
    Layer.provide(options.http ?? FetchHttpClient.layer)
  )
}

/**
 * The use cases over any implementation of the ports. Relayer, watcher and outbox run while the layer lives, as far as this process has
 * their roles.
 */
export const useCases = Layer.mergeAll(
  ChainReviews.layer,
  LaneDesk.layer,
  PauseDesk.layer,
  LimitDesk.layer,
  EndpointDesk.layer,
  EndpointReview.layer,
  Layer.merge(IntentDesk.layer, StoryDesk.layer).pipe(
    Layer.provideMerge(HealthCheck.layer),
    Layer.provide(providerProbes)
  ),
  Treasury.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(Intake.layer, SweepIntake.layer, Quoter.layer, Relayer.layer).pipe(
        Layer.provide([KeptClearances.layer, WatchedAttribution.layer, WatchedPrices.layer])
      )
    )
  ),
  Portfolio.layer,
  Readiness.layer,
  RemovedSubjects.layer,
  RoleReview.layer,
  Layer.merge(Retention.layer, SumReview.layer).pipe(onlyIn("outbox")),
  TargetReviews.layer,
  TokenReviews.layer,
  Watcher.layer.pipe(Layer.provideMerge(OutboxDelivery.layer))
).pipe(Layer.provide(followed), Layer.provide(LoopProgress.layer), Layer.provideMerge(KeptOverrides.layer))

const notifications = (options: Notifications.Options) =>
  Notifications.layer(
    "orchestrator",
    options,
    Effect.flatMap(Readiness, ({ check }) => Effect.map(check, ({ unready }) => unready.length === 0))
  ).pipe(Layer.provide(Readiness.layer))

/** The routes of the process. Its use cases run also where no route uses them. */
const server = (options: Options) => {
  const { roles } = shareOf(options)
  const listening = { port: options.port, hostname: options.host, drain: options.drainMillis ?? 0 }
  return roles.has("api")
    ? OrchestratorServer.listen(listening).pipe(Layer.provide(useCases))
    : ProbeServer.listen(roles, listening).pipe(Layer.provide(useCases))
}

/** The service with its server, as far as this process runs it. */
export const layer = (options: Options) =>
  Layer.mergeAll(
    server(options),
    Telemetry.isRead(options.telemetry, options.server.metricsToken)
      ? Sampling.layer.pipe(Layer.provide(followed))
      : Layer.empty,
    (options.builderBackend === undefined ? LateMessages.layerUnconfigured : LateMessages.layer).pipe(onlyIn("outbox")),
    options.notifications === undefined ? Layer.empty : notifications(options.notifications),
    Layer.merge(Redis.review(options.redisUrl), Clocks.review())
  ).pipe(
    Layer.provide(adapters(options)),
    Layer.provide(ProviderHealth.layer),
    Layer.provide(OrchestratorSettings.layer(options.settings)),
    Layer.provide(Layer.succeed(ProcessShare, shareOf(options))),
    Layer.provide(ServerSettings.layer(options.server)),
    Layer.provide(Redis.rateLimits(options.redisUrl)),
    Layer.provide(Telemetry.layer("orchestrator", options.telemetry))
  )
