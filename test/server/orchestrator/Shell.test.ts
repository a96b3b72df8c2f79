/** The shell around every request: ids, logs, CORS, methods, headers, shutdown. */
import { assert, describe, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"
import { TestClock } from "effect/testing"
import { Deferred, Effect, Exit, Fiber, Option, Redacted } from "effect"
import { OrchestratorApi } from "../../../src/api/orchestrator/OrchestratorApi.ts"
import * as OrchestratorServer from "../../../src/server/orchestrator/OrchestratorServer.ts"
import { serve, services } from "./Harness.ts"
import { ID, OWNER, quoteRequest, submission } from "./Fixtures.ts"

describe("methods", () => {
  it.effect("404 for unknown routes, 405 with Allow for known ones", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      for (const path of ["/", "/nope", "/intents/1/2", "/portfolio", `/portfolio/${OWNER}/x`, "/admin", "/quote/1"]) {
        const answer = yield* call(path)
        assert.strictEqual(answer.status, 404, path)
        assert.deepStrictEqual(answer.json, { error: "not found" })
      }
      for (const [method, path, allow] of [
        ["GET", "/quote", "POST"],
        ["HEAD", "/quote", "POST"],
        ["DELETE", "/intents", "POST"],
        ["PUT", `/intents/${ID}`, "GET, HEAD"],
        ["POST", `/portfolio/${OWNER}`, "GET, HEAD"],
        ["PATCH", "/healthz", "GET, HEAD"],
        ["GET", "/watch/tick", "POST"],
        ["OPTIONS", "/watch/tick", "POST"],
        ["POST", "/openapi.json", "GET, HEAD"],
        ["POST", "/docs", "GET, HEAD"]
      ] as const) {
        const answer = yield* call(path, { method })
        assert.strictEqual(answer.status, 405, `${method} ${path}`)
        assert.strictEqual(answer.headers.get("allow"), allow)
        if (method !== "HEAD") assert.deepStrictEqual(answer.json, { error: "method not allowed" })
      }
    })
  )

  it.effect("HEAD answers like GET, without a body", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      for (const [path, status] of [
        ["/healthz", 200],
        [`/intents/${ID}`, 200],
        ["/intents/x", 404]
      ] as const) {
        const answer = yield* call(path, { method: "HEAD" })
        assert.strictEqual(answer.status, status)
        assert.strictEqual(answer.text, "")
        assert.isNotNull(answer.headers.get("x-request-id"))
      }
    })
  )
})

describe("request ids", () => {
  it.effect("keeps a caller's id when it is valid", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      for (const id of ["a", "A-b_c.9", "x".repeat(128)]) {
        assert.strictEqual(
          (yield* call("/healthz", { headers: { "x-request-id": id } })).headers.get("x-request-id"),
          id
        )
      }
      for (const id of ["x".repeat(129), "a b", "a\tb", "é", "a,b", "<x>"]) {
        const answer = yield* call("/healthz", { headers: { "x-request-id": id } })
        assert.match(answer.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/)
      }
    })
  )

  it.effect("every answer has one of its own", () =>
    Effect.gen(function* () {
      const { call, post } = yield* serve({ quote: () => Effect.die("boom") })
      const answers = [
        yield* call("/nope"),
        yield* call("/quote"),
        yield* post("/quote", "x".repeat(70_000)),
        yield* post("/quote", quoteRequest),
        yield* call("/admin/health"),
        yield* call("/quote", { method: "OPTIONS" }),
        yield* call("/openapi.json")
      ]
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [404, 405, 413, 500, 401, 204, 200]
      )
      const ids = answers.map(({ headers }) => headers.get("x-request-id"))
      assert.notInclude(ids, null)
      assert.strictEqual(new Set(ids).size, ids.length)
    })
  )
})

