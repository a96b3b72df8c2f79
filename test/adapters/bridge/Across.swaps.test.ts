/** Swaps before a deposit at the bridge. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as Across from "../../../src/adapters/bridge/Across.ts"
import * as AcrossCall from "../../../src/adapters/bridge/AcrossCall.ts"
import * as UniswapV3 from "../../../src/adapters/swap/UniswapV3.ts"
import { units } from "../../../src/devnet/Tokens.ts"
import { Bridge } from "../../../src/ports/orchestrator/Bridge.ts"
import { type SwapRoute, SwapVenue } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { address } from "../../support/FakeChain.ts"
import { TestNetwork } from "../../support/Network.ts"
import { balanceOf } from "../evm/contracts/asUser.ts"
import { AcrossNetwork, chainsOf, RECIPIENT } from "./acrossNetwork.ts"
import { across, fees, ORDER_LIFETIME_SECONDS, refusal, shared } from "./acrossRoutes.ts"

/** A venue that promises twice of what the exchange pays, with the exchange behind it. */
const liar = Layer.effect(
  SwapVenue,
  Effect.map(SwapVenue, (venue) => {
    const lying = ({ alternatives: _none, ...honest }: SwapRoute): SwapRoute => ({
      ...honest,
      provider: "liar",
      amountOut: 2n * honest.amountOut,
      minAmountOut: 2n * honest.minAmountOut,
      alternatives: [honest, { ...honest, provider: "third" }]
    })
    return SwapVenue.of({
      route: (request) => Effect.map(venue.route(request), lying),
      prepare: (pair) => Effect.map(venue.prepare(pair), (routeOf) => (terms) => Effect.map(routeOf(terms), lying))
    })
  })
).pipe(Layer.provide(UniswapV3.layer))

const withLiar = Across.layer({ orderLifetimeSeconds: ORDER_LIFETIME_SECONDS }).pipe(Layer.provide([fees, liar]))

