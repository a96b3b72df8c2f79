/** Every secret that the settings and the chains file hold, so that no output can contain one. */
import { Effect, Option, Redacted } from "effect"
import * as ChainsFile from "../../adapters/evm/chains/ChainsFile.ts"
import { builder } from "../../config/Builder.ts"
import { chains } from "../../config/Chains.ts"
import { common } from "../../config/Common.ts"
import { orchestrator } from "../../config/Orchestrator.ts"
import type { Setting } from "../../config/Setting.ts"
import { secretsOfUrl } from "../../domain/doctor/Scrub.ts"

const textsOf = (value: unknown): ReadonlyArray<string> => {
  if (Option.isOption(value)) return Option.isSome(value) ? textsOf(value.value) : []
  if (Array.isArray(value)) return value.flatMap(textsOf)
  if (!Redacted.isRedacted(value)) return []
  const text = String(Redacted.value(value))
  // The host of a database or of an endpoint is no secret.
  return URL.canParse(text) && text.includes("://") ? secretsOfUrl(text) : [text]
}

const ofSettings = Effect.map(
  Effect.forEach(
    [common, orchestrator, builder].flatMap((group) => Object.values<Setting<unknown>>(group)),
    ({ config, secret }) => (secret ? Effect.orElseSucceed(config, () => undefined) : Effect.succeed(undefined))
  ),
  (values) => values.flatMap(textsOf)
)

const ofChainsFile = Effect.gen(function* () {
  const entries = yield* ChainsFile.read(yield* chains.chainsFile.config)
  return entries.flatMap(({ broadcastUrls = [], privateUrls = [], rpcUrls, wsUrl }) =>
    [
      ...[...rpcUrls, ...broadcastUrls, ...privateUrls].map((each) => (typeof each === "string" ? each : each.url)),
      ...(wsUrl === undefined ? [] : [wsUrl])
    ].flatMap(secretsOfUrl)
  )
}).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))

export const secrets = Effect.map(Effect.all([ofSettings, ofChainsFile]), (all) => all.flat())
