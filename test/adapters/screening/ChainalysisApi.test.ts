import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, Redacted } from "effect"
import { FetchHttpClient, HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as ChainalysisApi from "../../../src/adapters/screening/ChainalysisApi.ts"
import * as Accounts from "../../../src/devnet/Accounts.ts"
import * as Priority from "../../../src/ports/shared/Priority.ts"
import { Screening } from "../../../src/ports/shared/Screening.ts"
import * as ScreeningSuite from "../../ports/shared/Screening.suite.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { type Answer, type Seen, StubServer } from "../../support/StubServer.ts"
import { fixture, outcome } from "./fixture.ts"

const KEY = "key-of-the-test"
const HIT = { category: "sanctions", name: "SANCTIONS: OFAC SDN", description: null, url: "https://ofac.test" }
const identified = (...identifications: ReadonlyArray<unknown>): Answer => ({ status: 200, body: { identifications } })

/** Lists one address. */
const byList = ({ path }: Seen): Answer =>
  path.endsWith(`/api/v1/address/${Accounts.sanctioned().toLowerCase()}`) ? identified(HIT) : identified()

const adapter = Layer.effect(
  Screening,
  Effect.flatMap(StubServer, ({ url }) => ChainalysisApi.make({ apiKey: Redacted.make(KEY), baseUrl: url }))
).pipe(Layer.provideMerge([StubServer.answering(byList), FetchHttpClient.layer, Logger.layer([])]))

ScreeningSuite.suite("the Chainalysis API", adapter, fixture)

const ask = (...numbers: ReadonlyArray<number>) =>
  outcome(Screening.use((screening) => screening.clear(1, numbers.map(FakeChain.address))))

describe("ChainalysisApi", () => {
  it.effect("sends the key, and asks for each address once", () =>
    Effect.gen(function* () {
      const { seen } = yield* StubServer
      assert.strictEqual(yield* ask(1, 2, 1), "clear")
      const requests = yield* seen
      assert.deepStrictEqual(requests.map(({ path }) => path).sort(), [
        `/api/v1/address/${FakeChain.address(1).toLowerCase()}`,
        `/api/v1/address/${FakeChain.address(2).toLowerCase()}`
      ])
      for (const { headers } of requests) assert.strictEqual(headers.get("x-api-key"), KEY)
    }).pipe(Effect.provide(adapter))
  )

  it.effect.each<readonly [string, Answer]>([
    ["429", { status: 429, headers: { "Retry-After": "60" } }],
    ["500", { status: 500 }],
    ["a refused key", { status: 403, body: { message: "Forbidden" } }],
    ["404", { status: 404, body: identified().body }],
    ["no JSON", { status: 200, body: "<html>" }],
    ["JSON of another shape", { status: 200, body: { identifications: null } }],
    ["no identifications", { status: 200, body: {} }],
    ["a redirect", { status: 302, headers: { Location: "http://127.0.0.1:9/" } }]
  ])("blocks as unavailable on %s, and never as listed", ([, answer]) =>
    Effect.gen(function* () {
      yield* (yield* StubServer).answer(answer)
      assert.strictEqual(yield* ask(1), "unavailable")
    }).pipe(Effect.provide(adapter))
  )

  it.effect("keeps the pause that the API asks for, for 5 seconds at most", () =>
    Effect.gen(function* () {
      const { answer, seen } = yield* StubServer
      yield* answer({ status: 429, headers: { "Retry-After": "60" } })
      assert.strictEqual(yield* ask(1), "unavailable")
      yield* answer(identified())
      assert.strictEqual(yield* ask(1), "unavailable")
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual(yield* ask(1), "unavailable")
      assert.strictEqual((yield* seen).length, 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* ask(1), "clear")
    }).pipe(Effect.provide(adapter))
  )

  it.effect("asks once for an address on many chains, and again after 5 seconds", () =>
    Effect.gen(function* () {
      const { answer, seen } = yield* StubServer
      const screening = yield* Screening
      const onAll = Effect.forEach([1, 10, 56, 8453], (chainId) => screening.clear(chainId, [FakeChain.address(1)]), {
        concurrency: "unbounded",
        discard: true
      })
      yield* onAll
      yield* TestClock.adjust("4 seconds")
      yield* onAll
      assert.lengthOf(yield* seen, 1)
      yield* answer(identified(HIT))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* outcome(onAll), "listed")
    }).pipe(Effect.provide(adapter))
  )

  it.effect("keeps no listing and no failure", () =>
    Effect.gen(function* () {
      const { answer, seen } = yield* StubServer
      for (const [next, expected] of [
        [identified(HIT), "listed"],
        [identified(HIT), "listed"],
        [{ status: 500 }, "unavailable"],
        [{ status: 500 }, "unavailable"],
        [identified(), "clear"]
      ] as const) {
        yield* answer(next)
        assert.strictEqual(yield* ask(1), expected)
      }
      assert.lengthOf(yield* seen, 5)
    }).pipe(Effect.provide(adapter))
  )

  it.effect("does not end a shared request when the caller that began it leaves", () =>
    Effect.gen(function* () {
      const first = yield* Effect.forkChild(ask(1))
      const second = yield* Effect.forkChild(ask(1))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(first)
      assert.strictEqual(yield* Fiber.join(second), "clear")
      assert.lengthOf(yield* (yield* StubServer).seen, 1)
    }).pipe(Effect.provide(adapter))
  )

  /** The API in this process, which clears everybody. Counts its requests. */
  const counting = Effect.gen(function* () {
    let sent = 0
    const { clear } = yield* ChainalysisApi.make({ apiKey: Redacted.make(KEY) }).pipe(
      Effect.provideService(
        HttpClient.HttpClient,
        HttpClient.make((request) => {
          sent += 1
          return Effect.succeed(HttpClientResponse.fromWeb(request, Response.json(identified().body)))
        })
      )
    )
    let next = 1
    return {
      sent: () => sent,
      /** Asks for so many new addresses. */
      many: (count: number) => {
        const addresses = Array.from({ length: count }, () => FakeChain.address(next++))
        return outcome(clear(1, addresses))
      }
    }
  })

  it.effect("leaves half of a burst of 1,900 requests to the intake and the relay", () =>
    Effect.gen(function* () {
      const { many, sent } = yield* counting
      for (const priority of ["portfolio", "quote", "watch"] as const) yield* Priority.at(priority)(many(400))
      assert.strictEqual(sent(), 950)
      assert.strictEqual(yield* Priority.at("quote")(many(1)), "unavailable")
      assert.strictEqual(yield* Priority.at("intake")(many(475)), "clear")
      assert.strictEqual(yield* Priority.at("relay")(many(475)), "clear")
      assert.strictEqual(yield* Priority.at("relay")(many(1)), "unavailable")
      assert.strictEqual(sent(), 1_900)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Priority.at("quote")(many(1)), "unavailable")
      assert.strictEqual(yield* Priority.at("intake")(many(1)), "clear")
    })
  )

  it.effect("clears the addresses of 400 quotes at once", () =>
    Effect.gen(function* () {
      const { many } = yield* counting
      const quotes = Array.from({ length: 400 }, () => many(2))
      const outcomes = yield* Priority.at("quote")(Effect.all(quotes, { concurrency: "unbounded" }))
      assert.deepStrictEqual([...new Set(outcomes)], ["clear"])
    })
  )

  it.effect("sends at most 4,900 requests in five minutes", () =>
    Effect.gen(function* () {
      const { many, sent } = yield* counting
      yield* Priority.at("relay")(many(2_000))
      for (let second = 10; second <= 300; second += 10) {
        yield* TestClock.adjust("10 seconds")
        yield* Priority.at("relay")(many(200))
      }
      assert.isAtMost(sent(), 4_900)
      assert.isAtLeast(sent(), 4_890)
    })
  )

  it.effect("does not let urgent requests join others, which may wait longer", () =>
    Effect.gen(function* () {
      const { answer, seen } = yield* StubServer
      yield* answer({ status: 200, silent: true })
      const waiting = yield* Effect.forkChild(Priority.at("quote")(ask(1)))
      while ((yield* seen).length === 0) yield* Effect.promise(() => new Promise((done) => setImmediate(done)))
      yield* answer(identified())
      assert.strictEqual(yield* Priority.at("relay")(ask(1)), "clear")
      yield* Fiber.interrupt(waiting)
    }).pipe(Effect.provide(adapter))
  )

  it.effect("clears again with the first answer after many failures", () =>
    Effect.gen(function* () {
      const { answer } = yield* StubServer
      yield* answer({ status: 500 })
      for (let time = 0; time < 20; time++) assert.strictEqual(yield* ask(1), "unavailable")
      yield* answer(identified())
      assert.strictEqual(yield* ask(1), "clear")
    }).pipe(Effect.provide(adapter))
  )

  it.effect("blocks when the API is silent", () =>
    Effect.gen(function* () {
      yield* (yield* StubServer).answer({ status: 200, silent: true })
      const asked = yield* Effect.forkChild(ask(1))
      yield* Effect.yieldNow
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* Fiber.join(asked), "unavailable")
    }).pipe(Effect.provide(adapter))
  )

  it.effect("blocks as listed on any identification, even if another address has no answer", () =>
    Effect.gen(function* () {
      yield* (yield* StubServer).answer(({ path }) =>
        path.endsWith(FakeChain.address(2).toLowerCase()) ? identified({ category: "other" }) : { status: 500 }
      )
      assert.strictEqual(yield* ask(1, 2), "listed")
    }).pipe(Effect.provide(adapter))
  )

  it.effect("clears an empty list without a request", () =>
    Effect.gen(function* () {
      yield* (yield* StubServer).answer({ status: 500 })
      assert.strictEqual(yield* ask(), "clear")
    }).pipe(Effect.provide(adapter))
  )
})
