/** The deployment of the environment, as the checks see it. Everything is read once, when a check first needs it. */
import { Effect, Layer, Option, Result } from "effect"
import { chainOf } from "../../adapters/evm/chains/ChainSettings.ts"
import * as ChainsFile from "../../adapters/evm/chains/ChainsFile.ts"
import * as JsonRpcChains from "../../adapters/evm/chains/Chains.ts"
import * as ConfiguredKey from "../../adapters/signers/ConfiguredKey.ts"
import * as Database from "../../adapters/sql/shared/Database.ts"
import { builder } from "../../config/Builder.ts"
import { ChainsConfig } from "../../config/Chains.ts"
import { common } from "../../config/Common.ts"
import { orchestrator } from "../../config/Orchestrator.ts"
import type * as Address from "../../domain/Address.ts"
import type { KeyReference } from "../../domain/KeyReference.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import * as Keys from "../Keys.ts"
import { feeRecipientKey, relayerKeys } from "../OrchestratorCommand.ts"
import { sentence } from "../Problems.ts"
import { UsageError } from "../UsageError.ts"
import type { Deployment, NamedKey, Service, Unknown } from "./Check.ts"
import { rawText } from "./Secrets.ts"

const toUnknown = (error: { readonly message: string }): Unknown => ({ message: sentence(error) })

/** The chains of the chains file, each with a client. */
export const served = Effect.gen(function* () {
  const { chainsFile, domainName } = yield* ChainsConfig
  const entries = yield* ChainsFile.read(chainsFile)
  const layer = JsonRpcChains.layer(
    entries.map((entry) => ({
      chain: chainOf(entry, domainName),
      rpcUrls: entry.rpcUrls,
      broadcastUrls: entry.broadcastUrls
    }))
  )
  const chains = yield* Effect.provide(Chains, yield* Layer.build(layer))
  return yield* Effect.forEach(entries, (entry) =>
    Effect.map(chains.get(entry.id), (client) => ({ entry, domainName, client }))
  )
})

/** Opens a key. One that cannot be used spoils no other. */
const named = Effect.fnUntraced(function* (subject: string, reference: KeyReference, options: ConfiguredKey.Options) {
  const opened = yield* Effect.result(ConfiguredKey.make(reference, options))
  return { subject, account: Result.mapBoth(opened, { onFailure: toUnknown, onSuccess: ({ address }) => address }) }
})

const lanes = Effect.gen(function* () {
  const options = yield* Keys.options
  const { name } = orchestrator.relayerKeys
  const references = yield* relayerKeys
  const keys: ReadonlyArray<NamedKey> = yield* Effect.forEach(
    references,
    (key, index) => named(references.length === 1 ? name : `${name} key ${index + 1}`, key, options),
    { concurrency: 4 }
  )
  return keys
})

const treasuryKey = Effect.gen(function* () {
  const key = yield* feeRecipientKey
  if (key === undefined) return Option.none<NamedKey>()
  const { feeRecipientKey: setting, feeRecipientKmsKey: inKms } = orchestrator
  const { name } = Option.isSome(yield* inKms.config) ? inKms : setting
  return Option.some<NamedKey>(yield* named(name, key, yield* Keys.options))
})

const withDatabase: Deployment["withDatabase"] = (use) =>
  Effect.gen(function* () {
    const url = yield* common.databaseUrl.config
    if (Option.isNone(url)) return yield* new UsageError({ detail: "DATABASE_URL is not set" })
    const directUrl = Option.getOrUndefined(yield* common.databaseListenUrl.config)
    return yield* Effect.provide(use, Database.layer({ url: url.value, directUrl, poolSize: 2 }))
  }).pipe(Effect.mapError(toUnknown))

export const make = Effect.fnUntraced(function* (
  services: ReadonlyArray<Service>,
  listed: Option.Option<Address.Address>
) {
  const context = yield* Effect.context<Effect.Services<typeof served> | Effect.Services<typeof lanes>>()
  return {
    services,
    listed,
    served: yield* Effect.cached(served.pipe(Effect.mapError(toUnknown), Effect.provideContext(context))),
    lanes: yield* Effect.cached(lanes.pipe(Effect.mapError(toUnknown), Effect.provideContext(context))),
    feeRecipientKey: yield* Effect.cached(treasuryKey.pipe(Effect.mapError(toUnknown), Effect.provideContext(context))),
    withDatabase
  } satisfies Deployment
})

/** True also for a value that cannot be read. */
const isSet = ({ name }: { readonly name: string }) => Effect.map(rawText(name), (text) => text.trim() !== "")

/** The services whose own settings are there. The orchestrator without any, since it is the first to be set up. */
export const servicesBySettings = Effect.gen(function* () {
  const [hasKeys, hasToken, hasDashboard, hasOrchestratorToken] = yield* Effect.all([
    isSet(orchestrator.relayerKeys),
    isSet(builder.adminToken),
    isSet(builder.dashboardOrigins),
    isSet(builder.orchestratorToken)
  ])
  const hasBuilder = hasToken || hasDashboard || hasOrchestratorToken
  const services: ReadonlyArray<Service> = [
    ...(hasKeys || !hasBuilder ? (["orchestrator"] as const) : []),
    ...(hasBuilder ? (["builder-backend"] as const) : [])
  ]
  return services
})
