/** `./sweep orchestrator`: the service itself, as the environment configures it. */
import { Array, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Command } from "effect/cli"
import * as OrchestratorApp from "../apps/OrchestratorApp.ts"
import { CommonConfig, OrchestratorConfig, orchestratorSettings } from "../config.ts"
import { Hash } from "../domain/Hex.ts"
import { defaults as serverDefaults } from "../server/shared/ServerSettings.ts"
import { configuredChains } from "./ConfiguredChains.ts"
import { databaseUrl } from "./DatabaseUrl.ts"
import { UsageError } from "./UsageError.ts"

const isPrivateKey = Schema.is(Hash)

const relayerKeys = Effect.fnUntraced(function* (configured: ReadonlyArray<Redacted.Redacted>) {
  const keys = configured.flatMap((key) => {
    const text = Redacted.value(key)
    return isPrivateKey(text) ? [Redacted.make(text, { label: "RELAYER_KEYS" })] : []
  })
  if (keys.length !== configured.length || !Array.isReadonlyArrayNonEmpty(keys)) {
    return yield* new UsageError({
      detail: "RELAYER_KEYS must be one or more private keys, 0x followed by 64 hex digits, separated by commas"
    })
  }
  return keys
})

/** What the environment says, as the app takes it. */
const options = Effect.gen(function* () {
  const common = yield* CommonConfig
  const config = yield* OrchestratorConfig
  const settings = yield* orchestratorSettings
  const { orchestrator } = serverDefaults.rateLimits
  return {
    chains: yield* configuredChains,
    databaseUrl: yield* databaseUrl(common.databaseUrl),
    databasePoolSize: common.databasePoolSize,
    relayerKeys: yield* relayerKeys(config.relayerKeys),
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
    yield* Effect.logInfo(`listening on http://${resolved.host}:${resolved.port}`, {
      chains: resolved.chains.map(({ chain }) => `${chain.name} (${chain.id})`).join(", ")
    })
    return yield* Layer.launch(OrchestratorApp.layer(resolved))
  }).pipe(Effect.scoped)
).pipe(Command.withDescription("Run the orchestrator: quotes, intents, relayer and watcher"))
