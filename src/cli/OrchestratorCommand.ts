/** `./sweep orchestrator`: runs the orchestrator with the settings of the environment. */
import { Effect, Layer, Option } from "effect"
import { Command } from "effect/cli"
import type * as OrchestratorApp from "../apps/OrchestratorApp.ts"
import { chains } from "../config/Chains.ts"
import { common, CommonConfig } from "../config/Common.ts"
import { orchestrator, OrchestratorConfig, orchestratorSettings } from "../config/Orchestrator.ts"
import { KNOWN_CHAINS } from "../catalog/KnownChains.ts"
import { defaults as serverDefaults } from "../server/shared/ServerSettings.ts"
import * as AlertOptions from "./AlertOptions.ts"
import * as AssetHints from "./AssetHints.ts"
import { bridgeOptions } from "./BridgeOptions.ts"
import { chainsFile, configuredChains } from "./ConfiguredChains.ts"
import { databaseOfPublicChains, databaseUrl } from "./DatabaseUrl.ts"
import { feeRules } from "./FeePolicyFile.ts"
import * as DiscoveryOptions from "./DiscoveryOptions.ts"
import * as Keys from "./Keys.ts"
import { orderLifetime, quotesKept } from "./LifetimeOptions.ts"
import { priceSources } from "./PriceOptions.ts"
import * as Problems from "./Problems.ts"
import { routeServices } from "./RouteServiceOptions.ts"
import * as NamedChains from "./NamedChains.ts"
import * as ProcessShareFlags from "./ProcessShareFlags.ts"
import * as RiskOptions from "./RiskOptions.ts"
import * as ScreeningOptions from "./ScreeningOptions.ts"
import { secrets } from "./SecretsOptions.ts"
import { securityContact } from "./SecurityOptions.ts"
import * as TelemetryOptions from "./TelemetryOptions.ts"
import { UsageError } from "./UsageError.ts"

/** Keys of the lanes. */
export const relayerKeys = Effect.flatMap(orchestrator.relayerKeys.config, (configured) =>
  Keys.parse(
    orchestrator.relayerKeys.name,
    "one or more private keys or places of keys (see docs/how-to/keep-keys-safe.md), separated by commas",
    configured
  )
)

/** Key of the fee recipient, if one is set. */
export const feeRecipientKey = Effect.gen(function* () {
  const { feeRecipientKey: named, feeRecipientKmsKey: inKms } = orchestrator
  const configured = yield* named.config
  const key = yield* inKms.config
  if (Option.isSome(configured) && Option.isSome(key)) {
    return yield* new UsageError({ detail: `${named.name} and ${inKms.name} are both set. Set only one of them` })
  }
  if (Option.isSome(key)) return { kind: "kms", key: key.value } as const
  if (Option.isNone(configured)) return undefined
  const reference = yield* Keys.parseOne(named.name, "the key of the fee recipient", configured)
  return yield* Keys.ofFeeRecipient(named.name, reference)
})

/** Checks of settings that concern several of them, or files. */
export const orchestratorChecks = [
  relayerKeys,
  feeRecipientKey,
  chainsFile,
  configuredChains,
  NamedChains.oneAssetPerChain,
  feeRules,
  RiskOptions.tokenRules,
  routeServices,
  TelemetryOptions.headers,
  AlertOptions.notifications,
  secrets,
  securityContact,
  orderLifetime,
  quotesKept,
  priceSources
]

