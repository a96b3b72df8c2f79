/** Exchanges among several venues that are known to have no pool of a pair. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { VenueSource } from "../../../src/adapters/swap/VenueSource.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { RoutingUnavailable } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { chain } from "../../support/FakeChain.ts"
import { A, B, failing, FIRST, names, paying, prices, request, routeVia, scene, source } from "./scriptedVenues.ts"

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

  it.effect("asks no service for a rough route, and makes none where that spares no service", () =>
    Effect.gen(function* () {
      const rough = { ...request, withoutServices: true }
      const exchange = (name: string, router: typeof A) => ({ ...paying(name, router, 100n), mayTrade: () => true })
      const service = paying("a", A, 101n)
      const { prepare } = yield* scene([exchange("uniswap-v3", FIRST), service])
      const routeOf = yield* prepare(request)
      assert.deepStrictEqual(names(yield* routeOf(rough)), ["uniswap-v3"])
      assert.strictEqual(service.asked.routes, 0)
      assert.deepStrictEqual(names(yield* routeOf(request)), ["a", "uniswap-v3"])

      const poolless = { ...exchange("b", B), mayTrade: () => false }
      for (const sources of [
        [service],
        [exchange("a", A)],
        [exchange("uniswap-v3", FIRST), exchange("a", A)],
        [service, paying("b", B, 100n)],
        [service, poolless]
      ]) {
        assert.strictEqual((yield* Effect.flip((yield* scene(sources)).route(rough)))._tag, "NoRoute")
      }
      assert.strictEqual(service.asked.routes, 1)
    })
  )

  it.effect("spends no time of the services on exchanges or prices that stay silent, and logs nothing of those", () =>
    Effect.gen(function* () {
      const answering = (name: string, router: typeof A, millis: number) => ({
        ...source(name, router, () => Effect.as(Effect.sleep(millis), routeVia(router, 99n))),
        mayTrade: () => true
      })
      const silent = { ...source("uniswap-v3", FIRST, () => Effect.never), mayTrade: () => true }
      const service = source("a", A, () => Effect.as(Effect.sleep(500), routeVia(A, 100n)))
      const away = prices(() => Effect.never)
      for (const [sources, usd, rough, logged] of [
        [[silent, service], undefined, 100, ["venue.unanswered uniswap-v3"]],
        [[silent, answering("b", B, 0), service], undefined, 20, ["venue.unanswered uniswap-v3"]],
        [[answering("uniswap-v3", FIRST, 200), service], undefined, 100, []],
        [[answering("uniswap-v3", FIRST, 0), answering("b", B, 0), service], away, 0, []]
      ] as const) {
        const { events, prepare } = yield* scene(sources, usd === undefined ? {} : { usd })
        const routeOf = yield* prepare(request)
        const began = yield* Clock.currentTimeMillis
        const fiber = yield* Effect.forkChild(
          Effect.gen(function* () {
            yield* Effect.exit(routeOf({ ...request, withoutServices: true }))
            const took = (yield* Clock.currentTimeMillis) - began
            return [took, (yield* routeOf(request)).provider, events]
          })
        )
        for (let step = 0; step < 300; step++) yield* TestClock.adjust(20)
        assert.deepStrictEqual(yield* Fiber.join(fiber), [rough, "a", [...logged]])
      }
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
