/**
 * Webhooks in the form of Standard Webhooks (standardwebhooks.com): what a message says, what is signed of it, when it is
 * tried again, and when an endpoint is given up.
 */
import { Redacted, Schema } from "effect"
import { SweepEvent, SweepStatus } from "./SweepEvent.ts"

export const typeOf = (status: SweepStatus): `sweep.${SweepStatus}` => `sweep.${status}`

/** Event types that an endpoint can subscribe to: one for each status. */
export const WebhookEventType = Schema.Literals(SweepStatus.literals.map(typeOf)).annotate({
  identifier: "WebhookEventType"
})
export type WebhookEventType = typeof WebhookEventType.Type

/** What a message can be: `webhook.test` comes when its owner asks for it. */
export const WebhookMessageType = Schema.Literals([...WebhookEventType.literals, "webhook.test"]).annotate({
  identifier: "WebhookMessageType"
})
export type WebhookMessageType = typeof WebhookMessageType.Type

/** Whether an endpoint wants a message; one that names no types wants all. A test was asked for. */
export const isWanted = (events: ReadonlyArray<WebhookEventType>, type: WebhookMessageType): boolean =>
  type === "webhook.test" || events.length === 0 || events.includes(type)

/** A message as it is kept until it is delivered: the same bytes each time. */
export interface WebhookMessage {
  /** The `webhook-id` header: the same whenever this event is sent, so that its receiver can tell. */
  readonly id: string
  readonly type: WebhookMessageType
  readonly payload: string
}

const payloadOf = (type: WebhookMessageType, atMs: number, data: unknown): string =>
  JSON.stringify({ type, timestamp: new Date(atMs).toISOString(), data })

const encodeEvent = Schema.encodeSync(SweepEvent)

/** What is sent of an event; amounts are decimal strings. */
export const eventMessage = (event: SweepEvent): WebhookMessage => {
  const type = typeOf(event.status)
  return { id: event.id, type, payload: payloadOf(type, event.occurredAtMs, encodeEvent(event)) }
}

export const testMessage = (id: string, webhookId: string, atMs: number): WebhookMessage => ({
  id,
  type: "webhook.test",
  payload: payloadOf("webhook.test", atMs, { webhookId })
})

/** Random bytes of a secret; the standard asks for 24 to 64. */
export const SECRET_BYTES = 32

const SECRET_PREFIX = "whsec_"

export const secretOf = (random: Uint8Array): Redacted.Redacted =>
  Redacted.make(`${SECRET_PREFIX}${random.toBase64()}`, { label: "webhook secret" })

/** The key of a secret's signatures. */
export const keyOf = (secret: Redacted.Redacted): Uint8Array<ArrayBuffer> =>
  Uint8Array.fromBase64(Redacted.value(secret).slice(SECRET_PREFIX.length))

/** The bytes that are signed: id, whole seconds since 1970, and the body as it is sent. */
export const signedContent = (id: string, timestampSeconds: number, payload: string): Uint8Array =>
  new TextEncoder().encode(`${id}.${timestampSeconds}.${payload}`)

/** How long a replaced secret signs beside the new one, so that receivers can change over. */
export const ROTATION_MILLIS = 24 * 3_600_000

/** Endpoints of one builder, at most. */
export const MAX_ENDPOINTS = 10

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Milliseconds after each failure until the next attempt: the standard's schedule, about three days in all. */
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

/** Up to this share is added, so that what failed together does not come back together. */
const JITTER = 0.1

/** What came of an attempt: the status, or nothing where there was no answer. */
export interface AttemptOutcome {
  readonly statusCode?: number
}

/** What becomes of a message after an attempt. */
export type NextStep =
  { readonly _tag: "Delivered" } | { readonly _tag: "Retry"; readonly atMs: number } | { readonly _tag: "GivenUp" }

export const isAccepted = ({ statusCode }: AttemptOutcome): boolean =>
  statusCode !== undefined && statusCode >= 200 && statusCode < 300

/** 410: the receiver wants no more. */
export const isGone = ({ statusCode }: AttemptOutcome): boolean => statusCode === 410

/** `failures`: attempts that failed before this one. `random` from 0 to 1. */
export const nextStep = (outcome: AttemptOutcome, failures: number, nowMs: number, random: number): NextStep => {
  if (isAccepted(outcome)) return { _tag: "Delivered" }
  const delay = RETRY_MILLIS[failures]
  return delay === undefined || isGone(outcome)
    ? { _tag: "GivenUp" }
    : { _tag: "Retry", atMs: nowMs + Math.round(delay * (1 + JITTER * random)) }
}

/** An endpoint's failures since its last success; absent while there are none. */
export interface Failing {
  readonly sinceMs: number
  readonly lastMs: number
}

/** Why an endpoint was disabled. `paused`: by its owner. `gone`: it answered 410. `failing`: for {@link FAILING_MILLIS}. */
export const DisabledReason = Schema.Literals(["paused", "gone", "failing"]).annotate({ identifier: "DisabledReason" })
export type DisabledReason = typeof DisabledReason.Type

/** How long everything must fail until an endpoint is disabled. */
export const FAILING_MILLIS = 5 * 24 * HOUR

/** Longer than any wait between two attempts: after such a silence, failures are not one row of failures any more. */
const SILENCE_MILLIS = 2 * 24 * HOUR

export interface EndpointHealth {
  readonly failing?: Failing
  readonly disable?: "gone" | "failing"
}

/** How an endpoint stands after an attempt. */
export const health = (before: Failing | undefined, outcome: AttemptOutcome, nowMs: number): EndpointHealth => {
  if (isAccepted(outcome)) return {}
  const sinceMs = before === undefined || nowMs - before.lastMs > SILENCE_MILLIS ? nowMs : before.sinceMs
  const failing = { sinceMs, lastMs: nowMs }
  if (isGone(outcome)) return { failing, disable: "gone" }
  return nowMs - sinceMs >= FAILING_MILLIS ? { failing, disable: "failing" } : { failing }
}

/** The standard's bound would be any; a longer one is a mistake. */
export const MAX_URL_LENGTH = 2_048

/** Why a URL cannot be an endpoint, as far as its text tells; whether its host is public, only its addresses tell. */
export const urlProblem = (text: string, allowPrivate: boolean): string | undefined => {
  if (text.length > MAX_URL_LENGTH) return `expected a URL of at most ${MAX_URL_LENGTH} characters`
  const url = URL.parse(text)
  if (url === null) return "expected a URL"
  if (url.protocol !== "https:" && !(allowPrivate && url.protocol === "http:")) return "expected an https URL"
  if (url.username !== "" || url.password !== "") return "expected a URL without credentials"
  if (url.hash !== "") return "expected a URL without a fragment"
  return undefined
}
