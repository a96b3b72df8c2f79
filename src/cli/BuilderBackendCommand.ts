/** `./sweep builder-backend`: runs the builder backend with the settings of the environment. */
import { Effect, Layer, Option } from "effect"
import { Command } from "effect/cli"
import type * as BuilderApp from "../apps/BuilderApp.ts"
import { builder, BuilderConfig, builderSettings } from "../config/Builder.ts"
import { chains } from "../config/Chains.ts"
import { common, CommonConfig } from "../config/Common.ts"
import * as WebBuild from "../server/web/WebBuild.ts"
import * as AlertOptions from "./AlertOptions.ts"
import { chainsFile, configuredChains } from "./ConfiguredChains.ts"
import { databaseOfPublicChains, databaseUrl } from "./DatabaseUrl.ts"
import { bunExecutable, projectRoot } from "./Project.ts"
import * as Problems from "./Problems.ts"
import { secrets } from "./SecretsOptions.ts"
import { securityContact } from "./SecurityOptions.ts"
import * as TelemetryOptions from "./TelemetryOptions.ts"
import { UsageError } from "./UsageError.ts"

/** All of the gateway's settings must be set, or none: with some of them the console would be open or closed by accident. */
const gateway = Effect.gen(function* () {
  const { gatewayAudience, gatewayHeader, gatewayIssuer, gatewayJwksUrl } = yield* BuilderConfig
  const settings = { header: gatewayHeader, jwksUrl: gatewayJwksUrl, issuer: gatewayIssuer, audience: gatewayAudience }
  const given = Object.values(settings).filter((setting) => Option.isSome<unknown>(setting)).length
  if (given === 0) return undefined
  const all = Option.all(settings)
  if (Option.isNone(all)) {
    return yield* new UsageError({
      detail: "set all of GATEWAY_HEADER, GATEWAY_JWKS_URL, GATEWAY_ISSUER and GATEWAY_AUDIENCE, or none of them"
    })
  }
  return all.value
})

/** Secrets that stand readable in a database of its own are worth a warning. */
const warnOfReadable = Effect.gen(function* () {
  const { databaseUrl } = yield* CommonConfig
  if (Option.isSome(databaseUrl) && Option.isNone(yield* common.secretsKey.config)) {
    yield* Effect.annotateLogs(Effect.logWarning("secrets.readable"), {
      advice: "set SECRETS_KEY, so that the secrets of webhooks are encrypted (docs/how-to/keep-keys-safe.md)"
    })
  }
})

/** The console reads the orchestrator only if both settings are set. */
export const operations = Effect.gen(function* () {
  const { orchestratorToken, orchestratorUrl } = yield* BuilderConfig
  const missing = [
    ...(Option.isNone(orchestratorUrl) ? [builder.orchestratorUrl.name] : []),
    ...(Option.isNone(orchestratorToken) ? [builder.orchestratorToken.name] : [])
  ]
  return Option.match(Option.all({ url: orchestratorUrl, token: orchestratorToken }), {
    onNone: () => ({ missing }),
    onSome: ({ token, url }) => ({ orchestratorUrl: url.href.replace(/\/$/, ""), token })
  })
})

/** Checks of settings that concern several of them, or files. */
export const builderChecks = [
  gateway,
  secrets,
  chainsFile,
  configuredChains,
  TelemetryOptions.headers,
  AlertOptions.notifications,
  securityContact
]

const options = Effect.gen(function* () {
  yield* Problems.check([common, chains, builder], [...builderChecks, databaseOfPublicChains])
  yield* Problems.hints
  yield* warnOfReadable
  const shared = yield* CommonConfig
  const config = yield* BuilderConfig
  const sso = yield* gateway
  return {
    chains: yield* configuredChains,
    databaseUrl: yield* databaseUrl(shared.databaseUrl),
    databaseDirectUrl: Option.getOrUndefined(shared.databaseListenUrl),
    databasePoolSize: shared.databasePoolSize,
    redisUrl: Option.getOrUndefined(shared.redisUrl),
    settings: yield* builderSettings,
    gateway: sso,
    operations: yield* operations,
    webhooksAllowPrivate: config.webhooksAllowPrivate,
    secrets: yield* secrets,
    server: {
      trustedProxyHops: shared.trustedProxyHops,
      adminToken: Option.getOrUndefined(Option.map(config.adminToken, ({ current }) => current)),
      formerAdminTokens: Option.match(config.adminToken, { onNone: () => [], onSome: ({ former }) => former }),
      metricsToken: Option.getOrUndefined(shared.metricsToken),
      securityContact: yield* securityContact
    },
    telemetry: yield* TelemetryOptions.telemetry,
    notifications: yield* AlertOptions.notifications,
    host: shared.host,
    port: config.port,
    drainMillis: shared.drainSeconds * 1000,
    webDirectory: config.serveWeb ? yield* WebBuild.ensure(projectRoot, bunExecutable) : undefined
  } satisfies BuilderApp.Options
})

export const builderBackendCommand = Command.make("builder-backend", {}, () =>
  Effect.gen(function* () {
    const resolved = yield* options
    // Imported here, so that other commands do not load the service.
    const app = yield* Effect.promise(() => import("../apps/BuilderApp.ts"))
    return yield* Layer.launch(app.layer(resolved))
  }).pipe(Effect.scoped)
).pipe(
  Command.withDescription(
    "Run the builder backend: accounts, API keys, ledger and payouts. `sweep settings` lists its settings"
  )
)