/** The app's options, from the settings of the environment. */
const options = Effect.gen(function* () {
  yield* Problems.check([common, chains, orchestrator], [...orchestratorChecks, databaseOfPublicChains])
  yield* Problems.hints
  yield* NamedChains.hints
  const shared = yield* CommonConfig
  const config = yield* OrchestratorConfig
  const settings = { ...(yield* orchestratorSettings), feeRules: yield* feeRules }
  const served = yield* configuredChains
  const lanes = yield* relayerKeys
  const feeRecipient = yield* feeRecipientKey
  const isPublic = served.some(({ chain }) => chain.id in KNOWN_CHAINS)
  yield* Keys.warnOfRaw(orchestrator.relayerKeys.name, lanes, isPublic)
  if (feeRecipient !== undefined) yield* Keys.warnOfRaw(orchestrator.feeRecipientKey.name, [feeRecipient], isPublic)
  yield* AssetHints.hints(served.map(({ chain }) => chain))
  return {
    chains: served,
    databaseUrl: yield* databaseUrl(shared.databaseUrl),
    databaseDirectUrl: Option.getOrUndefined(shared.databaseListenUrl),
    databasePoolSize: shared.databasePoolSize,
    redisUrl: Option.getOrUndefined(shared.redisUrl),
    relayerKeys: lanes,
    feeRecipientKey: feeRecipient,
    keys: yield* Keys.options,
    secrets: yield* secrets,
    settings,
    server: {
      trustedProxyHops: shared.trustedProxyHops,
      adminToken: Option.getOrUndefined(Option.map(config.adminToken, ({ current }) => current)),
      formerAdminTokens: Option.match(config.adminToken, { onNone: () => [], onSome: ({ former }) => former }),
      metricsToken: Option.getOrUndefined(shared.metricsToken),
      securityContact: yield* securityContact,
      rateLimits: {
        ...serverDefaults.rateLimits,
        orchestrator: { ...serverDefaults.rateLimits.orchestrator, limit: config.rateLimit }
      }
    },
    telemetry: yield* TelemetryOptions.telemetry,
    notifications: yield* AlertOptions.notifications,
    host: shared.host,
    port: config.port,
    drainMillis: shared.drainSeconds * 1000,
    acrossFees: Option.match(config.acrossFixedFeeBps, {
      onNone: () => ({
        apiUrl: config.acrossApiUrl.href,
        keyed: Option.getOrUndefined(
          Option.map(config.acrossApiKey, (apiKey) => ({ apiUrl: config.acrossV1ApiUrl.href, apiKey }))
        ),
        fallbackBps: Option.getOrUndefined(config.acrossOnchainFeeBps)
      }),
      onSome: (fixedBps) => ({ fixedBps })
    }),
    bridges: yield* bridgeOptions,
    prices: config.prices,
    coinGecko: DiscoveryOptions.coinGecko(config),
    discovery: DiscoveryOptions.discovery(config),
    routeServices: yield* routeServices,
    subscriptions: Option.getOrUndefined(
      Option.map(config.subscriptionsUrl, ({ href: url }) => ({
        url,
        token: Option.getOrUndefined(config.subscriptionsToken),
        cacheLifetime: config.subscriptionsCacheSeconds * 1000
      }))
    ),
    risk: RiskOptions.fromSettings(config, yield* RiskOptions.tokenRules),
    screening: ScreeningOptions.fromSettings(config),
    builderBackend: Option.getOrUndefined(
      Option.map(config.builderUrl, (url) => ({
        url: url.href,
        token: Option.getOrUndefined(config.builderToken),
        attributionCacheMillis: config.attributionCacheSeconds * 1000
      }))
    )
  } satisfies OrchestratorApp.Options
})

export const orchestratorCommand = Command.make("orchestrator", ProcessShareFlags.flags, (wanted) =>
  Effect.gen(function* () {
    const resolved = yield* options
    const share = yield* ProcessShareFlags.read(
      wanted,
      resolved.chains.map(({ chain }) => chain.id)
    )
    // Imported here, so that other commands do not load the service.
    const app = yield* Effect.promise(() => import("../apps/OrchestratorApp.ts"))
    const listening = Effect.logInfo(`listening on http://${resolved.host}:${resolved.port}`, {
      chains: resolved.chains.map(({ chain }) => `${chain.name} (${chain.id})`).join(", "),
      roles: [...share.roles].join(", "),
      ...(share.chains === undefined ? {} : { worksOn: [...share.chains].join(", ") })
    })
    return yield* Layer.launch(Layer.tap(app.layer({ ...resolved, share }), () => listening))
  }).pipe(Effect.scoped)
).pipe(
  Command.withDescription(
    "Run the orchestrator: quotes, intents, relayer and watcher, or some of these roles. `sweep settings` lists its settings"
  ),
  Command.withExamples([
    { command: "sweep orchestrator", description: "Run everything" },
    { command: "sweep orchestrator --roles api", description: "Answer requests, and send nothing" },
    {
      command: "sweep orchestrator --roles relay,watch --chains 8453",
      description: "Send and follow sweeps of one chain"
    }
  ])
)
