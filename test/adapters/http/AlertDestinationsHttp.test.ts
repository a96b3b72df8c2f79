/** Requests to webhooks, Slack and PagerDuty, and what their answers mean. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { Webhook } from "standardwebhooks"
import * as AlertDestinationsHttp from "../../../src/adapters/http/AlertDestinationsHttp.ts"
import { type AlertMessage, testMessage } from "../../../src/domain/AlertMessage.ts"
import { type Answer, type Seen, StubServer } from "../../support/StubServer.ts"

const NOW = Date.parse("2026-01-01T00:00:00.000Z")
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const ROUTING_KEY = "e93facc04764012d7bfb002500d5d1a6"

const message: AlertMessage = {
  id: "orchestrator-7-mk-webhook-0-raised",
  reason: "raised",
  reference: "orchestrator-7-mk",
  service: "orchestrator",
  source: "shop",
  severity: "critical",
  kind: "lane_low",
  message: "A lane has < 0.01 ETH. Send it some & wait.",
  details: { lane: "0xab", missing: 1.5 },
  sinceMs: NOW - 60_000,
  atMs: NOW
}

/** The documented answers of the two services. */
const ANSWERS = {
  "/services/T0/B0/X0": { status: 200, body: "ok" },
  "/v2/enqueue": {
    status: 202,
    body: { status: "success", message: "Event processed", dedup_key: "shop/orchestrator-7-mk" }
  },
  "/hook": { status: 204, body: "" }
} as const

const recorded = ({ path }: Seen): Answer => ANSWERS[path as keyof typeof ANSWERS] ?? { status: 404 }

const targets = (url: string) => ({
  webhook: { kind: "webhook", url: Redacted.make(`${url}/hook`), secret: Redacted.make(SECRET) } as const,
  slack: { kind: "slack", url: Redacted.make(`${url}/services/T0/B0/X0`) } as const,
  pagerduty: { kind: "pagerduty", url, routingKey: Redacted.make(ROUTING_KEY) } as const
})

/** Requests that a message makes to a destination's server. */
const seen = Effect.fnUntraced(function* (name: "webhook" | "slack" | "pagerduty", sent: AlertMessage = message) {
  const server = yield* StubServer
  const client = yield* HttpClient.HttpClient
  const target = targets(server.url)[name]
  yield* AlertDestinationsHttp.make(client, { name, isEscalation: false, target }).send(sent)
  return yield* server.seen
})

const answering = (reply: (seen: Seen) => Answer) => Layer.merge(StubServer.answering(reply), FetchHttpClient.layer)

const bodyOf = (request: Seen | undefined): unknown => JSON.parse(request?.body ?? "null")

describe("destinations of alerts", () => {
  it.live("sign webhooks as Standard Webhooks requires", () =>
    Effect.gen(function* () {
      const [request] = yield* seen("webhook")
      const headers = Object.fromEntries(request?.headers ?? [])
      assert.strictEqual(headers["webhook-id"], message.id)
      assert.strictEqual(headers["content-type"], "application/json")
      assert.deepStrictEqual(new Webhook(SECRET).verify(request?.body ?? "", headers), {
        type: "alert.raised",
        timestamp: "2026-01-01T00:00:00.000Z",
        data: {
          alert: "orchestrator-7-mk",
          source: "shop",
          service: "orchestrator",
          severity: "critical",
          kind: "lane_low",
          message: message.message,
          details: { lane: "0xab", missing: 1.5 },
          since: "2025-12-31T23:59:00.000Z"
        }
      })
    }).pipe(Effect.provide(answering(recorded)))
  )

  it.live("escape text for Slack", () =>
    Effect.gen(function* () {
      const [request] = yield* seen("slack")
      assert.deepStrictEqual(bodyOf(request), {
        text: [
          "CRITICAL: lane_low of orchestrator at shop",
          "A lane has &lt; 0.01 ETH. Send it some &amp; wait.",
          "• lane: 0xab",
          "• missing: 1.5",
          "since 2025-12-31T23:59:00.000Z"
        ].join("\n")
      })
    }).pipe(Effect.provide(answering(recorded)))
  )

  it.live("open and resolve one incident of PagerDuty", () =>
    Effect.gen(function* () {
      yield* seen("pagerduty")
      const [opened, resolved] = yield* seen("pagerduty", { ...message, reason: "resolved" })
      assert.deepStrictEqual(bodyOf(opened), {
        routing_key: ROUTING_KEY,
        event_action: "trigger",
        dedup_key: "shop/orchestrator-7-mk",
        client: "token-sweep",
        payload: {
          summary: `CRITICAL: lane_low of orchestrator at shop: ${message.message}`,
          source: "shop",
          severity: "critical",
          timestamp: "2025-12-31T23:59:00.000Z",
          component: "orchestrator",
          class: "lane_low",
          custom_details: { lane: "0xab", missing: 1.5 }
        }
      })
      assert.deepStrictEqual(bodyOf(resolved), {
        routing_key: ROUTING_KEY,
        event_action: "resolve",
        dedup_key: "shop/orchestrator-7-mk"
      })
    }).pipe(Effect.provide(answering(recorded)))
  )

  it.live("leave no incident behind a test", () =>
    Effect.gen(function* () {
      const requests = yield* seen("pagerduty", testMessage("test-1", "shop", NOW))
      assert.deepStrictEqual(
        requests.map((request) => bodyOf(request)).map((body) => (body as { event_action: string }).event_action),
        ["trigger", "resolve"]
      )
    }).pipe(Effect.provide(answering(recorded)))
  )

  it.live("refuse every other answer, without their secrets", () =>
    Effect.gen(function* () {
      const server = yield* StubServer
      for (const status of [302, 400, 403, 404, 410, 429, 500]) {
        yield* server.answer({ status, headers: { location: `${server.url}/hook` }, body: "invalid_token" })
        const { detail } = yield* Effect.flip(seen("slack"))
        assert.strictEqual(detail, `HTTP ${status}`)
      }
    }).pipe(Effect.provide(answering(recorded)))
  )

  it.effect("give up on one that is silent", () =>
    Effect.gen(function* () {
      const waiting = yield* Effect.forkChild(Effect.flip(seen("webhook")), { startImmediately: true })
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(waiting)).detail, "no answer within 10000 ms")
    }).pipe(Effect.provide(answering(() => ({ status: 200, silent: true }))))
  )
})
