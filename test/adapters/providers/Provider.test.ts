import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { FetchHttpClient, HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import * as Answer from "../../../src/adapters/providers/Answer.ts"
import * as Health from "../../../src/adapters/providers/Health.ts"
import * as Provider from "../../../src/adapters/providers/Provider.ts"
import * as Priority from "../../../src/ports/shared/Priority.ts"
import * as RequestNetwork from "../../../src/ports/shared/RequestNetwork.ts"
import { ProviderStates } from "../../../src/ports/shared/ProviderStates.ts"
import { StubServer } from "../../support/StubServer.ts"

class NoRoute extends Schema.TaggedError<NoRoute>()("NoRoute", {}) {}

const Price = Schema.Struct({ data: Schema.Struct({ price: Schema.String }) })
const readPrice = Answer.json(Price)

/** A provider behind the stub, and a request to it. */
const make = Effect.fnUntraced(function* (options: Partial<Provider.Options> = {}) {
  const stub = yield* StubServer
  const provider = yield* Provider.make({ name: "test", baseUrl: `${stub.url}/api/`, ...options })
  const ask = provider.ask(HttpClientRequest.get("/price?token=0x1"), (answer) =>
    Effect.gen(function* () {
      if (answer.status === 404) return yield* new NoRoute()
      return (yield* readPrice(answer)).data.price
    })
  )
  const failure = Effect.map(Effect.flip(ask), (error) => (error._tag === "NoRoute" ? "no route" : error.detail))
  return { ...stub, provider, ask, failure, requests: Effect.map(stub.seen, ({ length }) => length) }
})

const GOOD = { status: 200, body: { data: { price: "1.5" } } }

/** Lets the stub answer. */
const turn = Effect.promise(() => new Promise((done) => setImmediate(done)))

const layer = Layer.mergeAll(
  StubServer.answering(() => GOOD),
  FetchHttpClient.layer,
  Health.layer
)

describe("Provider", () => {
  it.effect("sends the path and the key, and decodes the answer", () =>
    Effect.gen(function* () {
      const { ask, seen } = yield* make({ headers: { "x-api-key": "k3y" } })
      assert.strictEqual(yield* ask, "1.5")
      const [request] = yield* seen
      assert.strictEqual(request?.path, "/api/price?token=0x1")
      assert.strictEqual(request?.headers.get("x-api-key"), "k3y")
      assert.isNull(request?.headers.get("traceparent"))
    }).pipe(Effect.provide(layer))
  )

  it.effect("names the status or the place of the mistake, and nothing of the body", () =>
    Effect.gen(function* () {
      const { answer, failure } = yield* make({ maxBytes: 64, failuresToOpen: 100 })
      const failureOf = (status: number, body: unknown, headers: Record<string, string> = {}) =>
        Effect.andThen(answer({ status, body, headers }), failure)
      assert.strictEqual(yield* failureOf(200, { data: { price: 1 } }), "HTTP 200 with a malformed body at data.price")
      assert.strictEqual(yield* failureOf(200, "<html>"), "HTTP 200 with a malformed body")
      assert.strictEqual(yield* failureOf(200, ""), "HTTP 200 with a malformed body")
      assert.strictEqual(yield* failureOf(500, "secret"), "HTTP 500")
      assert.strictEqual(yield* failureOf(403, "secret"), "HTTP 403, check the API key")
      assert.strictEqual(
        yield* failureOf(302, "", { location: "https://example.com" }),
        "HTTP 302, redirects are not followed"
      )
      assert.strictEqual(yield* failureOf(200, "x".repeat(65)), "HTTP 200 with a body above 64 bytes")
    }).pipe(Effect.provide(layer))
  )

  it.effect("stops reading a body of unstated length that is too long", () =>
    Effect.gen(function* () {
      const part = new TextEncoder().encode("x".repeat(1_000))
      const server = yield* Effect.acquireRelease(
        Effect.sync(() =>
          Bun.serve({
            hostname: "127.0.0.1",
            port: 0,
            fetch: () =>
              new Response(
                new ReadableStream({ type: "bytes", pull: (controller) => controller.enqueue(part.slice()) })
              )
          })
        ),
        (running) => Effect.promise(() => running.stop(true))
      )
      const { failure } = yield* make({ baseUrl: `http://127.0.0.1:${server.port}`, maxBytes: 10_000 })
      assert.strictEqual(yield* failure, "HTTP 200 with a body above 10000 bytes")
    }).pipe(Effect.provide(layer))
  )

  it.live("fails at the deadline", () =>
    Effect.gen(function* () {
      const { answer, failure } = yield* make({ deadline: "40 millis" })
      yield* answer({ status: 200, silent: true })
      assert.strictEqual(yield* failure, "no answer within 40 ms")
    }).pipe(Effect.provide(layer))
  )

  it.effect("keeps the pause that the provider asks for", () =>
    Effect.gen(function* () {
      const { answer, ask, failure, provider, requests } = yield* make()
      yield* answer({ status: 429, headers: { "retry-after": "30" }, body: "secret" })
      assert.strictEqual(yield* failure, "HTTP 429, next request in 30 s")
      yield* answer(GOOD)
      yield* TestClock.adjust("29 seconds")
      const waiting = yield* Effect.flip(ask)
      assert.deepInclude(waiting, { reason: "waiting", retryAfterMillis: 1_000 })
      assert.deepInclude(yield* provider.state, { state: "paused", retryAfterMillis: 1_000, failuresInARow: 1 })
      assert.strictEqual(yield* requests, 1)
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual(yield* ask, "1.5")
    }).pipe(Effect.provide(layer))
  )

  it.effect("opens the circuit after failures in a row, and tries with one request if the provider is back", () =>
    Effect.gen(function* () {
      const { answer, ask, failure, provider, requests } = yield* make({ failuresToOpen: 2, openFor: "10 seconds" })
      yield* answer({ status: 502 })
      yield* failure
      yield* answer(GOOD)
      yield* ask
      yield* answer({ status: 502 })
      yield* failure
      assert.strictEqual((yield* provider.state).state, "closed")
      yield* failure
      assert.strictEqual(yield* failure, "failed repeatedly, next request in 10 s")
      assert.deepInclude(yield* provider.state, { state: "open", retryAfterMillis: 10_000, failuresInARow: 2 })
      assert.strictEqual(yield* requests, 4)

      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* failure, "HTTP 502")
      assert.strictEqual(yield* failure, "failed repeatedly, next request in 20 s")
      yield* TestClock.adjust("20 seconds")
      yield* answer(GOOD)
      const both = yield* Effect.all([Effect.exit(ask), Effect.exit(ask)], { concurrency: 2 })
      assert.deepStrictEqual(
        both.map(({ _tag }) => _tag),
        ["Success", "Failure"]
      )
      assert.strictEqual(yield* ask, "1.5")
      assert.strictEqual(yield* requests, 7)
      assert.deepInclude(yield* provider.state, { state: "closed", failuresInARow: 0, lastFailure: "HTTP 502" })
    }).pipe(Effect.provide(layer))
  )

  it.effect("is not lost by answers without a route, nor by requests that nobody waits for", () =>
    Effect.gen(function* () {
      const { answer, ask, failure, provider, requests } = yield* make({ failuresToOpen: 1 })
      yield* answer({ status: 404 })
      assert.strictEqual(yield* failure, "no route")
      yield* answer({ status: 200, silent: true })
      const asking = yield* Effect.forkChild(ask)
      while ((yield* requests) < 2) yield* Effect.yieldNow
      yield* Fiber.interrupt(asking)
      assert.deepInclude(yield* provider.state, { state: "closed", successes: 1, failures: 0, abandoned: 1 })
    }).pipe(Effect.provide(layer))
  )

  it.effect("counts an answer that its reader refuses as a failure", () =>
    Effect.gen(function* () {
      const { provider } = yield* make({ failuresToOpen: 1 })
      const ask = provider.ask(HttpClientRequest.get("/"), () => Effect.fail(provider.unusable("names another owner")))
      assert.strictEqual((yield* Effect.flip(ask)).message, "test is unavailable: names another owner")
      assert.strictEqual((yield* provider.state).state, "open")
    }).pipe(Effect.provide(layer))
  )

  it.effect("sends no more requests than its budget, which does not count as a failure", () =>
    Effect.gen(function* () {
      const budget = { requests: 2, per: "10 seconds" } as const
      const { ask, failure, provider, requests } = yield* make({ budget, failuresToOpen: 1 })
      yield* ask
      yield* ask
      assert.strictEqual(yield* failure, "the budget of requests is spent, next request in 5 s")
      assert.strictEqual(yield* requests, 2)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* ask, "1.5")
      assert.deepInclude(yield* provider.state, { state: "closed", successes: 3, failures: 0 })
    }).pipe(Effect.provide(layer))
  )

  it.effect("keeps half of its burst for a priority and higher ones, and restores that half first", () =>
    Effect.gen(function* () {
      const budget = { requests: 10, per: "10 seconds", burst: 4, reservedFor: "quote" } as const
      const { ask, failure, provider, requests } = yield* make({ budget })
      const at = Priority.at
      yield* at("portfolio")(ask)
      yield* at("portfolio")(ask)
      assert.strictEqual(
        yield* at("portfolio")(failure),
        "the rest of the budget is kept for more urgent requests, next request in 1 s"
      )
      yield* at("quote")(ask)
      yield* at("relay")(ask)
      assert.strictEqual(yield* at("relay")(failure), "the budget of requests is spent, next request in 1 s")
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(
        yield* at("portfolio")(failure),
        "the rest of the budget is kept for more urgent requests, next request in 1 s"
      )
      yield* TestClock.adjust("1 second")
      yield* at("portfolio")(ask)
      assert.strictEqual(yield* requests, 5)
      assert.deepInclude(yield* provider.state, { state: "closed", failures: 0 })
    }).pipe(Effect.provide(layer))
  )

  it.effect(
    "leaves requests to other networks when one spends without end, which alone may spend most of the burst",
    () =>
      Effect.gen(function* () {
        const budget = { requests: 16, per: "16 seconds" } as const
        const { ask, failure, requests } = yield* make({ budget })
        const from = RequestNetwork.of
        // Half of the burst, and a quarter.
        for (let each = 0; each < 12; each++) yield* from("192.0.2.0/24")(ask)
        assert.strictEqual(
          yield* from("192.0.2.0/24")(failure),
          "the client's share of the budget is spent, next request in 4 s"
        )
        for (let each = 0; each < 3; each++) yield* from("198.51.100.0/24")(ask)
        // Work that no client asked for has no share.
        yield* ask
        assert.strictEqual(
          yield* from("198.51.100.0/24")(failure),
          "the budget of requests is spent, next request in 1 s"
        )
        assert.strictEqual(yield* requests, 16)
        // Nobody else asks, so the budget recovers, and the network finds all that is restored.
        yield* TestClock.adjust("16 seconds")
        for (let each = 0; each < 12; each++) yield* from("192.0.2.0/24")(ask)
      }).pipe(Effect.provide(layer))
  )

  it.effect("keeps half of its places for urgent requests while it is slow", () =>
    Effect.gen(function* () {
      const budget = { requests: 1_000, per: "10 seconds", reservedFor: "intake" } as const
      const { answer, ask, requests } = yield* make({ budget })
      yield* answer({ status: 200, silent: true })
      const waiting = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 40 }, () => Priority.at("quote")(ask)),
          { concurrency: "unbounded", discard: true }
        )
      )
      while ((yield* requests) < 16) yield* turn
      yield* answer(GOOD)
      assert.strictEqual(yield* Priority.at("intake")(ask), "1.5")
      assert.strictEqual(yield* requests, 17)
      yield* Fiber.interrupt(waiting)
    }).pipe(Effect.provide(layer))
  )

  it.effect("caps the pause that the provider asks for", () =>
    Effect.gen(function* () {
      for (const status of [429, 503]) {
        const { answer, ask, failure, provider } = yield* make({ longestPause: "3 seconds" })
        yield* answer({ status, headers: { "retry-after": "600" } })
        yield* failure
        assert.deepInclude(yield* provider.state, { state: "paused", retryAfterMillis: 3_000 })
        yield* answer(GOOD)
        yield* TestClock.adjust("3 seconds")
        assert.strictEqual(yield* ask, "1.5")
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect("is listed for operators while it lives", () =>
    Effect.gen(function* () {
      const states = yield* ProviderStates
      yield* Effect.gen(function* () {
        const { ask } = yield* make()
        yield* ask
        yield* TestClock.adjust("3 seconds")
        assert.deepStrictEqual(yield* states.all, [
          {
            name: "test",
            state: "closed",
            retryAfterMillis: 0,
            lastSuccessAgeMillis: 3_000,
            failuresInARow: 0,
            successes: 1,
            failures: 0,
            abandoned: 0,
            lastFailure: undefined
          }
        ])
      }).pipe(Effect.scoped)
      assert.deepStrictEqual(yield* states.all, [])
    }).pipe(Effect.provide(layer))
  )
})
