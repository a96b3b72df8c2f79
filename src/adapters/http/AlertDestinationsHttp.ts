/**
 * {@link AlertDestinations} over HTTP: webhooks by Standard Webhooks, incoming webhooks of Slack, and PagerDuty's Events API v2. The URLs
 * are the operator's, so private addresses are allowed. URLs contain secrets, so requests are not traced.
 */
import { createHmac } from "node:crypto"
import { Clock, Effect, Layer, Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { type AlertMessage, pagerDutyBody, slackBody, webhookBody } from "../../domain/AlertMessage.ts"
import { keyOf, signedContent } from "../../domain/Webhook.ts"
import {
  type AlertDestination,
  AlertDestinations,
  type DestinationName,
  type Heartbeat,
  NotAccepted
} from "../../ports/shared/AlertDestinations.ts"
import * as Exchange from "./Exchange.ts"

/** Time limit of a request. */
const LIMIT = "10 seconds"

export type Target =
  | { readonly kind: "webhook"; readonly url: Redacted.Redacted; readonly secret: Redacted.Redacted }
  | { readonly kind: "slack"; readonly url: Redacted.Redacted }
  | {
      readonly kind: "pagerduty"
      /** Base URL of the Events API. */
      readonly url: string
      readonly routingKey: Redacted.Redacted
    }

export interface Destination {
  readonly name: DestinationName
  readonly isEscalation: boolean
  readonly target: Target
}

/** URL that events of PagerDuty are sent to. */
export const enqueueUrl = (base: string): string => `${base.replace(/\/$/, "")}/v2/enqueue`

const accepted = (client: HttpClient.HttpClient, request: HttpClientRequest.HttpClientRequest) =>
  Exchange.exchange(client, request, LIMIT, (response) =>
    response.status >= 200 && response.status < 300 ? Effect.void : Effect.fail(Exchange.unexpected(response))
  ).pipe(
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
    Effect.mapError(({ detail }) => new NotAccepted({ detail }))
  )

const posted = (url: string, body: string, headers: Readonly<Record<string, string>> = {}) =>
  HttpClientRequest.post(url).pipe(
    HttpClientRequest.setHeaders({ "user-agent": "token-sweep-alerts/1", ...headers }),
    HttpClientRequest.bodyText(body, "application/json")
  )

const toWebhook = (
  { secret, url }: Extract<Target, { kind: "webhook" }>,
  message: AlertMessage,
  nowMs: number
): HttpClientRequest.HttpClientRequest => {
  const body = webhookBody(message)
  const seconds = Math.floor(nowMs / 1000)
  const tag = createHmac("sha256", keyOf(secret))
    .update(signedContent(message.id, seconds, body))
    .digest("base64")
  return posted(Redacted.value(url), body, {
    "webhook-id": message.id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": `v1,${tag}`
  })
}

/** A test leaves no open incident. */
const actionsOf = ({ reason }: AlertMessage): ReadonlyArray<"trigger" | "resolve"> =>
  reason === "test" ? ["trigger", "resolve"] : [reason === "resolved" ? "resolve" : "trigger"]

const requestsOf = (target: Target, message: AlertMessage, nowMs: number) => {
  switch (target.kind) {
    case "webhook":
      return [toWebhook(target, message, nowMs)]
    case "slack":
      return [posted(Redacted.value(target.url), slackBody(message))]
    case "pagerduty":
      return actionsOf(message).map((action) =>
        posted(enqueueUrl(target.url), pagerDutyBody(message, Redacted.value(target.routingKey), action))
      )
  }
}

export const make = (client: HttpClient.HttpClient, { isEscalation, name, target }: Destination): AlertDestination => ({
  name,
  isEscalation,
  send: Effect.fn("AlertDestination.send")(function* (message: AlertMessage) {
    const nowMs = yield* Clock.currentTimeMillis
    yield* Effect.forEach(requestsOf(target, message, nowMs), (request) => accepted(client, request), { discard: true })
  })
})

/** Calls the URL of a monitor such as healthchecks.io. */
export const heartbeat = (client: HttpClient.HttpClient, url: Redacted.Redacted): Heartbeat =>
  accepted(client, HttpClientRequest.get(Redacted.value(url)))

export const layer = (destinations: ReadonlyArray<Destination>) =>
  Layer.effect(
    AlertDestinations,
    Effect.map(HttpClient.HttpClient, (client) => destinations.map((destination) => make(client, destination)))
  )
