/**
 * Webhooks by Standard Webhooks (standardwebhooks.com): messages, signatures, retries, and when an endpoint is
 * disabled.
 */
import { Redacted, Schema } from "effect"
import { SweepEvent, SweepStatus } from "./SweepEvent.ts"

export const typeOf = (status: SweepStatus): `sweep.${SweepStatus}` => `sweep.${status}`

/** Event types that an endpoint can subscribe to: one for each status. */
export const WebhookEventType = Schema.Literals(SweepStatus.literals.map(typeOf)).annotate({
  identifier: "WebhookEventType"
})
export type WebhookEventType = typeof WebhookEventType.Type

/** Types of messages. `webhook.test` is sent at the request of the endpoint's owner. */
export const WebhookMessageType = Schema.Literals([...WebhookEventType.literals, "webhook.test"]).annotate({
  identifier: "WebhookMessageType"
})
export type WebhookMessageType = typeof WebhookMessageType.Type

/** True if an endpoint wants a message of the type. An endpoint without types wants all; a test is always wanted. */
export const isWanted = (events: ReadonlyArray<WebhookEventType>, type: WebhookMessageType): boolean =>
  type === "webhook.test" || events.length === 0 || events.includes(type)

/** A message as it is stored until it is delivered: the same bytes for every attempt. */
export interface WebhookMessage {
  /** The `webhook-id` header. Equal for every delivery of the event, so that receivers detect repetitions. */
  readonly id: string
  readonly type: WebhookMessageType
  readonly payload: string
}

const payloadOf = (type: WebhookMessageType, atMs: number, data: unknown): string =>
  JSON.stringify({ type, timestamp: new Date(atMs).toISOString(), data })

const encodeEvent = Schema.encodeSync(SweepEvent)

/** Message about an event. Amounts are decimal strings. */
export const eventMessage = (event: SweepEvent): WebhookMessage => {
  const type = typeOf(event.status)
  return { id: event.id, type, payload: payloadOf(type, event.occurredAtMs, encodeEvent(event)) }
}

export const testMessage = (id: string, webhookId: string, atMs: number): WebhookMessage => ({
  id,
  type: "webhook.test",
  payload: payloadOf("webhook.test", atMs, { webhookId })
})

/** Number of random bytes of a secret. The standard requires 24 to 64. */
export const SECRET_BYTES = 32

const SECRET_PREFIX = "whsec_"

export const secretOf = (random: Uint8Array): Redacted.Redacted =>
  Redacted.make(`${SECRET_PREFIX}${random.toBase64()}`, { label: "webhook secret" })

/** HMAC key of a secret. */
export const keyOf = (secret: Redacted.Redacted): Uint8Array<ArrayBuffer> =>
  Uint8Array.fromBase64(Redacted.value(secret).slice(SECRET_PREFIX.length))

/** Signed bytes: id, UNIX time in whole seconds, and the body as it is sent. */
export const signedContent = (id: string, timestampSeconds: number, payload: string): Uint8Array =>
  new TextEncoder().encode(`${id}.${timestampSeconds}.${payload}`)

/** Period in which a replaced secret signs beside the new one, so that receivers can change over. */
export const ROTATION_MILLIS = 24 * 3_600_000

/** Maximum number of endpoints of one builder. */
export const MAX_ENDPOINTS = 10

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Delays in milliseconds between attempts: the schedule of the standard, about three days in all. */
export const RETRY_MILLIS: ReadonlyArray<number> = [
  5_000,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR
]

/** Maximum random share that is added to a delay, so that deliveries that failed together are not retried together. */
const JITTER = 0.1

/** Outcome of an attempt. Without `statusCode` there was no response. */
export interface AttemptOutcome {
  readonly statusCode?: number
}

/** Next step of a delivery after an attempt. */
export type NextStep =
  | { readonly _tag: "Delivered" }
  | { readonly _tag: "Retry"; readonly atMs: number }
  | { readonly _tag: "GivenUp" }

export const isAccepted = ({ statusCode }: AttemptOutcome): boolean =>
  statusCode !== undefined && statusCode >= 200 && statusCode < 300

