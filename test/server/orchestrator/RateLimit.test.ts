import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { RateLimiter } from "effect/persistence"
import { TestClock } from "effect/testing"
import { defaults } from "../../../src/server/shared/ServerSettings.ts"
import { serve } from "./Harness.ts"
import { ID, OWNER, quoteRequest, submission } from "./Fixtures.ts"

const from = (address: string) => ({ headers: { "x-forwarded-for": address } })
const limited = (limit: number) => ({
  rateLimits: { ...defaults.rateLimits, orchestrator: { limit, windowMillis: 60_000 } }
})

const behindProxy = { trustedProxyHops: 1 }

describe("rate limit", () => {
  it.effect("100 requests per 60 seconds, then 429 until the window resets", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      for (let i = 0; i < 100; i++) assert.strictEqual((yield* call(`/intents/${ID}`)).status, 200)
      yield* TestClock.adjust("12500 millis")
      const refused = yield* call(`/intents/${ID}`)
      assert.strictEqual(refused.status, 429)
      assert.deepStrictEqual(refused.json, { error: "rate limit exceeded" })
      assert.strictEqual(refused.headers.get("retry-after"), "48")
      assert.strictEqual(refused.headers.get("access-control-allow-origin"), "*")
      assert.match(refused.headers.get("access-control-expose-headers") ?? "", /Retry-After/)
      assert.isNotNull(refused.headers.get("x-request-id"))
      yield* TestClock.adjust("47499 millis")
      assert.strictEqual((yield* call(`/intents/${ID}`)).headers.get("retry-after"), "1")
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* call(`/intents/${ID}`)).status, 200)
    })
  )

  it.effect("ten times the portfolios and quotes of a client for all networks of an IPv6 site", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({}, { ...limited(2), ...behindProxy })
      const statusFrom = (address: string, path = `/portfolio/${OWNER}`) =>
        Effect.map(call(path, from(address)), ({ status }) => status)
      const quotedFrom = (address: string) =>
        Effect.map(
          call("/quote", {
            method: "POST",
            body: JSON.stringify(quoteRequest),
            headers: { ...from(address).headers, "content-type": "application/json" }
          }),
          ({ status }) => status
        )
      for (let network = 0; network < 20; network++) {
        const asked = network % 2 === 0 ? quotedFrom : statusFrom
        assert.strictEqual(yield* asked(`2001:db8:1:${network}::1`), 200)
      }
      assert.strictEqual(yield* statusFrom("2001:db8:1:99::1"), 429)
      assert.strictEqual(yield* quotedFrom("2001:db8:1:99::1"), 429)
      assert.strictEqual(yield* statusFrom("2001:db8:2:1::1"), 200)
      assert.strictEqual(yield* statusFrom("192.0.2.1"), 200)
    })
  )

  it.effect(
    "a hundred times the submissions and reads of a client for all networks of an IPv6 site, beside its quotes",
    () =>
      Effect.gen(function* () {
        const { call } = yield* serve({}, { ...limited(2), ...behindProxy })
        const post = (address: string, path: string, body: unknown) =>
          Effect.map(
            call(path, {
              method: "POST",
              body: JSON.stringify(body),
              headers: { ...from(address).headers, "content-type": "application/json" }
            }),
            ({ status }) => status
          )
        for (let network = 0; network < 199; network++) {
          assert.strictEqual((yield* call(`/intents/${ID}`, from(`2001:db8:1:${network}::1`))).status, 200)
        }
        assert.strictEqual(yield* post("2001:db8:1:fff0::1", "/intents", submission), 201)
        assert.strictEqual(yield* post("2001:db8:1:fff1::1", "/intents", submission), 429)
        assert.strictEqual(yield* post("2001:db8:1:fff2::1", "/quote", quoteRequest), 200)
        assert.strictEqual(yield* post("2001:db8:2:1::1", "/intents", submission), 201)
      })
  )

  it.effect("one window for all client routes, whatever they answer", () =>
    Effect.gen(function* () {
      const { call, post } = yield* serve({}, limited(7))
      const statuses = [
        yield* post("/quote", quoteRequest),
        yield* post("/quote", "nope"),
        yield* post("/quote", "x".repeat(70_000)),
        yield* post("/intents", submission),
        yield* call("/intents/unknown"),
        yield* call("/portfolio/nobody"),
        yield* call(`/portfolio/${OWNER}/sweepable`)
      ].map(({ status }) => status)
      assert.deepStrictEqual(statuses, [200, 422, 413, 201, 404, 422, 200])
      for (const answer of [
        yield* post("/quote", quoteRequest),
        yield* post("/quote", "nope"),
        yield* post("/quote", "x".repeat(70_000)),
        yield* post("/intents", submission),
        yield* call("/intents/unknown"),
        yield* call("/portfolio/nobody"),
        yield* call(`/portfolio/${OWNER}`),
        yield* call(`//portfolio//${OWNER}/`),
        yield* call(`/portfolio/${OWNER}`, { method: "HEAD" })
      ]) {
        assert.strictEqual(answer.status, 429)
      }
    })
  )

  it.effect("tells the policy and what is left of it on every answer, refusals too", () =>
    Effect.gen(function* () {
      const { call, post } = yield* serve({}, limited(3))
      const told = ({ headers }: { readonly headers: Headers }) => [
        headers.get("ratelimit-policy"),
        headers.get("ratelimit")
      ]
      const policy = `"default";q=3;w=60`
      const first = yield* post("/quote", quoteRequest, { origin: "https://app.example" })
      assert.deepStrictEqual(told(first), [policy, `"default";r=2;t=60`])
      assert.match(first.headers.get("access-control-expose-headers") ?? "", /RateLimit,RateLimit-Policy/)
      yield* TestClock.adjust("17500 millis")
      assert.deepStrictEqual(told(yield* call("/intents/x")), [policy, `"default";r=1;t=43`])
      assert.deepStrictEqual(told(yield* post("/quote", "nope")), [policy, `"default";r=0;t=43`])
      const refused = yield* call("/intents/x")
      assert.strictEqual(refused.status, 429)
      assert.deepStrictEqual(told(refused), [policy, `"default";r=0;t=43`])
      assert.deepStrictEqual(told(yield* call("/healthz")), [null, null])
    })
  )

  it.effect("leaves operator routes, liveness, documentation and preflights alone", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({}, { ...limited(1), adminToken: Redacted.make("t") })
      yield* call("/intents/x")
      assert.strictEqual((yield* call("/intents/x")).status, 429)
      assert.strictEqual((yield* call("/healthz")).status, 200)
      assert.strictEqual((yield* call("/openapi.json")).status, 200)
      assert.strictEqual((yield* call("/quote", { method: "OPTIONS" })).status, 204)
      const operator = { headers: { authorization: "Bearer t" } }
      assert.strictEqual((yield* call("/admin/health", operator)).status, 200)
    })
  )

  it.effect("500 at once: exactly 100 get through", () =>
    Effect.gen(function* () {
      const { post } = yield* serve()
      const answers = yield* Effect.forEach(Array.from({ length: 500 }), () => post("/quote", quoteRequest), {
        concurrency: "unbounded"
      })
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 100)
      assert.strictEqual(answers.filter(({ status }) => status === 429).length, 400)
    })
  )

  it.effect("counts clients apart, as the nearest proxy saw them", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({}, { ...limited(1), ...behindProxy })
      const get = (address: string) => Effect.map(call("/intents/x", from(address)), ({ status }) => status)
      assert.strictEqual(yield* get("1.1.1.1"), 404)
      assert.strictEqual(yield* get("1.1.1.1"), 429)
      assert.strictEqual(yield* get("6.6.6.6, 1.1.1.1"), 429)
      assert.strictEqual(yield* get("1.1.1.1, 2.2.2.2"), 404)
      assert.strictEqual(yield* get("2001:db8::1"), 404)
      assert.strictEqual(yield* get("2001:db8::ffff"), 429)
      assert.strictEqual((yield* call("/intents/x")).status, 404)
      assert.strictEqual(yield* get("not an address"), 429)
    })
  )

  it.effect("by default the peer counts, headers are no disguise, and one warning tells of them", () =>
    Effect.gen(function* () {
      const { call, logs } = yield* serve({}, limited(1))
      const warnings = () => logs.filter(({ level, message }) => level === "Warn" && /TRUSTED_PROXY_HOPS/.test(message))
      assert.strictEqual((yield* call("/intents/x")).status, 404)
      assert.strictEqual(warnings().length, 0)
      assert.strictEqual((yield* call("/intents/x", from("1.1.1.1"))).status, 429)
      assert.strictEqual((yield* call("/intents/x", from("2.2.2.2"))).status, 429)
      assert.strictEqual(warnings().length, 1)
    })
  )

  it.effect("a header that is trusted is no reason to warn", () =>
    Effect.gen(function* () {
      const { call, logs } = yield* serve({}, behindProxy)
      yield* call("/intents/x", from("1.1.1.1"))
      assert.deepStrictEqual(
        logs.filter(({ level }) => level === "Warn"),
        []
      )
    })
  )

  it.effect("lets requests pass when its store fails, and logs that", () =>
    Effect.gen(function* () {
      const failure = Effect.fail(
        new RateLimiter.RateLimiterError({ reason: new RateLimiter.RateLimitStoreError({ message: "store is away" }) })
      )
      const { call, logs } = yield* serve({
        store: Layer.mock(RateLimiter.RateLimiterStore, { fixedWindow: () => failure })
      })
      const passed = yield* call(`/intents/${ID}`)
      assert.strictEqual(passed.status, 200)
      assert.isNotNull(passed.headers.get("ratelimit-policy"))
      assert.isNull(passed.headers.get("ratelimit"))
      const line = logs.find(({ message }) => message.includes("rate limit store failed"))
      assert.strictEqual(line?.level, "Warn")
    })
  )
})
