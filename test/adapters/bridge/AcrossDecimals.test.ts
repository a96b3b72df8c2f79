/** Deposits whose tokens are one asset with other decimals, on local chains. As if DAI were the USDC of the other chain. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as AcrossCall from "../../../src/adapters/bridge/AcrossCall.ts"
import { units } from "../../../src/devnet/Tokens.ts"
import { lessBps } from "../../../src/domain/Amount.ts"
import type { Chain } from "../../../src/domain/Chain.ts"
import { Bridge } from "../../../src/ports/orchestrator/Bridge.ts"
import { TestNetwork } from "../../support/Network.ts"
import { AcrossNetwork, chainsOf, RECIPIENT } from "./acrossNetwork.ts"
import { across, refusal } from "./acrossRoutes.ts"
import { balanceOf } from "../evm/contracts/asUser.ts"

const tokenOf = ({ tokens }: Chain, symbol: string) => {
  const found = tokens.find((token) => token.symbol === symbol)
  if (found === undefined) throw new Error(`the local network has no ${symbol}`)
  return found.address
}

/**
 * On the second chain, DAI with 18 decimals is the asset of the first one's USDC with 6, and the other way round. Nothing is swapped on
 * arrival, which would hide that a token has no counterpart.
 */
const crossed = ({ multicallHandler: _handler, ...chain }: Chain): Chain => ({
  ...chain,
  assets:
    chain.id % 2 === 1
      ? { FINE: tokenOf(chain, "DAI"), COARSE: tokenOf(chain, "USDC") }
      : { FINE: tokenOf(chain, "USDC"), COARSE: tokenOf(chain, "DAI") }
})

const shared = across.pipe(
  Layer.provideMerge(AcrossNetwork.layer),
  Layer.provideMerge(chainsOf(crossed)),
  Layer.provideMerge(TestNetwork.layer({ filler: false }))
)

const SCALE = 10n ** 12n

layer(shared)("Across, tokens of one asset with other decimals", (it) => {
  it.effect("are paid out at par less the fee, to the smallest unit", () =>
    Effect.gen(function* () {
      const net = yield* AcrossNetwork
      const bridge = yield* Bridge
      const [whole, odd] = [units("USDC", 100n), 123_456_789_012_345_678_901n]
      const cases = [
        { request: net.requestOf("USDC", "DAI", whole), expected: lessBps(whole, 10) * SCALE },
        { request: net.requestOf("DAI", "USDC", odd), expected: lessBps(odd, 10) / SCALE }
      ]
      for (const { expected, request } of cases) {
        const route = yield* bridge.route(request)
        assert.strictEqual(route.amountOut, expected)
        const decoded = yield* bridge.decode(request.sourceChainId, route.target, route.calldata)
        assert.strictEqual(decoded.minAmountOut, expected)
        const before = yield* balanceOf(net.destination, request.tokenOut, RECIPIENT)
        const settlement = yield* net.deposit(request, route)
        yield* net.fill(settlement)
        assert.strictEqual((yield* balanceOf(net.destination, request.tokenOut, RECIPIENT)) - before, expected)
        const delivery = yield* bridge.delivery({ sourceChainId: request.sourceChainId, ...settlement })
        assert.strictEqual(delivery._tag === "Delivered" && delivery.amountOut, expected)
      }
    })
  )

  it.effect("arrive after a swap in proportion to what it yields", () =>
    Effect.gen(function* () {
      const net = yield* AcrossNetwork
      const bridge = yield* Bridge
      const request = net.requestOf("WETH", "DAI", units("WETH", 1n))
      const route = yield* bridge.route(request)
      const call = Option.getOrThrow(AcrossCall.decode(net.source.chain, route.target, route.calldata))
      // The refund is the source chain's token, in its own unit.
      assert.strictEqual(call.deposit.inputToken, net.source.tokens.USDC)
      assert.strictEqual(call.deposit.outputAmount, lessBps(call.deposit.inputAmount, 10) * SCALE)
      assert.strictEqual(route.minAmountOut, call.deposit.outputAmount)
      const before = yield* balanceOf(net.destination, request.tokenOut, RECIPIENT)
      const settlement = yield* net.deposit(request, route)
      yield* net.fill(settlement)
      const arrived = (yield* balanceOf(net.destination, request.tokenOut, RECIPIENT)) - before
      assert.isTrue(arrived >= route.minAmountOut && arrived <= net.relayOf(settlement).deposit.inputAmount * SCALE)
    })
  )

  it.effect("are not bridged for an equal symbol, nor below one unit of the output", () =>
    Effect.gen(function* () {
      const net = yield* AcrossNetwork
      assert.match(yield* refusal(net.requestOf("WBTC", "WBTC", 1_000n)), /^NoRoute: .*has no counterpart/)
      assert.match(yield* refusal(net.requestOf("DAI", "USDC", SCALE - 1n)), /^NoRoute: .*does not cover/)
      // USDC is no counterpart of USDC here, so it is swapped into DAI first.
      const route = yield* (yield* Bridge).route(net.requestOf("USDC", "USDC", units("USDC", 10n)))
      assert.strictEqual(route.provider, "uniswap-v3+across")
    })
  )
})
