/** Exchanges among several venues that are known to have no pool of a pair. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { VenueSource } from "../../../src/adapters/swap/VenueSource.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { RoutingUnavailable } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { chain } from "../../support/FakeChain.ts"
import { A, B, failing, FIRST, names, paying, request, routeVia, scene, source } from "./scriptedVenues.ts"

describe("the best of several venues", () => {
  it.effect("does not ask an exchange that is known to have no pool, before or since it was read", () =>
    Effect.gen(function* () {
      const trading = { before: true, since: true, always: true }
      const mayTrade = (key: keyof typeof trading): Pick<VenueSource, "mayTrade"> => ({ mayTrade: () => trading[key] })
      const sources = [
        { ...paying("uniswap-v3", FIRST, 100n), ...mayTrade("always") },
        { ...paying("a", A, 101n), ...mayTrade("before") },
        { ...paying("b", B, 102n), ...mayTrade("since") }
      ]
      const askedOf = () => sources.map(({ asked: { prepared, routes } }) => [prepared, routes])
      const { prepare } = yield* scene(sources)
      trading.before = false
      const routeOf = yield* prepare(request)
      assert.deepStrictEqual(names(yield* routeOf(request)), ["b", "uniswap-v3"])
      trading.since = false
      assert.deepStrictEqual(names(yield* routeOf(request)), ["uniswap-v3"])
      const before = [
        [1, 2],
        [0, 0],
        [1, 1]
      ]
      assert.deepStrictEqual(askedOf(), before)
      trading.always = false
      const none = yield* Effect.flip(routeOf(request))
      assert.strictEqual(none._tag, "NoRoute")
      for (const { name } of sources) assert.include(none.message, `on ${name}`)
      assert.deepStrictEqual(askedOf(), before)
    })
  )

  it.effect("asks every exchange to exchange the forms of the native currency, which needs no pool", () =>
    Effect.gen(function* () {
      const sources = [paying("uniswap-v3", FIRST, 100n), paying("a", A, 100n)].map((each) => ({
        ...each,
        mayTrade: () => false
      }))
      const { route } = yield* scene(sources)
      assert.strictEqual((yield* route({ ...request, tokenIn: chain.wrappedNative, tokenOut: NATIVE })).amountOut, 100n)
    })
  )

  it.effect("says that a pair has no pool although a venue has trouble with others", () =>
    Effect.gen(function* () {
      let [isUp, trades] = [true, true]
      const venue = source("uniswap-v3", FIRST, () =>
        isUp
          ? Effect.succeed(routeVia(FIRST, 100n))
          : Effect.fail(new RoutingUnavailable({ provider: "uniswap-v3", detail: "down" }))
      )
      const other = paying("a", A, 50n)
      const { route } = yield* scene([venue, other].map((each) => ({ ...each, mayTrade: () => trades })))
      yield* route(request)
      isUp = false
      yield* route(request)
      trades = false
      assert.strictEqual((yield* Effect.flip(route(request)))._tag, "NoRoute")
    })
  )

  it.effect("has an answer of an exchange whose knowledge ended between the reading and the route", () =>
    Effect.gen(function* () {
      const down = failing("b", B, new RoutingUnavailable({ provider: "b", detail: "down" }))
      const known = { ...paying("a", A, 100n), mayTrade: (_: unknown, __: unknown, now: number) => now >= 60_000 }
      const { prepare } = yield* scene([down, known])
      const routeOf = yield* prepare(request)
      yield* TestClock.setTime(60_000)
      const none = yield* Effect.flip(routeOf(request))
      assert.strictEqual(none._tag, "NoRoute")
      assert.include(none.message, "on a")
    })
  )
})
