import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import * as SubscriptionsHttp from "../../../src/adapters/http/SubscriptionsHttp.ts"
import * as Health from "../../../src/adapters/providers/Health.ts"
import { Subscriptions } from "../../../src/ports/orchestrator/Subscriptions.ts"
import { ProviderStates } from "../../../src/ports/shared/ProviderStates.ts"
import { type Answer, StubServer } from "../../support/StubServer.ts"

const active = (isActive: boolean): Answer => ({ status: 200, body: { active: isActive } })

const adapter = Layer.unwrap(
  Effect.map(StubServer, ({ url }) =>
    SubscriptionsHttp.layer({
      url: `${url}/subscriptions`,
      token: Redacted.make("secret"),
      cacheLifetime: "60 seconds"
    })
  )
).pipe(Layer.provideMerge([StubServer.answering(() => active(true)), FetchHttpClient.layer, Logger.layer([])]))

const ask = (userId: string, subscriptionActive = false) =>
  Effect.flatMap(Subscriptions, ({ isActive }) => isActive({ userId, subscriptionActive }))

const listed = Layer.provideMerge(adapter, Health.layer)

/** States of the service as operators see them. */
const states = Effect.flatMap(ProviderStates, ({ all }) => Effect.map(all, (each) => each.map(({ state }) => state)))

/** Asks for five users. */
const crowd = (name: string) =>
  Effect.forEach(Array.from({ length: 5 }), (_, user) => ask(`${name} ${user}`), { discard: true })

/** A network that can be cut. */
const makeNetwork = () => {
  const reach = { isThere: true, requests: 0 }
  const send: typeof globalThis.fetch = Object.assign(
    (...request: Parameters<typeof globalThis.fetch>) => {
      reach.requests += 1
      return reach.isThere ? globalThis.fetch(...request) : Promise.reject(new Error("no route to host"))
    },
    { preconnect: globalThis.fetch.preconnect }
  )
  return { reach, network: Layer.succeed(FetchHttpClient.Fetch, send) }
}

