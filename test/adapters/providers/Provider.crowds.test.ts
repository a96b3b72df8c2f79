import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Result } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as Health from "../../../src/adapters/providers/Health.ts"
import * as Provider from "../../../src/adapters/providers/Provider.ts"
import * as Subject from "../../../src/adapters/providers/Subject.ts"

/** Milliseconds after which a request for a path is answered. */
type Latency = (path: string) => number

const answeringAfter = (latency: Latency) =>
  Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request, url) =>
      Effect.delay(
        Effect.sync(() => HttpClientResponse.fromWeb(request, Response.json({}))),
        latency(url.pathname)
      )
    )
  )

const options = { name: "test", baseUrl: "http://127.0.0.1", deadline: 650 }

const makeAsk = Effect.map(Provider.make(options), (provider) => ({
  provider,
  /** Asks about an owner, and returns the failure's detail, or "answered". */
  about: (owner: string) =>
    provider
      .ask(HttpClientRequest.get(`/${owner}`), () => Effect.void)
      .pipe(Subject.of(owner), Effect.match({ onSuccess: () => "answered", onFailure: ({ detail }) => detail }))
}))

type About = Effect.Success<typeof makeAsk>["about"]

/** Asks about the owners at once, and lets time pass until all have ended. */
const crowd = Effect.fnUntraced(function* (about: About, owners: ReadonlyArray<string>) {
  const asking = yield* Effect.forkChild(Effect.forEach(owners, about, { concurrency: "unbounded" }))
  yield* TestClock.adjust("2 seconds")
  return yield* Fiber.join(asking)
})

const SLOW = "no answer within 650 ms"

/** Slow for whales, and for everybody while it is down. */
const scene = (isDown: () => boolean = () => false) =>
  Layer.merge(
    answeringAfter((path) => (isDown() || path.includes("whale") ? 900 : 100)),
    Health.layer
  )

const sixTimes = (owner: string) => Array.from({ length: 6 }, () => owner)

describe("Provider among crowds", () => {
  it.effect("is not lost by a crowd that waits for places", () =>
    Effect.gen(function* () {
      const provider = yield* Provider.make(options)
      const ask = provider.ask(HttpClientRequest.get("/x"), () => Effect.void)
      const asking = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 100 }), () => Effect.result(ask), { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("2 seconds")
      const outcomes = yield* Fiber.join(asking)
      const failures = outcomes.flatMap((outcome) => (Result.isFailure(outcome) ? [outcome.failure] : []))
      assert.strictEqual(outcomes.length - failures.length, 96)
      assert.deepStrictEqual(
        new Set(failures.map(({ detail, reason }) => `${reason}: ${detail}`)),
        new Set(["waiting: too many requests are under way"])
      )
      assert.deepInclude(yield* provider.state, { state: "closed", failures: 0 })
    }).pipe(
      Effect.provide(
        Layer.merge(
          answeringAfter(() => 250),
          Health.layer
        )
      )
    )
  )

  it.effect("is not lost by one owner for whom it is slow", () =>
    Effect.gen(function* () {
      const { about, provider } = yield* makeAsk
      assert.deepStrictEqual(new Set(yield* crowd(about, sixTimes("whale"))), new Set([SLOW]))
      assert.deepInclude(yield* provider.state, { state: "closed", failuresInARow: 6 })
      assert.deepStrictEqual(yield* crowd(about, ["user"]), ["answered"])
    }).pipe(Effect.provide(scene()))
  )

  it.effect("is not lost by many owners for whom it is slow while it answers others", () =>
    Effect.gen(function* () {
      const { about, provider } = yield* makeAsk
      const whales = sixTimes("whale").map((whale, index) => `${whale}${index}`)
      yield* crowd(about, [...whales, "user"])
      assert.strictEqual((yield* provider.state).state, "closed")
      yield* crowd(
        about,
        sixTimes("whale").map((whale, index) => `${whale}-${index}`)
      )
      assert.strictEqual((yield* provider.state).state, "open")
    }).pipe(Effect.provide(scene()))
  )

  it.effect("is not lost by one owner alone, neither after a long failure nor after a pause", () =>
    Effect.gen(function* () {
      const { about, provider } = yield* makeAsk
      for (let round = 0; round < 12; round += 1) {
        yield* crowd(about, sixTimes("whale"))
        yield* TestClock.adjust("20 seconds")
      }
      yield* TestClock.adjust("1 hour")
      yield* crowd(about, sixTimes("whale"))
      assert.strictEqual((yield* provider.state).state, "closed")
    }).pipe(Effect.provide(scene()))
  )

  it.effect("is not lost by few owners whose failures lie apart", () =>
    Effect.gen(function* () {
      const { about, provider } = yield* makeAsk
      yield* crowd(about, ["whale", "whale2"])
      yield* TestClock.adjust("61 seconds")
      yield* crowd(about, [...sixTimes("whale"), ...sixTimes("whale2")])
      assert.strictEqual((yield* provider.state).state, "closed")
    }).pipe(Effect.provide(scene()))
  )

  it.effect("is lost by a few owners only after it has failed for a minute without an answer", () =>
    Effect.gen(function* () {
      const { about, provider } = yield* makeAsk
      const owners = [...sixTimes("whale"), "whale2"]
      const halfMinute = Effect.gen(function* () {
        yield* crowd(about, owners)
        yield* TestClock.adjust("26 seconds")
      })
      yield* halfMinute
      yield* halfMinute
      yield* crowd(about, ["user", ...owners])
      yield* halfMinute
      yield* halfMinute
      yield* halfMinute
      assert.strictEqual((yield* provider.state).state, "closed")
      yield* crowd(about, owners)
      assert.strictEqual((yield* provider.state).state, "open")
      yield* TestClock.adjust("5 seconds")
      // Its probe tells nothing new, so it keeps nobody else from being the next.
      assert.deepStrictEqual(yield* crowd(about, ["whale"]), [SLOW])
      assert.strictEqual((yield* provider.state).state, "half_open")
      assert.deepStrictEqual(yield* crowd(about, ["user"]), ["answered"])
    }).pipe(Effect.provide(scene()))
  )

  it.effect("is lost within seconds when it answers nobody, and found by those whom it did not fail before", () => {
    let isDown = true
    return Effect.gen(function* () {
      const { about, provider } = yield* makeAsk
      const owners = ["whale", "a", "b", "c", "d"]
      yield* crowd(about, owners)
      assert.strictEqual((yield* provider.state).state, "open")
      isDown = false
      yield* TestClock.adjust("5 seconds")
      // The first one of them may probe, and its failure does not open the circuit anew.
      assert.deepStrictEqual(yield* crowd(about, ["whale"]), [SLOW])
      assert.deepStrictEqual(yield* crowd(about, ["whale"]), ["failed before about the same, next request in 3 s"])
      assert.deepStrictEqual(yield* crowd(about, ["user"]), ["answered"])
      assert.strictEqual((yield* provider.state).state, "closed")
    }).pipe(Effect.provide(scene(() => isDown)))
  })

  it.effect("is found again by an owner who was there when it was lost", () => {
    let isDown = true
    return Effect.gen(function* () {
      const { about, provider } = yield* makeAsk
      yield* crowd(about, ["a", "b", "c", "d", "e"])
      assert.strictEqual((yield* provider.state).state, "open")
      isDown = false
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* crowd(about, ["a"]), ["answered"])
      assert.strictEqual((yield* provider.state).state, "closed")
    }).pipe(Effect.provide(scene(() => isDown)))
  })
})
