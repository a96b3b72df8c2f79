/** `GET /metrics`: closed by default, open to the bearer of its own token, and bounded whatever clients send. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { RateLimiter } from "effect/persistence"
import * as RateLimitStore from "../../../src/server/shared/RateLimitStore.ts"
import { isolated } from "../../support/Metrics.ts"
import { OWNER, quoteRequest } from "./Fixtures.ts"
import { serve } from "./Harness.ts"

const TOKEN = "metrics token"
const ADMIN = "admin token"
const settings = { metricsToken: Redacted.make(TOKEN), adminToken: Redacted.make(ADMIN) }

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

describe("GET /metrics", () => {
  it.effect("is closed without a token of its own, also to the operator", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({}, { adminToken: Redacted.make(ADMIN) })
      for (const init of [{}, bearer(""), bearer(ADMIN), bearer("undefined")]) {
        const answer = yield* call("/metrics", init)
        assert.strictEqual(answer.status, 401)
        assert.deepStrictEqual(answer.json, { error: "unauthorized" })
        assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
      }
    }).pipe(isolated)
  )

  it.effect("opens nothing else, and no other token opens it", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({}, settings)
      assert.strictEqual((yield* call("/metrics", bearer(ADMIN))).status, 401)
      assert.strictEqual((yield* call("/admin/alerts", bearer(TOKEN))).status, 401)
      const answer = yield* call("/metrics", bearer(TOKEN))
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8")
      assert.isNull(answer.headers.get("access-control-allow-origin"))
    }).pipe(isolated)
  )

  it.effect("is at its exact path only, which a proxy in front can close", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({}, settings)
      for (const path of ["/metrics/", "/metrics;x", "/metrics;x=/y", "/%6detrics", "/metrics%2f"]) {
        const answer = yield* call(path, bearer(TOKEN))
        assert.strictEqual(answer.status, 404, path)
        assert.deepStrictEqual(answer.json, { error: "not found" })
      }
      assert.strictEqual((yield* call("/metrics?name=x", bearer(TOKEN))).status, 200)
    }).pipe(isolated)
  )

  it.effect("limits guesses", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({}, settings)
      for (let guess = 0; guess < 20; guess++) yield* call("/metrics", bearer(`guess ${guess}`))
      const answer = yield* call("/metrics", bearer(TOKEN))
      assert.strictEqual(answer.status, 429)
      assert.isNotNull(answer.headers.get("retry-after"))
    }).pipe(isolated)
  )

  it.effect("counts guesses of a caller inside the network by its own address and by the service", () =>
    Effect.gen(function* () {
      const keys = new Set<string>()
      const store = Layer.effect(
        RateLimiter.RateLimiterStore,
        Effect.map(RateLimiter.RateLimiterStore, (counts) => ({
          ...counts,
          fixedWindow: (options) => {
            keys.add(options.key)
            return counts.fixedWindow(options)
          }
        }))
      ).pipe(Layer.provide(RateLimitStore.layerMemory))
      const { call } = yield* serve({ store }, { ...settings, trustedProxyHops: 1 })
      yield* call("/metrics", bearer("a guess"))
      yield* call("/admin/alerts", bearer("a guess"))
      assert.deepStrictEqual([...keys], ["wrong-token:orchestrator:peer:127.0.0.1"])
    }).pipe(isolated)
  )

  it.effect("counts by patterns of routes, so that paths and methods of clients make no series", () =>
    Effect.gen(function* () {
      const { call, post } = yield* serve({}, settings)
      yield* post("/quote", quoteRequest)
      for (let index = 0; index < 3; index++) {
        yield* call(`/intents/${crypto.randomUUID()}?secret=1`)
        yield* call(`/nothing/${index}`)
      }
      yield* call(`/portfolio/${OWNER}`)
      yield* call("/quote", { method: "PROPFIND" })
      const { text } = yield* call("/metrics", bearer(TOKEN))
      const lines = text.split("\n").filter((line) => line.startsWith("sweep_http_requests_total{"))
      assert.sameMembers(lines, [
        'sweep_http_requests_total{route="/quote",method="POST",status="200"} 1',
        'sweep_http_requests_total{route="/intents/:id",method="GET",status="404"} 3',
        'sweep_http_requests_total{route="unmatched",method="GET",status="404"} 3',
        'sweep_http_requests_total{route="/portfolio/:owner",method="GET",status="200"} 1',
        'sweep_http_requests_total{route="/quote",method="other",status="405"} 1'
      ])
      assert.include(text, 'sweep_http_request_duration_seconds_count{route="/intents/:id"} 3')
      assert.notInclude(text, OWNER)
    }).pipe(isolated)
  )
})