describe("SubscriptionsHttp", () => {
  it.effect("asks for the user with the token, and keeps the answer", () =>
    Effect.gen(function* () {
      const { answer, seen } = yield* StubServer
      assert.isTrue(yield* ask("user & co"))
      yield* answer(active(false))
      assert.isTrue(yield* ask("user & co"))
      const requests = yield* seen
      assert.deepStrictEqual(
        requests.map(({ headers, path }) => [
          new URL(path, "http://x").searchParams.get("userId"),
          headers.get("authorization")
        ]),
        [["user & co", "Bearer secret"]]
      )
      yield* TestClock.adjust("60 seconds")
      assert.isFalse(yield* ask("user & co"))
      assert.strictEqual((yield* seen).length, 2)
    }).pipe(Effect.provide(adapter))
  )

  it.effect("does not believe the request", () =>
    Effect.gen(function* () {
      yield* (yield* StubServer).answer(active(false))
      assert.isFalse(yield* ask("user", true))
    }).pipe(Effect.provide(adapter))
  )

  it.effect("tells users apart", () =>
    Effect.gen(function* () {
      yield* (yield* StubServer).answer(({ path }) => active(path.includes("subscriber")))
      assert.deepStrictEqual(yield* Effect.all([ask("subscriber"), ask("other")]), [true, false])
    }).pipe(Effect.provide(adapter))
  )

  it.effect.each<readonly [string, Answer]>([
    ["404", { status: 404 }],
    ["422", { status: 422 }],
    ["429", { status: 429, headers: { "Retry-After": "1" } }],
    ["500", { status: 500 }],
    ["a refused token", { status: 401 }],
    ["no JSON", { status: 200, body: "yes" }],
    ["JSON of another shape", { status: 200, body: { active: "true" } }],
    ["a redirect", { status: 302, headers: { Location: "http://127.0.0.1:9/" } }]
  ])("takes %s for no subscription", ([, answer]) =>
    Effect.gen(function* () {
      yield* (yield* StubServer).answer(answer)
      assert.isFalse(yield* ask("user", true))
    }).pipe(Effect.provide(adapter))
  )

  it.effect.each([400, 402, 403, 422])("asks for subscribers after users whom the service refuses by %d", (status) =>
    Effect.gen(function* () {
      yield* (yield* StubServer).answer(({ path }) => (path.includes("subscriber") ? active(true) : { status }))
      for (let user = 0; user < 10; user += 1) assert.isFalse(yield* ask(`refused ${user}`))
      assert.isTrue(yield* ask("subscriber"))
    }).pipe(Effect.provide(adapter))
  )

  it.effect("asks again soon after invented users have used up its requests", () =>
    Effect.gen(function* () {
      const { answer } = yield* StubServer
      yield* answer({ status: 429, headers: { "Retry-After": "600" } })
      for (let user = 0; user < 10; user += 1) assert.isFalse(yield* ask(`invented ${user}`))
      yield* answer(active(true))
      yield* TestClock.adjust("5 seconds")
      assert.isTrue(yield* ask("subscriber"))
    }).pipe(Effect.provide(adapter))
  )

  it.effect("is not closed by failures for invented users", () =>
    Effect.gen(function* () {
      yield* (yield* StubServer).answer(({ path }) => (path.includes("subscriber") ? active(true) : { status: 500 }))
      for (let user = 0; user < 10; user += 1) assert.isFalse(yield* ask(`invented ${user}`))
      assert.isTrue(yield* ask("subscriber"))
    }).pipe(Effect.provide(adapter))
  )

  it.effect("is not lost by failures that delay no quote, nor kept lost by them", () => {
    const { network, reach } = makeNetwork()
    return Effect.gen(function* () {
      yield* (yield* StubServer).answer(({ path }) => (path.includes("subscriber") ? active(true) : { status: 500 }))
      for (let round = 0; round < 12; round += 1) {
        yield* crowd(`of round ${round}`)
        yield* TestClock.adjust("10 seconds")
      }
      assert.deepStrictEqual(yield* states, ["closed"])
      reach.isThere = false
      yield* crowd("first")
      yield* TestClock.adjust("30 seconds")
      yield* crowd("late")
      assert.deepStrictEqual(yield* states, ["open"])
      reach.isThere = true
      yield* TestClock.adjust("5 seconds")
      yield* crowd("invented")
      assert.isTrue(yield* ask("subscriber"))
      assert.deepStrictEqual(yield* states, ["closed"])
    }).pipe(Effect.provide(listed), Effect.provide(network))
  })

  it.effect("is not lost by a failure, silence and a burst of failures", () => {
    const { network, reach } = makeNetwork()
    return Effect.gen(function* () {
      reach.isThere = false
      yield* ask("first")
      yield* TestClock.adjust("1 hour")
      yield* crowd("burst")
      assert.deepStrictEqual(yield* states, ["closed"])
    }).pipe(Effect.provide(listed), Effect.provide(network))
  })

  it.effect("is not asked for each quote after it was away for 30 seconds, and is found again in 5 seconds", () => {
    const { network, reach } = makeNetwork()
    return Effect.gen(function* () {
      reach.isThere = false
      yield* crowd("first")
      yield* TestClock.adjust("29 seconds")
      yield* crowd("early")
      assert.deepStrictEqual(yield* states, ["closed"])
      yield* TestClock.adjust("1 second")
      yield* crowd("late")
      assert.strictEqual(reach.requests, 15)
      yield* crowd("refused")
      assert.strictEqual(reach.requests, 15)
      assert.deepStrictEqual(yield* states, ["open"])
      for (let minute = 0; minute < 10; minute += 1) {
        yield* TestClock.adjust("1 minute")
        yield* crowd(`of minute ${minute}`)
      }
      assert.strictEqual(reach.requests, 25)
      reach.isThere = true
      yield* TestClock.adjust("5 seconds")
      assert.isTrue(yield* ask("subscriber"))
    }).pipe(Effect.provide(listed), Effect.provide(network))
  })

  it.effect("keeps a subscriber's subscription for ten minutes while the service fails", () =>
    Effect.gen(function* () {
      const { answer } = yield* StubServer
      assert.isTrue(yield* ask("subscriber"))
      yield* answer({ status: 500 })
      yield* TestClock.adjust("10 minutes")
      assert.isTrue(yield* ask("subscriber"))
      assert.isFalse(yield* ask("other"))
      yield* TestClock.adjust("1 minute")
      assert.isFalse(yield* ask("subscriber"))
    }).pipe(Effect.provide(adapter))
  )

  it.effect("keeps no subscription that has ended", () =>
    Effect.gen(function* () {
      const { answer } = yield* StubServer
      assert.isTrue(yield* ask("subscriber"))
      yield* answer(active(false))
      yield* TestClock.adjust("1 minute")
      assert.isFalse(yield* ask("subscriber"))
      yield* answer({ status: 500 })
      yield* TestClock.adjust("1 minute")
      assert.isFalse(yield* ask("subscriber"))
    }).pipe(Effect.provide(adapter))
  )

  it.effect("waits at most a second for a silent service, and asks again soon", () =>
    Effect.gen(function* () {
      const { answer } = yield* StubServer
      yield* answer({ status: 200, silent: true })
      const asked = yield* Effect.forkChild(ask("user", true))
      yield* Effect.yieldNow
      yield* TestClock.adjust("1 second")
      assert.isFalse(yield* Fiber.join(asked))
      yield* answer(active(true))
      yield* TestClock.adjust("2 seconds")
      assert.isTrue(yield* ask("user"))
    }).pipe(Effect.provide(adapter))
  )
})

describe("Subscriptions by default", () => {
  it.effect("believe the request", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Effect.all([ask("user", true), ask("user", false)]), [true, false])
    })
  )
})