/** 410: the receiver wants no further messages. */
export const isGone = ({ statusCode }: AttemptOutcome): boolean => statusCode === 410

/** Next step after an attempt. `failures`: failed attempts before this one. `random`: 0 to 1. */
export const nextStep = (outcome: AttemptOutcome, failures: number, nowMs: number, random: number): NextStep => {
  if (isAccepted(outcome)) return { _tag: "Delivered" }
  const delay = RETRY_MILLIS[failures]
  return delay === undefined || isGone(outcome)
    ? { _tag: "GivenUp" }
    : { _tag: "Retry", atMs: nowMs + Math.round(delay * (1 + JITTER * random)) }
}

/** Failures of an endpoint since its last success. Absent if there are none. */
export interface Failing {
  readonly sinceMs: number
  readonly lastMs: number
}

/**
 * Reason why an endpoint is disabled. `paused`: by its owner. `gone`: it responded 410. `failing`: for {@link
 * FAILING_MILLIS}.
 */
export const DisabledReason = Schema.Literals(["paused", "gone", "failing"]).annotate({ identifier: "DisabledReason" })
export type DisabledReason = typeof DisabledReason.Type

/** Duration of uninterrupted failures after which an endpoint is disabled. */
export const FAILING_MILLIS = 5 * 24 * HOUR

/** Longer than every delay between attempts. After such a gap, earlier failures no longer count. */
const SILENCE_MILLIS = 2 * 24 * HOUR

export interface EndpointHealth {
  readonly failing?: Failing
  readonly disable?: "gone" | "failing"
}

/** Health of an endpoint after an attempt. */
export const health = (before: Failing | undefined, outcome: AttemptOutcome, nowMs: number): EndpointHealth => {
  if (isAccepted(outcome)) return {}
  const sinceMs = before === undefined || nowMs - before.lastMs > SILENCE_MILLIS ? nowMs : before.sinceMs
  const failing = { sinceMs, lastMs: nowMs }
  if (isGone(outcome)) return { failing, disable: "gone" }
  return nowMs - sinceMs >= FAILING_MILLIS ? { failing, disable: "failing" } : { failing }
}

/** Maximum number of concurrent attempts for an endpoint that fails. */
export const PER_FAILING_ENDPOINT = 1

/**
 * Wait of a message to an endpoint that fails, since its last attempt or since the message is due, after which the message no longer stands
 * behind those to healthy endpoints. Without it, healthy but slow endpoints could keep the service from trying an endpoint that recovered.
 */
export const FAILING_WAIT_MILLIS = 60_000

/** Deliveries of a page of the log. The receiver chooses the responses in it, so a longer page could take megabytes. */
export const DELIVERIES_LISTED = 50

const DAY = 24 * HOUR

/** Maximum number of test messages that an endpoint is sent in {@link TESTS_MILLIS}. */
export const MAX_TESTS = 50

export const TESTS_MILLIS = DAY

/**
 * Text of a receiver without control characters, other than tabs and ends of lines. Each takes six bytes in JSON. A control character becomes
 * U+FFFD.
 */
export const printable = (text: string): string => text.replace(/(?![\t\n\r])\p{Cc}/gu, "\uFFFD")

/** Maximum length of a URL. The standard sets none; a longer one is a mistake. */
export const MAX_URL_LENGTH = 2_048

/**
 * Reason why a URL cannot be an endpoint, by its text alone; undefined if it can. The addresses of its host are checked
 * elsewhere.
 */
export const urlProblem = (text: string, allowPrivate: boolean): string | undefined => {
  if (text.length > MAX_URL_LENGTH) return `expected a URL of at most ${MAX_URL_LENGTH} characters`
  const url = URL.parse(text)
  if (url === null) return "expected a URL"
  if (url.protocol !== "https:" && !(allowPrivate && url.protocol === "http:")) return "expected an https URL"
  if (url.username !== "" || url.password !== "") return "expected a URL without credentials"
  if (url.hash !== "") return "expected a URL without a fragment"
  return undefined
}
