/** `./sweep orchestrator`: runs the orchestrator with the settings of the environment. */
import { Effect, Layer, Option } from "effect"
import { Command } from "effect/cli"
import * as OrchestratorApp from "../apps/OrchestratorApp.ts"
import { CommonConfig } from "../config/Common.ts"
import { OrchestratorConfig, orchestratorSettings } from "../config/Orchestrator.ts"
import { defaults as serverDefaults } from "../server/shared/ServerSettings.ts"
import { configuredChains } from "./ConfiguredChains.ts"
import { databaseUrl } from "./DatabaseUrl.ts"
import * as PrivateKeys from "./PrivateKeys.ts"

/** The app's options, from the settings of the environment. */
const options = Effect.gen(function* () {
  const common = yield* CommonConfig
  const config = yield* OrchestratorConfig
  const settings = yield* orchestratorSettings
  const relayerKeys = yield* PrivateKeys.parse(
    "RELAYER_KEYS",
    "one or more private keys, 0x followed by 64 hex digits, separated by commas",
    config.relayerKeys
  )
  const chains = yield* configuredChains
  const { orchestrator } = serverDefaults.rateLimits
  return {
    chains,
    databaseUrl: yield* databaseUrl(common.databaseUrl),
    databasePoolSize: common.databasePoolSize,
    relayerKeys,
    settings,
    server: {
      trustedProxyHops: common.trustedProxyHops,
      adminToken: Option.getOrUndefined(config.adminToken),
      rateLimits: {
        ...serverDefaults.rateLimits,
        orchestrator: { ...orchestrator, limit: config.rateLimit }
      }
    },
    host: common.host,
    port: config.port,
    acrossFees: Option.match(config.acrossFixedFeeBps, {
      onNone: () => ({ apiUrl: config.acrossApiUrl.href }),
      onSome: (fixedBps) => ({ fixedBps })
    }),
    prices: config.prices,
    ofacSnapshot: Option.getOrUndefined(config.ofacSnapshot),
    builderBackend: Option.getOrUndefined(
      Option.map(config.builderUrl, (url) => ({
        url: url.href,
        token: Option.getOrUndefined(config.builderToken),
        attributionCacheMillis: config.attributionCacheSeconds * 1000
      }))
    )
  } satisfies OrchestratorApp.Options
})

export const orchestratorCommand = Command.make("orchestrator", {}, () =>
  Effect.gen(function* () {
    const resolved = yield* options
    const listening = Effect.logInfo(`listening on http://${resolved.host}:${resolved.port}`, {
      chains: resolved.chains.map(({ chain }) => `${chain.name} (${chain.id})`).join(", ")
    })
    return yield* Layer.launch(Layer.tap(OrchestratorApp.layer(resolved), () => listening))
  }).pipe(Effect.scoped)
).pipe(
  Command.withDescription(
    "Run the orchestrator: quotes, intents, relayer and watcher. `sweep settings` lists its settings"
  )
)
