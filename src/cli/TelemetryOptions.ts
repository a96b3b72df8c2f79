/** Telemetry of a service, from the settings of the environment. */
import { Effect, Option, Redacted } from "effect"
import type * as Telemetry from "../apps/Telemetry.ts"
import { common } from "../config/Common.ts"
import { UsageError } from "./UsageError.ts"

/** Name of an HTTP header (RFC 9110, section 5.1). */
const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/

const pairOf = (entry: string): readonly [string, string] | undefined => {
  const at = entry.indexOf("=")
  const name = entry.slice(0, at).trim()
  return at > 0 && NAME.test(name) ? [name, entry.slice(at + 1).trim()] : undefined
}

/** Headers for the collector. Fails if the setting is malformed, without naming its content. */
export const headers = Effect.flatMap(common.otlpHeaders.config, (configured) => {
  if (Option.isNone(configured)) return Effect.succeed(undefined)
  const pairs = Redacted.value(configured.value)
    .split(",")
    .filter((entry) => entry.trim() !== "")
    .map(pairOf)
  const valid = pairs.filter((pair) => pair !== undefined)
  return valid.length === pairs.length
    ? Effect.succeed(Redacted.make(Object.fromEntries(valid), { label: common.otlpHeaders.name }))
    : Effect.fail(
        new UsageError({ detail: `${common.otlpHeaders.name} is malformed. Write name=value, separated by commas` })
      )
})

export const telemetry = Effect.gen(function* () {
  const endpoint = yield* common.otlpEndpoint.config
  const sampledPercent = yield* common.tracesSampledPercent.config
  const sent = yield* headers
  if (Option.isNone(endpoint)) {
    if (sampledPercent > 0) {
      yield* Effect.logWarning("settings.traces_unsent").pipe(
        Effect.annotateLogs({ setting: common.tracesSampledPercent.name, missing: common.otlpEndpoint.name })
      )
    }
    return {}
  }
  return { otlp: { endpoint: endpoint.value.href, headers: sent, sampledPercent } } satisfies Telemetry.Options
})
