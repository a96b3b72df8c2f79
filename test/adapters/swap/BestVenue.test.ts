import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as ListedRouters from "../../../src/adapters/swap/ListedRouters.ts"
import type { VenueSource } from "../../../src/adapters/swap/VenueSource.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { PricesUnavailable } from "../../../src/ports/orchestrator/Prices.ts"
import { NoRoute, type RouteOf, RoutingUnavailable } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { chain } from "../../support/FakeChain.ts"
import {
  A,
  B,
  C,
  failing,
  FIRST,
  names,
  paying,
  prices,
  request,
  routeVia,
  scene,
  source,
  STRANGER,
  USDC
} from "./scriptedVenues.ts"

/** Lets the clock run until the effect has ended. */
const passing = Effect.fnUntraced(function* <A, E>(effect: Effect.Effect<A, E>) {
  const fiber = yield* Effect.forkChild(effect)
  for (let step = 0; step < 100; step++) yield* TestClock.adjust("200 millis")
  return yield* Fiber.join(fiber)
})

describe("the best of several venues", () => {
  it.effect("is the one with the largest output net of gas, with the next ones behind it", () =>
    Effect.gen(function* () {
      // 100,000 gas cost 3 USD.
      const sources = [
        paying("uniswap-v3", FIRST, 100_000_000n, 100_000n),
        paying("a", A, 102_000_000n, 200_000n),
        paying("b", B, 99_500_000n, 50_000n),
        paying("c", C, 90_000_000n, 50_000n)
      ]
      const route = yield* (yield* scene(sources)).route(request)
      assert.deepStrictEqual(names(route), ["b", "uniswap-v3", "a", "c"])
      assert.deepStrictEqual([route.target, route.amountOut, route.alternatives?.[0]?.target], [B, 99_500_000n, FIRST])
      // Without prices, by the output alone.
      const blind = prices(() => Effect.fail(new PricesUnavailable({ detail: "down" })))
      const byOutput = yield* (yield* scene(sources, { usd: blind })).route(request)
      assert.deepStrictEqual(names(byOutput), ["a", "uniswap-v3", "b", "c"])
      const unlisted = yield* (yield* scene(sources)).route({ ...request, tokenOut: STRANGER })
      assert.deepStrictEqual(names(unlisted), ["a", "uniswap-v3", "b", "c"])
    })
  )

  it.effect("needs no price to weigh gas against native currency", () =>
    Effect.gen(function* () {
      // 100,000 gas cost 10^15 wei.
      const sources = [paying("uniswap-v3", FIRST, 10n ** 16n, 200_000n), paying("a", A, 95n * 10n ** 14n, 100_000n)]
      const blind = prices(() => Effect.die("not needed"))
      for (const tokenOut of [NATIVE, chain.wrappedNative]) {
        const { route } = yield* scene(sources, { usd: blind })
        assert.deepStrictEqual(names(yield* route({ ...request, tokenOut })), ["a", "uniswap-v3"])
      }
    })
  )

  it.effect("does without venues that fail, break, lie or stay silent, and names them in the log", () =>
    Effect.gen(function* () {
      const broken: VenueSource = { ...paying("defect", C, 1n), prepare: () => Effect.die("bug") }
      const sources = [
        paying("uniswap-v3", FIRST, 100n),
        failing("down", A, new RoutingUnavailable({ provider: "down", detail: "503" })),
        failing("none", A, new NoRoute({ detail: "no pool" })),
        source("elsewhere", B, () => Effect.succeed(routeVia(STRANGER, 10_000n))),
        source("inflated", B, () => Effect.succeed({ ...routeVia(B, 100n), minAmountOut: 101n })),
        source("nothing", B, () => Effect.succeed(routeVia(B, 0n))),
        source("silent", C, () => Effect.never),
        broken,
        paying("good", C, 90n)
      ]
      const { events, route } = yield* scene(sources)
      assert.deepStrictEqual(names(yield* passing(route(request))), ["uniswap-v3", "good"])
      assert.deepStrictEqual(events.toSorted(), [
        "venue.failed defect",
        "venue.refused elsewhere",
        "venue.refused inflated",
        "venue.refused nothing",
        "venue.unanswered silent",
        "venue.unavailable down"
      ])
    })
  )

  it.effect("names a venue in the log once while it does not answer, and once when it does again", () =>
    Effect.gen(function* () {
      const down = new RoutingUnavailable({ provider: "a", detail: "the budget of requests is spent" })
      const states: Record<string, ReturnType<RouteOf>> = {
        down: Effect.fail(down),
        silent: Effect.never,
        none: Effect.fail(new NoRoute({ detail: "no pool" })),
        good: Effect.succeed(routeVia(A, 90n))
      }
      let state = "good"
      const sources = [
        paying("uniswap-v3", FIRST, 100n),
        source("a", A, () => states[state] ?? Effect.die("no state")),
        source("broken", B, () => Effect.die("bug"))
      ]
      const { events, route } = yield* scene(sources)
      const during = Effect.fnUntraced(function* (next: string) {
        state = next
        events.length = 0
        yield* passing(route(request))
        return events.filter((event) => !event.startsWith("venue.failed"))
      })
      assert.deepStrictEqual(yield* during("good"), [])
      assert.deepStrictEqual(yield* during("down"), ["venue.unavailable a"])
      assert.deepStrictEqual(yield* during("down"), [])
      assert.deepStrictEqual(yield* during("silent"), ["venue.unanswered a"])
      assert.deepStrictEqual(yield* during("silent"), [])
      // A venue without a route works.
      assert.deepStrictEqual(yield* during("none"), ["venue.recovered a"])
      assert.deepStrictEqual(yield* during("good"), [])
      assert.deepStrictEqual(yield* during("down"), ["venue.unavailable a"])
      assert.deepStrictEqual(yield* during("good"), ["venue.recovered a"])
      // A defect is named each time.
      assert.deepStrictEqual(events.toSorted(), ["venue.failed broken", "venue.recovered a"])
    })
  )

  const slowly = (name: string, router: typeof A, amountOut: bigint, millis: number) =>
    source(name, router, () => Effect.as(Effect.sleep(millis), routeVia(router, amountOut)))

  /** Routes that are known after this time, in milliseconds. */
  const decided = Effect.fnUntraced(function* (sources: ReadonlyArray<VenueSource>, asked = request) {
    const { route } = yield* scene(sources)
    const began = yield* Clock.currentTimeMillis
    const fiber = yield* Effect.forkChild(
      Effect.flatMap(route(asked), (found) => Effect.map(Clock.currentTimeMillis, (now) => [names(found), now - began]))
    )
    for (let step = 0; step < 400; step++) {
      for (let turn = 0; turn < 10; turn++) yield* Effect.yieldNow
      if (fiber.pollUnsafe() !== undefined) break
      yield* TestClock.adjust("10 millis")
    }
    return yield* Fiber.join(fiber)
  })

  it.effect("waits 600 ms after the first good answer: for services that take 50, 300 and 550 ms", () =>
    Effect.gen(function* () {
      const exchange = slowly("uniswap-v3", FIRST, 100_000_000n, 10)
      for (const millis of [50, 300, 550]) {
        const better = slowly("0x", A, 101_000_000n, millis)
        assert.deepStrictEqual(yield* decided([exchange, better]), [["0x", "uniswap-v3"], millis])
      }
      const late = slowly("0x", A, 101_000_000n, 700)
      assert.deepStrictEqual(yield* decided([exchange, late]), [["uniswap-v3"], 610])
    })
  )

  it.effect("lets a market that pays far below prices cut off nobody", () =>
    Effect.gen(function* () {
      const asked = { ...request, tokenIn: USDC, tokenOut: chain.wrappedNative, amountIn: 3_000_000_000n }
      const better = (millis: number) => slowly("0x", A, 10n ** 18n, millis)
      const poor = slowly("uniswap-v3", FIRST, 9n * 10n ** 17n, 10)
      const fair = slowly("uniswap-v3", FIRST, 98n * 10n ** 16n, 10)
      assert.deepStrictEqual(yield* decided([poor, better(2_500)], asked), [["0x", "uniswap-v3"], 2_500])
      assert.deepStrictEqual(yield* decided([poor, better(5_000)], asked), [["uniswap-v3"], 3_000])
      assert.deepStrictEqual(yield* decided([fair, better(2_500)], asked), [["uniswap-v3"], 610])
    })
  )

  it.effect("reads each market once for many amounts", () =>
    Effect.gen(function* () {
      const sources = [paying("uniswap-v3", FIRST, 100n), paying("a", A, 101n)]
      const routeOf = yield* (yield* scene(sources)).prepare(request)
      for (const amountIn of [1_000n, 900n, 950n]) yield* routeOf({ ...request, amountIn })
      assert.deepStrictEqual(
        sources.map(({ asked }) => asked),
        [
          { prepared: 1, routes: 3 },
          { prepared: 1, routes: 3 }
        ]
      )
    })
  )

  it.effect("has no route if one venue says so and none has one, and is unavailable if none answers", () =>
    Effect.gen(function* () {
      const none = failing("uniswap-v3", FIRST, new NoRoute({ detail: "no pool" }))
      const down = failing("a", A, new RoutingUnavailable({ provider: "a", detail: "503" }))
      const alsoDown = failing("b", B, new RoutingUnavailable({ provider: "b", detail: "504" }))
      const failure = (sources: ReadonlyArray<VenueSource>) =>
        Effect.flatMap(scene(sources), ({ route }) => Effect.flip(route(request)))
      assert.strictEqual((yield* failure([none, down]))._tag, "NoRoute")
      const unavailable = yield* failure([down, alsoDown])
      assert.strictEqual(unavailable._tag, "RoutingUnavailable")
      assert.include(unavailable.message, "503")
      assert.include(unavailable.message, "504")
      assert.strictEqual((yield* failure([]))._tag, "NoRoute")
    })
  )

  it.effect("is a chain's only venue, asked without a time limit and without the guard", () =>
    Effect.gen(function* () {
      const slow = source("uniswap-v3", FIRST, () => Effect.as(Effect.sleep("10 seconds"), routeVia(FIRST, 100n)))
      const elsewhere: VenueSource = { ...paying("a", A, 1_000n), routersOn: () => [] }
      const { route, setting } = yield* scene([slow, elsewhere])
      assert.deepStrictEqual(names(yield* passing(route(request))), ["uniswap-v3"])
      assert.strictEqual(setting.reads, 0)
    })
  )

  const Behaviour = Schema.Literals(["pays", "lies", "fails", "breaks", "none"])
  const Behaviours = Schema.Array(Schema.Struct({ behaviour: Behaviour, amount: Schema.Int })).check(
    Schema.isMaxLength(3)
  )

  it.effect.prop("never calls a contract that no venue declared and the guard lists", [Behaviours], ([plans]) =>
    Effect.gen(function* () {
      const routers = [A, B, STRANGER]
      const sources = plans.map(({ amount, behaviour }, index) => {
        const router = routers[index] ?? A
        const paid = BigInt(amount)
        switch (behaviour) {
          case "pays":
            return paying(`${index}`, router, paid)
          case "lies":
            return source(`${index}`, router, () => Effect.succeed(routeVia(C, paid)))
          case "fails":
            return failing(`${index}`, router, new RoutingUnavailable({ provider: "x", detail: "down" }))
          case "breaks":
            return source(`${index}`, router, () => Effect.die("bug"))
          case "none":
            return failing(`${index}`, router, new NoRoute({ detail: "none" }))
        }
      })
      const first = failing("uniswap-v3", FIRST, new NoRoute({ detail: "none" }))
      // The guard lists C, too, which no venue declares.
      const { route } = yield* scene([first, ...sources], { listed: [A, B, C] })
      const outcome = yield* Effect.result(route(request))
      const honest = plans.flatMap(({ amount, behaviour }, index) =>
        behaviour === "pays" && amount > 1 && index < 2 ? [amount] : []
      )
      assert.strictEqual(outcome._tag, honest.length === 0 ? "Failure" : "Success")
      if (outcome._tag === "Failure") return
      const { alternatives = [], ...best } = outcome.success
      for (const { minAmountOut, target } of [best, ...alternatives]) {
        assert.include([A, B], target)
        assert.isTrue(minAmountOut > 0n)
      }
      assert.strictEqual(best.amountOut, BigInt(Math.max(...honest)))
    })
  )
})

