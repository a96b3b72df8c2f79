/** Every secret that the settings and the chains file hold, so that no output can contain one. */
import { Config, Effect, Option } from "effect"
import * as ChainsFile from "../../adapters/evm/chains/ChainsFile.ts"
import { chains } from "../../config/Chains.ts"
import { documented } from "../../config/Settings.ts"
import { secretsOfUrl } from "../../domain/doctor/Scrub.ts"

/** Text of a setting as it stands in the environment. Empty if it is not set. */
export const rawText = (name: string) =>
  Effect.map(
    Effect.orElseSucceed(Config.option(Config.String(name)), () => Option.none<string>()),
    Option.getOrElse(() => "")
  )

/** Tokens and keys that a text holds: lists are separated by commas, and a date follows an `@`. */
const partsOf = (text: string): ReadonlyArray<string> => {
  // The host of a database is no secret.
  if (URL.canParse(text) && text.includes("://")) return secretsOfUrl(text)
  const entries = text.split(",").map((entry) => entry.trim())
  return [text, ...entries, ...entries.map((entry) => entry.replace(/@[^@]*$/, ""))]
}

const ofSettings = Effect.map(
  Effect.forEach(
    documented.flatMap(({ settings }) => settings.filter(({ secret }) => secret)),
    ({ name }) => rawText(name)
  ),
  (texts) => texts.flatMap(partsOf)
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