layer(shared)("Across, swaps before the deposit", (it) => {
  it.effect("pay out what the swap yields, at least what was promised, and are used up", () =>
    Effect.gen(function* () {
      const net = yield* AcrossNetwork
      for (const [tokenIn, tokenOut, whole] of [
        ["WETH", "USDC", 1n],
        ["USDT", "USDC", 50n],
        ["DAI", "ETH", 50n]
      ] as const) {
        const request = net.requestOf(tokenIn, tokenOut, units(tokenIn, whole))
        const route = yield* (yield* Bridge).route(request)
        assert.isTrue(route.minAmountOut < route.amountOut)
        const before = yield* balanceOf(net.destination, request.tokenOut, RECIPIENT)
        const sent = yield* balanceOf(net.source, request.tokenIn, request.depositor)
        const settlement = yield* net.deposit(request, route)
        assert.strictEqual(sent - (yield* balanceOf(net.source, request.tokenIn, request.depositor)), request.amountIn)
        yield* net.fill(settlement)
        const received = (yield* balanceOf(net.destination, request.tokenOut, RECIPIENT)) - before
        assert.isTrue(received >= route.minAmountOut)
        // There are no other trades, and the periphery rounds down.
        assert.isTrue(received === route.amountOut || received === route.amountOut - 1n)
      }
    })
  )

  it.effect("have the next venue's behind the best one's, for when that one does not deliver", () =>
    Effect.gen(function* () {
      const net = yield* AcrossNetwork
      const request = net.requestOf("WETH", "USDC", units("WETH", 1n))
      const bridge = yield* Effect.provide(Bridge, Layer.fresh(withLiar))
      const { alternatives = [], ...best } = yield* bridge.route(request)
      const [next = assert.fail("no other venue is tried"), ...more] = alternatives
      assert.lengthOf(more, 0)
      assert.strictEqual(best.provider, "liar+across")
      assert.strictEqual((yield* net.deposit(request, best)).receipt.status, "reverted")
      assert.isTrue(next.minAmountOut < best.minAmountOut)
      const { minAmountOut } = yield* bridge.decode(request.sourceChainId, next.target, next.calldata)
      assert.strictEqual(minAmountOut, next.minAmountOut)
      assert.strictEqual((yield* net.deposit(request, next)).receipt.status, "success")
    })
  )

  it.effect("use no more gas than they say, and not much less", () =>
    Effect.gen(function* () {
      const net = yield* AcrossNetwork
      for (const symbol of ["DAI", "WETH", "USDT"] as const) {
        const request = net.requestOf(symbol, "USDC", units(symbol, 1n))
        const route = yield* (yield* Bridge).route(request)
        yield* net.deposit(request, route)
        const { receipt } = yield* net.deposit(request, route)
        const used = Number(receipt.gasUsed) - 21_000
        assert.isTrue(used <= Number(route.gas), `${symbol} used ${used} of ${route.gas}`)
        assert.isTrue(used >= Number(route.gas) * 0.6, `${symbol} used ${used} of ${route.gas}`)
      }
    })
  )

  it.effect("take nothing once the price has moved farther than the slippage allows", () =>
    Effect.gen(function* () {
      const net = yield* AcrossNetwork
      const bridge = yield* Bridge
      const request = net.requestOf("WETH", "USDC", units("WETH", 1n))
      const route = yield* bridge.route({ ...request, slippageBps: 0 })
      yield* net.deposit(request, route)
      const sent = yield* balanceOf(net.source, request.tokenIn, request.depositor)
      const { receipt } = yield* net.deposit(request, route)
      assert.strictEqual(receipt.status, "reverted")
      assert.strictEqual(yield* balanceOf(net.source, request.tokenIn, request.depositor), sent)
    })
  )

  it.effect("take nothing after the order's deadline", () =>
    Effect.gen(function* () {
      const net = yield* AcrossNetwork
      const request = { ...net.requestOf("WETH", "USDC", units("WETH", 1n)), deadline: 1n }
      const { receipt } = yield* net.deposit(request, yield* (yield* Bridge).route(request))
      assert.strictEqual(receipt.status, "reverted")
    })
  )

  it.effect("are not offered where no periphery is configured, and unavailable where it is none", () =>
    Effect.gen(function* () {
      const net = yield* AcrossNetwork
      const request = net.requestOf("WETH", "USDC", units("WETH", 1n))
      const refusalWith = (change: Parameters<typeof chainsOf>[0]) =>
        Effect.flatMap(TestNetwork, (network) =>
          refusal(request).pipe(
            Effect.provide(
              Layer.fresh(across).pipe(
                Layer.provide(chainsOf(change)),
                Layer.provide(Layer.succeed(TestNetwork, network))
              )
            )
          )
        )
      assert.match(
        yield* refusalWith(({ spokePoolPeriphery: _none, ...chain }) => chain),
        /^NoRoute: .*no SpokePoolPeriphery/
      )
      assert.match(
        yield* refusalWith((chain) => ({ ...chain, spokePoolPeriphery: address(0x99) })),
        /^RoutingUnavailable: no SpokePoolPeriphery/
      )
    })
  )

  it.effect("are read back only as a deposit that a relayer wants and that the owner can live with", () =>
    Effect.gen(function* () {
      const net = yield* AcrossNetwork
      const bridge = yield* Bridge
      const { chain } = net.source
      const request = net.requestOf("WETH", "USDC", units("WETH", 1n))
      const route = yield* bridge.route(request)
      const { deposit, swap } = Option.getOrThrow(AcrossCall.decode(chain, route.target, route.calldata))
      if (swap === undefined) return assert.fail("there is a swap")
      const reading = (change: Partial<typeof deposit>) =>
        bridge
          .decode(chain.id, route.target, AcrossCall.encodeSwap(net.source.spokePool, { ...deposit, ...change }, swap))
          .pipe(
            Effect.match({ onFailure: ({ detail }) => detail, onSuccess: ({ minAmountOut }) => String(minAmountOut) })
          )
      assert.strictEqual(yield* reading({}), String(route.minAmountOut))
      // A token that no relayer fills: the owner would get it as refund instead of WETH.
      assert.match(yield* reading({ inputToken: address(0x77) }), /is not the token that is bridged/)
      assert.match(yield* reading({ inputToken: net.source.tokens.DAI }), /is not the token that is bridged/)
      assert.match(yield* reading({ inputAmount: 1n }), /above the input/)
      assert.match(yield* reading({ outputAmount: 1n }), /relayer's fee is above/)
      assert.match(yield* reading({ exclusiveRelayer: address(5), exclusivityParameter: 3_600 }), /for too long/)
    })
  )
})