describe("a venue whose router the guard does not list", () => {
  it.effect("is not asked, is named in the log once, and is used once it is listed", () =>
    Effect.gen(function* () {
      const [first, other] = [paying("uniswap-v3", FIRST, 100n), paying("a", A, 200n)]
      const { events, route, setting } = yield* scene([first, other], { listed: [] })
      for (const _ of [1, 2, 3]) assert.deepStrictEqual(names(yield* route(request)), ["uniswap-v3"])
      assert.deepStrictEqual([events, other.asked.prepared, setting.reads], [["venue.unlisted a"], 0, 1])

      setting.listed = [A]
      yield* TestClock.adjust(ListedRouters.REFRESH_MILLIS)
      // The list is read again beside a quote.
      yield* route(request)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(names(yield* route(request)), ["a", "uniswap-v3"])

      setting.listed = []
      yield* TestClock.adjust(ListedRouters.REFRESH_MILLIS)
      yield* route(request)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(names(yield* route(request)), ["uniswap-v3"])
      assert.deepStrictEqual(events, ["venue.unlisted a", "venue.unlisted a"])
    })
  )

  it.effect("is not used while the list cannot be read, beyond the time for which it is remembered", () =>
    Effect.gen(function* () {
      const sources = [paying("uniswap-v3", FIRST, 100n), paying("a", A, 200n)]
      const { events, route, setting } = yield* scene(sources, { listed: "down" })
      for (const _ of [1, 2]) assert.deepStrictEqual(names(yield* route(request)), ["uniswap-v3"])
      assert.deepStrictEqual(events, ["venue.list_unread "])
      setting.listed = [A]
      assert.deepStrictEqual(names(yield* route(request)), ["a", "uniswap-v3"])
      setting.listed = "down"
      yield* TestClock.adjust(ListedRouters.LIFETIME_MILLIS - 1)
      assert.deepStrictEqual(names(yield* route(request)), ["a", "uniswap-v3"])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(names(yield* route(request)), ["uniswap-v3"])
      assert.deepStrictEqual(events, ["venue.list_unread ", "venue.list_unread "])
    })
  )
})
