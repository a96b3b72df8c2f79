import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import * as BuilderAttributionHttp from "../../../src/adapters/http/BuilderAttributionHttp.ts"
import type { Attribution } from "../../../src/domain/Builder.ts"
import { BuilderAttribution } from "../../../src/ports/orchestrator/BuilderAttribution.ts"
import * as BuilderAttributionSuite from "../../ports/orchestrator/BuilderAttribution.suite.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { type Answer, StubServer } from "../../support/StubServer.ts"

const [keyA, keyB, unknown] = ["key-a", "key-b", "key-?"].map((key) => Redacted.make(key)) as [
  Redacted.Redacted,
  Redacted.Redacted,
  Redacted.Redacted
]

const builderA: Attribution = {
  builderId: "bld_a",
  builderBps: 20,
  maxBuilderBps: 50,
  payoutAddress: FakeChain.address(0xaa),
  payoutMode: "ledger"
}
/** The answer of a backend without payout modes. */
const { payoutMode: _, ...builderB } = { ...builderA, builderId: "bld_b" }

const fixture = Effect.succeed({
  known: [
    { apiKey: keyA, attribution: builderA },
    { apiKey: keyB, attribution: builderB }
  ],
  unknown
})

const adapter = (options: Partial<BuilderAttributionHttp.Options> = {}, server = StubServer.layer) =>
  Layer.unwrap(Effect.map(StubServer, ({ url }) => BuilderAttributionHttp.layer({ builderUrl: url, ...options }))).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provideMerge(server)
  )

const UNKNOWN: Answer = { status: 404, body: { error: "unattributed" } }

const backend: Record<string, Attribution> = { "key-a": builderA, "key-b": builderB }

const remembering = StubServer.answering(({ headers }) => {
  const known = backend[headers.get("x-api-key") ?? ""]
  return known === undefined
    ? UNKNOWN
    : { status: 200, body: { ...known, payoutAddress: known.payoutAddress.toLowerCase() } }
})

BuilderAttributionSuite.suite("HTTP", adapter({}, remembering), fixture)

const resolve = (key: Redacted.Redacted) => BuilderAttribution.use((service) => service.resolve(key))

