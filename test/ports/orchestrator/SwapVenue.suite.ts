/** Contract of every {@link SwapVenue}, for a swap that it supports. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, type Layer, Schema } from "effect"
import * as Address from "../../../src/domain/Address.ts"
import { lessBps } from "../../../src/domain/Amount.ts"
import { type SwapRequest, SwapVenue } from "../../../src/ports/orchestrator/SwapVenue.ts"

export class SwapFixture extends Context.Service<
  SwapFixture,
  {
    /** A swap that has a route, for any positive amount up to its own. */
    readonly request: SwapRequest
    /** A token that has none. */
    readonly unroutable: Address.Address
  }
>()("sweep/test/SwapFixture") {}

const Bps = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))
const OTHER = Address.of("0x000000000000000000000000000000000000bEEF")

export const swapVenueSuite = (name: string, adapter: Layer.Layer<SwapVenue | SwapFixture, unknown>) =>
  layer(adapter)(name, (it) => {
    it.effect.prop(
      "promises at least one unit, and no less than the slippage allows",
      [Bps],
      ([slippageBps]) =>
        Effect.gen(function* () {
          const { request } = yield* SwapFixture
          const route = yield* (yield* SwapVenue).route({ ...request, slippageBps })
          assert.isTrue(route.minAmountOut >= 1n)
          assert.isTrue(route.minAmountOut <= route.amountOut)
          assert.isTrue(route.minAmountOut >= lessBps(route.amountOut, slippageBps))
          assert.isTrue(route.gas > 0n)
          assert.notStrictEqual(route.provider, "")
        }),
      { arbitrary: { runs: 10 } }
    )

    it.effect("gives the same route for the same request, and another for another recipient", () =>
      Effect.gen(function* () {
        const { request } = yield* SwapFixture
        const venue = yield* SwapVenue
        const { remade: _, ...route } = yield* venue.route(request)
        const { remade: _again, ...again } = yield* venue.route(request)
        assert.deepStrictEqual(again, route)
        const other = yield* venue.route({ ...request, recipient: OTHER })
        assert.strictEqual(other.target, route.target)
        assert.strictEqual(other.amountOut, route.amountOut)
        assert.notStrictEqual(other.calldata, route.calldata)
        assert.include(other.calldata.toLowerCase(), OTHER.slice(2).toLowerCase())
      })
    )

    it.effect("makes its call again for what arrives, if it can, with the minimum of that", () =>
      Effect.gen(function* () {
        const { request } = yield* SwapFixture
        const route = yield* (yield* SwapVenue).route({ ...request, slippageBps: 0 })
        if (route.remade === undefined) return
        const amountOut = (route.amountOut * 9n) / 10n
        const { remade: _, ...made } = route.remade({ amountOut, slippageBps: 100 })
        const minAmountOut = lessBps(amountOut, 100)
        const { remade: _same, ...expected } = { ...route, amountOut, minAmountOut, calldata: made.calldata }
        assert.deepStrictEqual(made, expected)
        assert.include(made.calldata, minAmountOut.toString(16).padStart(64, "0"))
        assert.notStrictEqual(made.calldata, route.calldata)
      })
    )

    it.effect("gives no more for less", () =>
      Effect.gen(function* () {
        const { request } = yield* SwapFixture
        const venue = yield* SwapVenue
        const whole = yield* venue.route(request)
        const half = yield* venue.route({ ...request, amountIn: request.amountIn / 2n })
        assert.isTrue(half.amountOut <= whole.amountOut)
      })
    )

    it.effect.prop(
      "makes routes of any amount from one reading, which promise no more than routes of their own and hardly less",
      [Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 }))],
      ([share]) =>
        Effect.gen(function* () {
          const { request } = yield* SwapFixture
          const venue = yield* SwapVenue
          const amountIn = (request.amountIn * BigInt(share)) / 1_000n
          const routeOf = yield* venue.prepare(request)
          const [route, exact] = [
            yield* routeOf({ ...request, amountIn }),
            yield* venue.route({ ...request, amountIn })
          ]
          assert.isTrue(route.amountOut <= exact.amountOut, `${route.amountOut} of ${exact.amountOut}`)
          assert.isTrue(
            route.amountOut * 10_000n >= exact.amountOut * 9_999n,
            `${route.amountOut} of ${exact.amountOut}`
          )
          assert.isTrue(route.minAmountOut >= 1n && route.minAmountOut >= lessBps(route.amountOut, request.slippageBps))
          assert.strictEqual(route.target, exact.target)
        }),
      { arbitrary: { runs: 20 } }
    )

    it.effect("has no route for nothing, and none for a token that nobody trades", () =>
      Effect.gen(function* () {
        const { request, unroutable } = yield* SwapFixture
        const venue = yield* SwapVenue
        assert.strictEqual((yield* Effect.flip(venue.route({ ...request, amountIn: 0n })))._tag, "NoRoute")
        assert.strictEqual((yield* Effect.flip(venue.route({ ...request, tokenIn: unroutable })))._tag, "NoRoute")
        const routeOf = yield* venue.prepare(request)
        assert.strictEqual((yield* Effect.flip(routeOf({ ...request, amountIn: 0n })))._tag, "NoRoute")
        const noRouteOf = yield* venue.prepare({ ...request, tokenIn: unroutable })
        assert.strictEqual((yield* Effect.flip(noRouteOf(request)))._tag, "NoRoute")
      })
    )
  })
