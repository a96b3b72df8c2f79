/** Reports all problems of a command's settings in one message, so that an operator corrects them in one go. */
import { Config, ConfigProvider, Effect, Option, Result, Schema } from "effect"
import { HttpServerError } from "effect/http"
import { documented } from "../config/Settings.ts"
import type { Setting } from "../config/Setting.ts"
import { nearest } from "../domain/Nearest.ts"
import * as SchemaMessages from "../server/shared/SchemaMessages.ts"

/** The message of an error for people. A setting is named but its value never printed, because it may be a secret. */
export const sentence = (error: { readonly message: string }): string => {
  if (error instanceof HttpServerError.ServeError) {
    return "cannot listen: the name in HOST does not resolve. Set HOST to an address of this machine"
  }
  if (!(error instanceof Config.ConfigError)) return error.message
  return error.cause._tag === "SchemaError" ? SchemaMessages.format(error.cause.issue, "settings") : error.cause.message
}

/** Settings are missing or wrong. */
export class WrongSettings extends Schema.TaggedError<WrongSettings>()("WrongSettings", {
  problems: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return this.problems.length === 1
      ? this.problems.join()
      : [`${this.problems.length} settings are missing or wrong:`, ...this.problems].join("\n  ")
  }
}

type Group = Readonly<Record<string, Setting<unknown>>>

/**
 * Fails with every problem of the groups' settings and of further checks. Reading them one after another would report only the
 * first.
 */
export const check = Effect.fnUntraced(function* <E extends { readonly message: string } = never, R = never>(
  groups: ReadonlyArray<Group>,
  further: ReadonlyArray<Effect.Effect<unknown, E, R>> = []
) {
  const settings = groups.flatMap((group) => Object.values(group).map(({ config }) => config))
  const found = [
    ...failures(yield* Effect.forEach(settings, (config) => Effect.result(config))),
    ...failures(yield* Effect.forEach(further, (each) => Effect.result(each)))
  ]
  // A check reads settings that were reported already.
  const problems = [...new Set(found)]
  if (problems.length > 0) return yield* new WrongSettings({ problems })
})

const failures = (
  results: ReadonlyArray<Result.Result<unknown, { readonly message: string }>>
): ReadonlyArray<string> => results.flatMap((result) => (Result.isFailure(result) ? [sentence(result.failure)] : []))

/** Shorter names resemble too many others. */
const MIN_LENGTH = 8

/** Names of the environment's variables below a path. */
const variables = (
  provider: ConfigProvider.ConfigProvider,
  path: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const node = yield* Effect.orElseSucceed(provider.load([...path]), () => undefined)
    if (node === undefined) return []
    const own = node.value === undefined || path.length === 0 ? [] : [path.join("_")]
    const keys = node._tag === "Record" ? [...node.keys] : []
    const below = yield* Effect.forEach(keys, (key) => variables(provider, [...path, key]))
    return [...own, ...below.flat()]
  })

/** Variables that are no setting but resemble one that is not set, such as `RELAYER_KEY`. Values are not read. */
export const misspelt = Effect.fnUntraced(function* (provider: ConfigProvider.ConfigProvider) {
  const names = yield* variables(provider, [])
  const settings = documented
    .flatMap((group) => group.settings.map(({ name }) => name))
    .filter((name) => name.length >= MIN_LENGTH)
  return names.flatMap((name) => {
    if (settings.includes(name) || name.length < MIN_LENGTH) return []
    const meant = nearest(name, settings)
    return Option.isSome(meant) && !names.includes(meant.value) ? [{ name, meant: meant.value }] : []
  })
})

/** Logs a warning for each of {@link misspelt}. */
export const hints = Effect.gen(function* () {
  for (const found of yield* misspelt(yield* ConfigProvider.ConfigProvider)) {
    yield* Effect.annotateLogs(Effect.logWarning("settings.unknown"), found)
  }
})