describe("BuilderAttributionHttp", () => {
  it.effect("sends the key in its header, and an empty body", () =>
    Effect.gen(function* () {
      const { answer, seen } = yield* StubServer
      yield* answer({ status: 200, body: builderA })
      yield* resolve(keyA)
      const [request] = yield* seen
      assert.strictEqual(`${request?.method} ${request?.path}`, "POST /attribute")
      assert.strictEqual(request?.headers.get("x-api-key"), "key-a")
      assert.isFalse(request?.headers.has("authorization"))
      assert.strictEqual(request?.body, "")
    }).pipe(Effect.provide(adapter()))
  )

  it.effect("keeps a path in the backend's URL", () =>
    Effect.gen(function* () {
      const { answer, seen, url } = yield* StubServer
      yield* answer(UNKNOWN)
      for (const builderUrl of [`${url}/api`, `${url}/api/`]) {
        const below = BuilderAttributionHttp.layer({ builderUrl }).pipe(Layer.provide(FetchHttpClient.layer))
        yield* resolve(keyA).pipe(Effect.provide(below))
      }
      assert.deepStrictEqual(
        (yield* seen).map(({ path }) => path),
        ["/api/attribute", "/api/attribute"]
      )
    }).pipe(Effect.provide(StubServer.layer))
  )

  it.effect("uses answers again for their lifetime, those for unknown keys too", () =>
    Effect.gen(function* () {
      const { answer, seen } = yield* StubServer
      yield* answer({ status: 200, body: builderA })
      yield* resolve(keyA)
      yield* answer(UNKNOWN)
      yield* resolve(unknown)
      yield* answer({ status: 200, body: builderB })
      assert.deepStrictEqual(yield* resolve(keyA), Option.some(builderA))
      assert.deepStrictEqual(yield* resolve(unknown), Option.none())
      assert.strictEqual((yield* seen).length, 2)
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* resolve(keyA), Option.some(builderB))
      assert.deepStrictEqual(yield* resolve(unknown), Option.some(builderB))
    }).pipe(Effect.provide(adapter({ cacheLifetime: "5 seconds" })))
  )

  it.effect("asks for every quote unless a lifetime is set, so that a rotated key stops at once", () =>
    Effect.gen(function* () {
      const { answer, seen } = yield* StubServer
      yield* answer({ status: 200, body: builderA })
      yield* Effect.all([resolve(keyA), resolve(keyA)], { concurrency: "unbounded" })
      assert.strictEqual((yield* seen).length, 2)
      yield* answer(UNKNOWN)
      assert.deepStrictEqual(yield* resolve(keyA), Option.none())
    }).pipe(Effect.provide(adapter()))
  )

  it.effect("identifies the orchestrator by its token, and only if it has one", () =>
    Effect.gen(function* () {
      const { answer, seen } = yield* StubServer
      yield* answer({ status: 200, body: builderA })
      yield* resolve(keyA)
      assert.strictEqual((yield* seen)[0]?.headers.get("authorization"), "Bearer a-token")
    }).pipe(Effect.provide(adapter({ token: Redacted.make("a-token") })))
  )

  it.effect("asks once for callers that come together within a cache's lifetime", () =>
    Effect.gen(function* () {
      const { answer, seen } = yield* StubServer
      yield* answer({ status: 200, body: builderA })
      yield* Effect.all([resolve(keyA), resolve(keyA), resolve(keyA)], { concurrency: "unbounded" })
      assert.strictEqual((yield* seen).length, 1)
    }).pipe(Effect.provide(adapter({ cacheLifetime: "5 seconds" })))
  )

  it.effect.each<readonly [string, Answer]>([
    ["401", { status: 401, body: { error: "unauthorized" } }],
    ["429", { status: 429, headers: { "retry-after": "7" }, body: { error: "rate limit exceeded" } }],
    ["404 of another server", { status: 404, body: { error: "not found" } }],
    ["404 of a proxy", { status: 404, body: "<html>" }],
    ["500", { status: 500, body: "oops" }],
    ["503 with the body of a success", { status: 503, body: builderA }],
    ["a body that is no JSON", { status: 200, body: "<html>" }],
    ["no body", { status: 200, body: "" }],
    ["JSON of another shape", { status: 200, body: { builderId: "bld_a" } }],
    ["a negative markup", { status: 200, body: { ...builderA, builderBps: -1 } }],
    ["the zero address", { status: 200, body: { ...builderA, payoutAddress: `0x${"0".repeat(40)}` } }],
    ["an unknown payout mode", { status: 200, body: { ...builderA, payoutMode: "cash" } }]
  ])("is unavailable on %s, and asks again next time", ([, answer]) =>
    Effect.gen(function* () {
      const stub = yield* StubServer
      yield* stub.answer(answer)
      const error = yield* Effect.flip(resolve(keyA))
      assert.strictEqual(error._tag, "AttributionUnavailable")
      assert.notInclude(error.message, "key-a")
      assert.notInclude(error.message, stub.url)
      yield* stub.answer({ status: 200, body: builderA })
      assert.deepStrictEqual(yield* resolve(keyA), Option.some(builderA))
    }).pipe(Effect.provide(adapter()))
  )

  it.effect("does not carry the key to where a redirect points", () =>
    Effect.gen(function* () {
      const { answer, seen } = yield* StubServer
      yield* answer({ status: 307, headers: { location: "/elsewhere" } })
      assert.strictEqual((yield* Effect.flip(resolve(keyA))).detail, "HTTP 307")
      assert.deepStrictEqual(
        (yield* seen).map(({ path }) => path),
        ["/attribute"]
      )
    }).pipe(Effect.provide(adapter()))
  )

  it.live("is unavailable when the backend is silent, or not there", () =>
    Effect.gen(function* () {
      const { answer } = yield* StubServer
      yield* answer({ status: 200, silent: true })
      assert.strictEqual((yield* Effect.flip(resolve(keyA))).detail, "no answer within 50 ms")
      const nobody = BuilderAttributionHttp.layer({ builderUrl: "http://127.0.0.1:1" })
      const error = yield* Effect.flip(
        resolve(keyA).pipe(Effect.provide(nobody.pipe(Layer.provide(FetchHttpClient.layer))))
      )
      assert.strictEqual(error.detail, "TransportError")
    }).pipe(Effect.provide(adapter({ timeout: "50 millis" })))
  )
})