describe("logs", () => {
  it.effect("one line per request, with its id, and on what the use case logs", () =>
    Effect.gen(function* () {
      const { call, logs } = yield* serve({
        find: () => Effect.as(Effect.logInfo("looking"), Option.none())
      })
      yield* call(`/intents/${ID}?q=secret`, { headers: { "x-request-id": "my-id" } })
      const lines = logs.filter(({ annotations }) => annotations["requestId"] === "my-id")
      assert.deepStrictEqual(
        lines.map(({ message }) => message.trim()).filter((text) => text !== "looking"),
        ["request"]
      )
      assert.isTrue(lines.some(({ message }) => message.trim() === "looking"))
      const { durationMs, ...rest } = lines.find(({ message }) => message.trim() === "request")?.annotations ?? {}
      assert.isNumber(durationMs)
      assert.deepStrictEqual(rest, { requestId: "my-id", method: "GET", path: `/intents/${ID}`, status: 404 })
    })
  )

  it.effect("never bodies, keys, tokens, signatures or queries", () =>
    Effect.gen(function* () {
      const { call, logs, post } = yield* serve({}, { adminToken: Redacted.make("hush-token") })
      yield* post("/quote?x=hush-query", { ...quoteRequest, apiKey: "hush-key", tier: "hush-tier" })
      yield* post("/quote", { ...quoteRequest, apiKey: "hush-key" })
      yield* post("/quote", "hush-garbage")
      yield* post("/intents", submission)
      yield* call("/admin/health", { headers: { authorization: "Bearer hush-token" } })
      yield* call("/admin/health", { headers: { authorization: "Bearer hush-wrong" } })
      const text = JSON.stringify(logs)
      assert.notInclude(text, "hush")
      assert.notInclude(text, submission.signature)
      assert.strictEqual(logs.filter(({ message }) => message.trim() === "request").length, 6)
    })
  )
})

describe("browsers", () => {
  it.effect("answers preflights of public routes for any origin, without credentials", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      const headers = {
        origin: "https://app.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,x-request-id"
      }
      for (const path of ["/quote", "/intents", `/intents/${ID}`, `/portfolio/${OWNER}/sweepable`]) {
        const answer = yield* call(path, { method: "OPTIONS", headers })
        assert.strictEqual(answer.status, 204)
        assert.strictEqual(answer.text, "")
        assert.strictEqual(answer.headers.get("access-control-allow-origin"), "*")
        assert.strictEqual(answer.headers.get("access-control-allow-methods"), "GET, HEAD, POST")
        assert.strictEqual(answer.headers.get("access-control-allow-headers"), "content-type,x-request-id")
        assert.isNull(answer.headers.get("access-control-allow-credentials"))
      }
    })
  )

  it.effect("lets every public answer be read, errors too, and no operator's", () =>
    Effect.gen(function* () {
      const { call, post } = yield* serve({ quote: () => Effect.die("boom") })
      for (const answer of [
        yield* post("/quote", quoteRequest),
        yield* post("/quote", "nope"),
        yield* post("/quote", "x".repeat(70_000)),
        yield* call("/intents/x"),
        yield* call("/nope"),
        yield* call("/quote")
      ]) {
        assert.strictEqual(answer.headers.get("access-control-allow-origin"), "*")
        assert.match(
          answer.headers.get("access-control-expose-headers") ?? "",
          /Retry-After,\s?Sweep-Reason,\s?X-Request-Id/
        )
      }
      for (const path of ["/admin/health", "//admin/alerts/", "/watch/tick"]) {
        assert.isNull((yield* call(path)).headers.get("access-control-allow-origin"))
      }
    })
  )

  it.effect("sets headers that keep answers out of caches, frames and guesses", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      const cached = "public, max-age=300"
      const paths = {
        "/healthz": "no-store",
        "/nope": "no-store",
        [`/intents/${ID}`]: "no-store",
        "/docs": cached,
        "/docs/api": cached,
        "/docs/nope": "no-store"
      }
      for (const [path, caching] of Object.entries(paths)) {
        const { headers } = yield* call(path)
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
        assert.strictEqual(headers.get("cache-control"), caching, path)
        assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
        assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'.*frame-ancestors 'none'/)
      }
    })
  )
})

