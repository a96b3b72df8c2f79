/** Contract of every bridge, for a transfer that it supports. The fixture decides about deliveries. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, type Layer } from "effect"
import { concatHex, sliceHex } from "viem"
import * as Address from "../../../src/domain/Address.ts"
import { type Hex, size } from "../../../src/domain/Hex.ts"
import type { SweepOrder } from "../../../src/domain/SweepOrder.ts"
import { Bridge, type BridgeRequest, type BridgeRoute } from "../../../src/ports/orchestrator/Bridge.ts"
import type { Receipt } from "../../../src/ports/shared/Chains.ts"

export interface Settlement {
  readonly order: SweepOrder
  readonly receipt: Receipt
}

export class BridgeFixture extends Context.Service<
  BridgeFixture,
  {
    /** A transfer that has a route. */
    readonly request: BridgeRequest
    /** Makes the deposit, as the order's owner. */
    readonly deposit: (route: BridgeRoute) => Effect.Effect<Settlement>
    /** Pays the recipient out, as the bridge does. */
    readonly fill: (settlement: Settlement, route: BridgeRoute) => Effect.Effect<void>
    /** Lets the time pass in which the deposit could be filled. */
    readonly expire: (settlement: Settlement) => Effect.Effect<void>
  }
>()("sweep/test/BridgeFixture") {}

const OTHER = Address.of("0x000000000000000000000000000000000000bEEF")

/** Order that carries out the route, with the fields that a bridge reads. */
export const orderOf = (request: BridgeRequest, route: BridgeRoute): SweepOrder => ({
  owner: request.depositor,
  tokenIn: request.tokenIn,
  amountIn: request.amountIn,
  feeAmount: 0n,
  builder: Address.zero,
  builderFee: 0n,
  tokenOut: request.tokenOut,
  minAmountOut: 0n,
  destination: request.recipient,
  swapTarget: route.target,
  swapCalldata: route.calldata,
  deadline: 2n ** 40n,
  nonce: 0n,
  destChainId: BigInt(request.destChainId)
})

export const bridgeSuite = (name: string, adapter: Layer.Layer<Bridge | BridgeFixture, unknown>) =>
  layer(adapter)(name, (it) => {
    it.effect("offers a deposit that reads back as what was asked for", () =>
      Effect.gen(function* () {
        const { request } = yield* BridgeFixture
        const bridge = yield* Bridge
        const route = yield* bridge.route(request)
        assert.isTrue(route.minAmountOut > 0n && route.minAmountOut <= route.amountOut)
        assert.isTrue(route.gas > 0n)
        assert.isTrue(route.estimatedSeconds >= 0)
        const deposit = yield* bridge.decode(request.sourceChainId, route.target, route.calldata)
        assert.strictEqual(deposit.tokenIn, request.tokenIn)
        assert.strictEqual(deposit.amountIn, request.amountIn)
        assert.strictEqual(deposit.minAmountOut, route.minAmountOut)
        assert.strictEqual(deposit.destChainId, BigInt(request.destChainId))
        assert.strictEqual(deposit.depositor, request.depositor)
        assert.strictEqual(deposit.recipient, request.recipient)
      })
    )

    it.effect("makes the routes of smaller amounts from one reading", () =>
      Effect.gen(function* () {
        const { request } = yield* BridgeFixture
        const bridge = yield* Bridge
        const routeOf = yield* bridge.prepare(request)
        for (const amountIn of [request.amountIn, (request.amountIn * 2n) / 3n]) {
          const route = yield* routeOf(amountIn)
          const deposit = yield* bridge.decode(request.sourceChainId, route.target, route.calldata)
          assert.strictEqual(deposit.amountIn, amountIn)
          assert.strictEqual(deposit.minAmountOut, route.minAmountOut)
          assert.strictEqual(deposit.recipient, request.recipient)
        }
        assert.strictEqual((yield* Effect.flip(routeOf(0n)))._tag, "NoRoute")
      })
    )

    it.effect("reads nothing into other calldata, or into the same at another target", () =>
      Effect.gen(function* () {
        const { request } = yield* BridgeFixture
        const bridge = yield* Bridge
        const { calldata, target } = yield* bridge.route(request)
        const decode = (to: Address.Address, data: Hex) => Effect.flip(bridge.decode(request.sourceChainId, to, data))
        for (const data of [
          "0x" as const,
          "0x12345678" as const,
          sliceHex(calldata, 0, size(calldata) - 1),
          concatHex([calldata, "0x00"]),
          concatHex([calldata, `0x${"00".repeat(32)}`])
        ]) {
          assert.strictEqual((yield* decode(target, data))._tag, "NoRoute")
        }
        assert.strictEqual((yield* decode(OTHER, calldata))._tag, "NoRoute")
      })
    )

    it.effect("has no route for nothing", () =>
      Effect.gen(function* () {
        const { request } = yield* BridgeFixture
        const error = yield* Effect.flip((yield* Bridge).route({ ...request, amountIn: 0n }))
        assert.strictEqual(error._tag, "NoRoute")
      })
    )

    it.effect("proves a delivery once it happened, and only that one", () =>
      Effect.gen(function* () {
        const { deposit, fill, request } = yield* BridgeFixture
        const bridge = yield* Bridge
        const { sourceChainId } = request
        const route = yield* bridge.route(request)
        const other = yield* deposit(route)
        const settlement = yield* deposit(route)
        assert.deepStrictEqual(yield* bridge.delivery({ ...settlement, sourceChainId }), { _tag: "Pending" })
        yield* fill(settlement, route)
        const delivery = yield* bridge.delivery({ ...settlement, sourceChainId })
        assert.isTrue(delivery._tag === "Delivered" && delivery.amountOut >= route.minAmountOut)
        assert.deepStrictEqual(yield* bridge.delivery({ ...settlement, sourceChainId }), delivery)
        assert.deepStrictEqual(yield* bridge.delivery({ ...other, sourceChainId }), { _tag: "Pending" })
      })
    )

    // The last one: it moves the destination chain's clock.
    it.effect("says that a deposit goes back once nobody can fill it any more", () =>
      Effect.gen(function* () {
        const { deposit, expire, fill, request } = yield* BridgeFixture
        const bridge = yield* Bridge
        const { sourceChainId } = request
        const route = yield* bridge.route(request)
        const [filled, unfilled] = [yield* deposit(route), yield* deposit(route)]
        yield* fill(filled, route)
        yield* expire(unfilled)
        assert.strictEqual((yield* bridge.delivery({ ...unfilled, sourceChainId }))._tag, "Refunded")
        assert.strictEqual((yield* bridge.delivery({ ...filled, sourceChainId }))._tag, "Delivered")
      })
    )
  })
