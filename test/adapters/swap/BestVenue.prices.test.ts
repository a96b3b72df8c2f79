/** Order of routes by prices, and while they are missing or late. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { NATIVE } from "../../../src/domain/Token.ts"
import { PricesUnavailable } from "../../../src/ports/orchestrator/Prices.ts"
import type { SwapRoute } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { chain } from "../../support/FakeChain.ts"
import {
  A,
  B,
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
  it.effect("weighs gas by what it was worth last while prices are missing, or late", () =>
    Effect.gen(function* () {
      // By output alone, the route of any gas would be the first.
      const sources = [paying("uniswap-v3", FIRST, 100_000_000n, 100_000n), paying("a", A, 100_000_001n, 30_000_000n)]
      const known = new Map([
        [NATIVE, 3_000n * 10n ** 18n],
        [USDC, 10n ** 18n]
      ])
      const states = {
        down: Effect.fail(new PricesUnavailable({ detail: "down" })),
        late: Effect.as(Effect.sleep("2 seconds"), known),
        silent: Effect.never
      }
      let state: keyof typeof states = "silent"
      const { route } = yield* scene(sources, { usd: prices(() => states[state]) })
      assert.deepStrictEqual(names(yield* passing(route(request))), ["a", "uniswap-v3"])
      state = "late"
      assert.deepStrictEqual(names(yield* passing(route(request))), ["a", "uniswap-v3"])
      for (state of ["down", "silent", "late"] as const) {
        assert.deepStrictEqual(names(yield* passing(route(request))), ["uniswap-v3", "a"])
      }
    })
  )

  it.effect("puts a route that pays far more than prices say behind another one of its own exchange", () =>
    Effect.gen(function* () {
      const [bait, lasting] = [routeVia(FIRST, 3_300_000_000n), routeVia(FIRST, 2_990_000_000n)]
      const swap = { ...request, tokenIn: chain.wrappedNative, amountIn: 10n ** 18n }
      const other = paying("a", A, 2_800_000_000n)
      const outputs = Effect.fnUntraced(function* (alternatives: ReadonlyArray<SwapRoute>, others = [other]) {
        const baited = source("uniswap-v3", FIRST, () => Effect.succeed({ ...bait, alternatives }))
        const { route } = yield* scene([baited, ...others])
        const { alternatives: behind = [], ...best } = yield* route(swap)
        return [best, ...behind].map(({ amountOut, provider }) => [provider, amountOut])
      })
      assert.deepStrictEqual(yield* outputs([lasting]), [
        ["uniswap-v3", lasting.amountOut],
        ["a", 2_800_000_000n],
        ["uniswap-v3", bait.amountOut]
      ])
      // Also where there is no other venue.
      assert.deepStrictEqual(yield* outputs([lasting], []), [
        ["uniswap-v3", lasting.amountOut],
        ["uniswap-v3", bait.amountOut]
      ])
      const alone = [
        ["uniswap-v3", bait.amountOut],
        ["a", 2_800_000_000n]
      ]
      assert.deepStrictEqual(yield* outputs([]), alone)
      // Routes behind the first are held to its router, too.
      assert.deepStrictEqual(yield* outputs([{ ...lasting, target: STRANGER }]), alone)
    })
  )

  it.effect("keeps the best route of each venue, however many routes the others have", () =>
    Effect.gen(function* () {
      const many = (name: string, router: typeof A, most: bigint) =>
        source(name, router, () =>
          Effect.succeed({
            ...routeVia(router, most),
            alternatives: [1n, 2n, 3n].map((less) => routeVia(router, most - less))
          })
        )
      const poor = source("b", B, () =>
        Effect.succeed({ ...routeVia(B, 80_000_000n), alternatives: [routeVia(B, 70_000_000n)] })
      )
      const { route } = yield* scene([many("uniswap-v3", FIRST, 100_000_000n), many("a", A, 99_000_000n), poor])
      const found = yield* route(request)
      assert.deepStrictEqual(names(found), ["uniswap-v3", "a", "uniswap-v3", "uniswap-v3", "uniswap-v3", "a", "b"])
      assert.strictEqual(found.alternatives?.at(-1)?.amountOut, 80_000_000n)
    })
  )
})
