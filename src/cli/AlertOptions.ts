/** Destinations of alerts, from the settings of the environment. */
import { Effect, Option, Redacted } from "effect"
import type { Destination, Target } from "../adapters/http/AlertDestinationsHttp.ts"
import type * as Notifications from "../apps/Notifications.ts"
import { alerts } from "../config/Alerts.ts"
import type { Setting } from "../config/Setting.ts"
import type { DestinationName } from "../ports/shared/AlertDestinations.ts"
import { UsageError } from "./UsageError.ts"

type SecretSetting = Setting<Option.Option<Redacted.Redacted>>

const isHttp = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && (url.protocol === "https:" || url.protocol === "http:")
}

/** A URL that is secret, since it authorizes. Messages never contain it. */
const secretUrl = Effect.fnUntraced(function* ({ config, name }: SecretSetting) {
  const url = yield* config
  if (Option.isSome(url) && !isHttp(Redacted.value(url.value))) {
    return yield* new UsageError({ detail: `${name} is not a URL. Set it to one that begins with https://` })
  }
  return url
})

/** Sizes of a secret in bytes that Standard Webhooks allows. */
const SECRET_BYTES = { from: 24, to: 64 }

const isWebhookSecret = (text: string): boolean => {
  const digits = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1]
  if (digits === undefined || digits.length % 4 !== 0) return false
  const { length } = Buffer.from(digits, "base64")
  return length >= SECRET_BYTES.from && length <= SECRET_BYTES.to
}

const webhookSecret = Effect.gen(function* () {
  const { config, name } = alerts.alertWebhookSecret
  const secret = yield* config
  const advice = "Set it to whsec_ and the output of `openssl rand -base64 32`"
  if (Option.isNone(secret)) return yield* new UsageError({ detail: `${name} is not set. ${advice}` })
  if (isWebhookSecret(Redacted.value(secret.value))) return secret.value
  return yield* new UsageError({ detail: `${name} is not valid. ${advice}` })
})

const webhook = (setting: SecretSetting) =>
  Effect.flatMap(secretUrl(setting), (url) =>
    Option.isNone(url)
      ? Effect.succeed(undefined)
      : Effect.map(webhookSecret, (secret): Target => ({ kind: "webhook", url: url.value, secret }))
  )

const slack = (setting: SecretSetting) =>
  Effect.map(secretUrl(setting), (url): Target | undefined =>
    Option.isNone(url) ? undefined : { kind: "slack", url: url.value }
  )

const pagerDuty = Effect.fnUntraced(function* ({ config }: SecretSetting) {
  const key = yield* config
  const { config: base, name } = alerts.alertPagerDutyUrl
  const url = yield* base
  if (!isHttp(url)) {
    return yield* new UsageError({ detail: `${name} is ${url}. Set it to a URL that begins with https://` })
  }
  const target: Target | undefined = Option.isNone(key) ? undefined : { kind: "pagerduty", url, routingKey: key.value }
  return target
})

/** Every configured destination. Fails if a setting is wrong. */
export const destinations = Effect.gen(function* () {
  const all: ReadonlyArray<readonly [DestinationName, Target | undefined]> = [
    ["webhook", yield* webhook(alerts.alertWebhookUrl)],
    ["slack", yield* slack(alerts.alertSlackUrl)],
    ["pagerduty", yield* pagerDuty(alerts.alertPagerDutyKey)],
    ["escalation_webhook", yield* webhook(alerts.alertEscalationWebhookUrl)],
    ["escalation_slack", yield* slack(alerts.alertEscalationSlackUrl)],
    ["escalation_pagerduty", yield* pagerDuty(alerts.alertEscalationPagerDutyKey)]
  ]
  return all.flatMap(([name, target]): ReadonlyArray<Destination> =>
    target === undefined ? [] : [{ name, isEscalation: name.startsWith("escalation_"), target }]
  )
})

const MINUTE_MILLIS = 60_000

export const notifications = Effect.gen(function* () {
  return {
    destinations: yield* destinations,
    heartbeatUrl: Option.getOrUndefined(yield* secretUrl(alerts.heartbeatUrl)),
    source: yield* alerts.alertSource.config,
    repeatMillis: (yield* alerts.alertRepeatMinutes.config) * MINUTE_MILLIS,
    escalationMillis: (yield* alerts.alertEscalationMinutes.config) * MINUTE_MILLIS
  } satisfies Notifications.Options
})
