/** The failure of a quote without a route, while some of the venues do not answer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { PASSING_MILLIS } from "../../../src/adapters/swap/VenueReport.ts"
import { NoRoute, type RouteOf, RoutingUnavailable } from "../../../src/ports/orchestrator/SwapVenue.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { A, failing, FIRST, request, routeVia, scene, source } from "./scriptedVenues.ts"

const STATES = {
  down: Effect.fail(new RoutingUnavailable({ provider: "a", detail: "HTTP 429" })),
  silent: Effect.never,
  none: Effect.fail(new NoRoute({ detail: "a has no pool" })),
  good: Effect.succeed(routeVia(A, 90n))
} satisfies Record<string, ReturnType<RouteOf>>

/** Venues of which one never has a route, and the other one is in the state that is asked for. Returns the failures of quotes. */
const failures = Effect.fnUntraced(function* () {
  let state: keyof typeof STATES = "good"
  const none = failing("uniswap-v3", FIRST, new NoRoute({ detail: "no pool" }))
  const { route } = yield* scene([none, source("a", A, () => STATES[state])])
  return Effect.fnUntraced(function* (next: keyof typeof STATES, tokenIn = request.tokenIn) {
    state = next
    const fiber = yield* Effect.forkChild(Effect.flip(route({ ...request, tokenIn })))
    for (let step = 0; step < 20; step++) yield* TestClock.adjust("200 millis")
    return yield* Fiber.join(fiber)
  })
})

describe("a quote for which no venue that answers has a route", () => {
  it.effect("may be asked for again while a venue that answered before does not, and names it", () =>
    Effect.gen(function* () {
      const failure = yield* failures()
      assert.strictEqual((yield* failure("none"))._tag, "NoRoute")
      for (const [state, detail] of [
        ["down", "a is unavailable: HTTP 429"],
        ["silent", "no answer in time from a"]
      ] as const) {
        // Asking again does not turn the answer into a lasting one.
        for (const _ of [1, 2]) {
          const unavailable = yield* failure(state)
          assert.strictEqual(unavailable._tag, "RoutingUnavailable")
          assert.include(unavailable.message, "no pool")
          assert.include(unavailable.message, detail)
        }
      }
      assert.strictEqual((yield* failure("none"))._tag, "NoRoute")
    })
  )

  it.effect("has no route once the venue has failed for its token alone for long", () =>
    Effect.gen(function* () {
      const failure = yield* failures()
      const other = FakeChain.address(0xee)
      for (let elapsed = 0; elapsed < PASSING_MILLIS; elapsed += 60_000) {
        assert.strictEqual((yield* failure("none", other))._tag, "NoRoute")
        assert.strictEqual((yield* failure("down"))._tag, "RoutingUnavailable")
        yield* TestClock.adjust("52 seconds")
      }
      yield* failure("none", other)
      assert.strictEqual((yield* failure("down"))._tag, "NoRoute")
      // Another token of the venue may be asked for again.
      yield* failure("none", other)
      assert.strictEqual((yield* failure("down", other))._tag, "RoutingUnavailable")
    })
  )

  it.effect("has no route if the silent venue never answered, or has not for long, and names it", () =>
    Effect.gen(function* () {
      const failure = yield* failures()
      const never = yield* failure("silent")
      assert.strictEqual(never._tag, "NoRoute")
      assert.include(never.message, "no answer in time from a")
      yield* failure("none")
      assert.strictEqual((yield* failure("down"))._tag, "RoutingUnavailable")
      yield* TestClock.adjust(PASSING_MILLIS)
      const dead = yield* failure("silent")
      assert.strictEqual(dead._tag, "NoRoute")
      assert.include(dead.message, "no answer in time from a")
      // Its time begins again once it has answered.
      yield* failure("none")
      assert.strictEqual((yield* failure("down"))._tag, "RoutingUnavailable")
    })
  )
})