describe("documentation", () => {
  it.effect("serves the contract", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      const { json, status } = yield* call("/openapi.json")
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(json, JSON.parse(JSON.stringify(OpenApi.fromApi(OrchestratorApi))))
    })
  )

  it.effect.each([
    { path: "/docs", connections: undefined },
    { path: "/docs/api", connections: "connect-src 'self'" }
  ])("serves $path, which loads nothing from elsewhere", ({ connections, path }) =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      const { headers, status, text } = yield* call(path)
      assert.strictEqual(status, 200)
      assert.match(headers.get("content-type") ?? "", /^text\/html/)
      assert.notMatch(text, /<(?:script|link|img|iframe)[^>]+(?:src|href)=/)
      const directives = (headers.get("content-security-policy") ?? "").split("; ")
      assert.include(directives, "default-src 'none'")
      assert.notMatch(directives.join(), /https?:/)
      assert.strictEqual(
        directives.find((directive) => directive.startsWith("connect-src")),
        connections
      )
    })
  )
})

describe("the server", () => {
  it.effect("stops working on a request whose client has left", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const interrupted = yield* Deferred.make<void>()
      const { base, logs } = yield* serve({
        quote: () =>
          Deferred.succeed(arrived, undefined).pipe(
            Effect.andThen(Effect.never),
            Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
          )
      })
      const leaving = new AbortController()
      const request = yield* Effect.forkChild(
        Effect.exit(
          Effect.tryPromise(() =>
            fetch(`${base}/quote`, { method: "POST", body: JSON.stringify(quoteRequest), signal: leaving.signal })
          )
        )
      )
      yield* Deferred.await(arrived)
      leaving.abort()
      yield* Deferred.await(interrupted)
      assert.isTrue(Exit.isFailure(yield* Fiber.join(request)))
      yield* Effect.yieldNow
      assert.isTrue(logs.some(({ annotations }) => annotations["status"] === 499))
    })
  )

  it.effect(
    "answers 503 when a request takes longer than 4 seconds, and does not wait for what cannot be interrupted",
    () =>
      Effect.gen(function* () {
        const arrived = yield* Deferred.make<void>()
        const { logs, post } = yield* serve({
          quote: () => Effect.uninterruptible(Effect.andThen(Deferred.succeed(arrived, undefined), Effect.never))
        })
        const request = yield* Effect.forkChild(post("/quote", quoteRequest))
        yield* Deferred.await(arrived)
        yield* TestClock.adjust("4 seconds")
        const answer = yield* Fiber.join(request)
        assert.deepStrictEqual(
          [answer.status, answer.json, answer.headers.get("retry-after"), answer.headers.get("sweep-reason")],
          [503, { error: "internal error" }, "1", "unavailable"]
        )
        assert.isTrue(logs.some(({ message }) => message.includes("no response within the time limit")))
      })
  )

  it.effect("also answers web requests without a socket", () =>
    Effect.gen(function* () {
      const { dispose, handler } = OrchestratorServer.webHandler(services({}, {}, () => undefined))
      yield* Effect.addFinalizer(() => Effect.promise(dispose))
      const request = (path: string, init?: RequestInit) => new Request(`http://localhost${path}`, init)
      const send = (input: Request) => Effect.promise(() => handler(input))
      assert.strictEqual((yield* send(request("/healthz"))).status, 200)
      assert.strictEqual((yield* send(request("/nope"))).status, 404)
      const quoted = yield* send(request("/quote", { method: "POST", body: JSON.stringify(quoteRequest) }))
      assert.strictEqual(quoted.status, 200)
      const large = yield* send(request("/quote", { method: "POST", body: "x".repeat(70_000) }))
      assert.strictEqual(large.status, 413)
      assert.strictEqual((yield* send(request("/quote", { method: "POST" }))).status, 422)
    })
  )
})
