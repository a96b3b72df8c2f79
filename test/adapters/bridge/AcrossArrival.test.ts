import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { encodeFunctionData, erc20Abi } from "viem"
import * as Across from "../../../src/adapters/bridge/Across.ts"
import * as AcrossDeposit from "../../../src/adapters/bridge/AcrossDeposit.ts"
import { layerFixed } from "../../../src/adapters/bridge/AcrossFees.ts"
import * as AcrossPurchase from "../../../src/adapters/bridge/AcrossPurchase.ts"
import * as RouterSwap from "../../../src/adapters/bridge/RouterSwap.ts"
import * as UniswapV3 from "../../../src/adapters/swap/UniswapV3.ts"
import { swapRouter02Abi } from "../../../src/adapters/swap/uniswapV3Abi.ts"
import { units } from "../../../src/devnet/Tokens.ts"
import type { Chain } from "../../../src/domain/Chain.ts"
import { Bridge, type BridgeRequest, type BridgeRoute } from "../../../src/ports/orchestrator/Bridge.ts"
import { NoRoute, type SwapRequest, SwapVenue } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { address } from "../../support/FakeChain.ts"
import * as FaultProxy from "../../support/FaultProxy.ts"
import { TestNetwork } from "../../support/Network.ts"
import { balanceOf } from "../evm/contracts/asUser.ts"
import { AcrossNetwork, attacker, chainsOf, RECIPIENT } from "./acrossNetwork.ts"

/** The bridge carries all tokens of the local network but DAI. */
const withoutDai = ({ assets = {}, ...chain }: Chain): Chain => {
  const { DAI: _dai, ...carried } = assets
  return { ...chain, assets: carried }
}

const network = AcrossNetwork.layer.pipe(
  Layer.provideMerge(chainsOf(withoutDai)),
  Layer.provideMerge(TestNetwork.layer({ filler: false }))
)

const across = Across.layer({ orderLifetimeSeconds: 720 }).pipe(
  Layer.provide([layerFixed({ relayFeeBps: 10, fillDeadlineSeconds: 3 * 3_600 }), UniswapV3.layer])
)

const settle = (request: BridgeRequest) =>
  Effect.gen(function* () {
    const net = yield* AcrossNetwork
    const bridge = yield* Bridge
    const route = yield* bridge.route(request)
    const settlement = yield* net.deposit(request, route)
    const delivery = bridge.delivery({ ...settlement, sourceChainId: request.sourceChainId })
    return { net, route, settlement, delivery }
  })

const instead = ({ arrival }: BridgeRoute) => arrival?.arrivesInsteadIfSwapFails

layer(across.pipe(Layer.provideMerge(network)))("a token that the bridge does not carry", (it) => {
  it.effect("is bought on arrival, and what the recipient got is proved by the fill's transaction", () =>
    Effect.gen(function* () {
      const request = (yield* AcrossNetwork).requestOf("USDC", "DAI", units("USDC", 10n))
      const { delivery, net, route, settlement } = yield* settle(request)
      assert.deepStrictEqual(instead(route), {
        token: net.destination.tokens.USDC,
        minAmount: (request.amountIn * 9_990n) / 10_000n
      })
      assert.isTrue(route.minAmountOut > units("DAI", 9n) && route.minAmountOut <= route.amountOut)
      const deposit = yield* (yield* Bridge).decode(request.sourceChainId, route.target, route.calldata)
      assert.strictEqual(deposit.recipient, RECIPIENT)
      assert.strictEqual(deposit.tokenOut, net.destination.tokens.DAI)
      assert.strictEqual(deposit.minAmountOut, route.minAmountOut)
      assert.deepStrictEqual(yield* delivery, { _tag: "Pending" })
      const before = yield* balanceOf(net.destination, net.destination.tokens.DAI, RECIPIENT)
      const txHash = yield* net.fill(settlement)
      const got = (yield* balanceOf(net.destination, net.destination.tokens.DAI, RECIPIENT)) - before
      assert.isTrue(got >= route.minAmountOut)
      assert.deepStrictEqual(yield* delivery, { _tag: "Delivered", txHash, amountOut: got })
      for (const symbol of ["USDC", "DAI"] as const) {
        const left = yield* balanceOf(
          net.destination,
          net.destination.tokens[symbol],
          net.destination.chain.multicallHandler ?? RECIPIENT
        )
        assert.strictEqual(left, 0n)
      }
    })
  )

  it.effect("is bought after a swap on the source chain, too", () =>
    Effect.gen(function* () {
      const request = (yield* AcrossNetwork).requestOf("WETH", "DAI", units("WETH", 1n) / 100n)
      const { delivery, net, settlement } = yield* settle(request)
      const txHash = yield* net.fill(settlement)
      const delivered = yield* delivery
      assert.isTrue(delivered._tag === "Delivered" && delivered.txHash === txHash)
    })
  )

  it.effect("arrives as the bridged one if the swap fails, and this is proved", () =>
    Effect.gen(function* () {
      const request = (yield* AcrossNetwork).requestOf("USDC", "DAI", units("USDC", 10n))
      const { delivery, net, route, settlement } = yield* settle(request)
      // The price moves: somebody sells much more than the pools hold at this price.
      yield* net.trade("USDC", "DAI", units("USDC", 2_000_000n))
      const { USDC } = net.destination.tokens
      const before = yield* balanceOf(net.destination, USDC, RECIPIENT)
      const txHash = yield* net.fill(settlement)
      const amount = instead(route)?.minAmount ?? 0n
      assert.strictEqual((yield* balanceOf(net.destination, USDC, RECIPIENT)) - before, amount)
      assert.deepStrictEqual(yield* delivery, { _tag: "DeliveredInstead", txHash, token: USDC, amount })
    })
  )

  it.effect("is not proved by the fill alone, which paid the handler only", () =>
    Effect.gen(function* () {
      const request = (yield* AcrossNetwork).requestOf("USDC", "DAI", units("USDC", 10n))
      const { net, settlement } = yield* settle(request)
      yield* net.fill(settlement)
      const proxy = yield* FaultProxy.start(net.destination.rpcUrl)
      const behind = Layer.fresh(across).pipe(
        Layer.provide(
          chainsOf(withoutDai, (dev) => (dev.chain.id === net.destination.chain.id ? proxy.url : dev.rpcUrl))
        ),
        Layer.provide(Layer.succeed(TestNetwork, yield* TestNetwork))
      )
      for (const refused of ["eth_getLogs", "eth_getTransactionReceipt"]) {
        yield* proxy.react(({ method }) => (method === refused ? FaultProxy.refuse() : FaultProxy.pass))
        const delivery = yield* Effect.flatMap(Bridge, (bridge) =>
          bridge.delivery({ ...settlement, sourceChainId: request.sourceChainId })
        ).pipe(Effect.provide(behind))
        assert.isTrue(delivery._tag === "Filled" && delivery.swapsOnArrival)
      }
    })
  )

  it.effect("has no route to a chain that names no handler", () =>
    Effect.gen(function* () {
      const { requestOf } = yield* AcrossNetwork
      const without = Layer.fresh(across).pipe(
        Layer.provide(
          chainsOf((chain) => {
            const { multicallHandler: _handler, ...others } = withoutDai(chain)
            return others
          })
        ),
        Layer.provide(Layer.succeed(TestNetwork, yield* TestNetwork))
      )
      const error = yield* Effect.flip(
        Effect.flatMap(Bridge, ({ route }) => route(requestOf("USDC", "DAI", units("USDC", 10n)))).pipe(
          Effect.provide(without)
        )
      )
      assert.strictEqual(error._tag, "NoRoute")
    })
  )

  it.effect("is not offered where no purchase of it can be rehearsed", () =>
    Effect.gen(function* () {
      const { destination, requestOf } = yield* AcrossNetwork
      const { id, wrappedNative } = destination.chain
      // The rehearsal buys with wrapped native currency.
      const venue = Layer.effect(
        SwapVenue,
        Effect.map(UniswapV3.make, ({ prepare, route }) => ({
          prepare,
          route: (request: SwapRequest) =>
            request.chainId === id && request.tokenIn === wrappedNative
              ? Effect.fail(new NoRoute({ detail: "not here" }))
              : route(request)
        }))
      )
      const unrehearsed = Layer.fresh(Across.layer({ orderLifetimeSeconds: 720 })).pipe(
        Layer.provide([layerFixed({ relayFeeBps: 10, fillDeadlineSeconds: 3 * 3_600 }), venue])
      )
      const routeTo = (symbol: "DAI" | "USDC") =>
        Effect.flatMap(Bridge, ({ route }) => route(requestOf("USDC", symbol, units("USDC", 10n)))).pipe(
          Effect.provide(unrehearsed),
          Effect.result,
          Effect.map((result) => (result._tag === "Success" ? "offered" : result.failure.message))
        )
      assert.match(yield* routeTo("DAI"), /not here/)
      assert.strictEqual(yield* routeTo("USDC"), "offered")
    })
  )

  it.effect("is offered by no message that does anything else", () =>
    Effect.gen(function* () {
      const { destination, requestOf, source } = yield* AcrossNetwork
      const bridge = yield* Bridge
      const route = yield* bridge.route(requestOf("USDC", "DAI", units("USDC", 10n)))
      const honest = Option.getOrThrow(AcrossDeposit.decode(route.calldata))
      const purchase = Option.getOrThrow(AcrossPurchase.decode(honest.message ?? "0x"))
      const swap = Option.getOrThrow(RouterSwap.read(purchase.calldata))
      const router = (change: Partial<RouterSwap.RouterSwap>, limit = 0n) => {
        const { amountIn, deadline, minAmountOut, recipient, tokenIn, tokenOut } = { ...swap, ...change }
        const call = encodeFunctionData({
          abi: swapRouter02Abi,
          functionName: "exactInputSingle",
          args: [
            {
              tokenIn,
              tokenOut,
              fee: 500,
              recipient,
              amountIn,
              amountOutMinimum: minAmountOut,
              sqrtPriceLimitX96: limit
            }
          ]
        })
        return encodeFunctionData({ abi: swapRouter02Abi, functionName: "multicall", args: [deadline, [call]] })
      }
      const bought = (change: Partial<AcrossPurchase.Purchase>) => ({
        message: AcrossPurchase.encode({ ...purchase, calldata: router({}), ...change })
      })
      const decodes = (change: Partial<AcrossDeposit.AcrossDeposit>) =>
        Effect.map(
          Effect.result(bridge.decode(source.chain.id, route.target, AcrossDeposit.encode({ ...honest, ...change }))),
          ({ _tag }) => _tag
        )
      assert.strictEqual(yield* decodes({}), "Success")
      assert.strictEqual(yield* decodes(bought({})), "Success")
      const transfer = encodeFunctionData({
        abi: erc20Abi,
        functionName: "transfer",
        args: [attacker.address, purchase.amount]
      })
      const tampered = {
        "another handler": { recipient: attacker.address },
        "another fallback": bought({ fallbackRecipient: attacker.address }),
        "another recipient": bought({ calldata: router({ recipient: attacker.address }) }),
        "another router": bought({ router: attacker.address }),
        "no swap": bought({ calldata: transfer }),
        "no minimum": bought({ calldata: router({ minAmountOut: 0n }) }),
        "a part of the amount": bought({ calldata: router({ amountIn: purchase.amount - 1n }) }),
        "a price limit": bought({ calldata: router({}, 1n) }),
        "another sold token": bought({ sold: destination.tokens.WETH }),
        "another approved amount": bought({ amount: purchase.amount + 1n }),
        "a swap of another token": bought({ calldata: router({ tokenIn: destination.tokens.WETH }) }),
        "a swap that expires before the deposit": bought({ calldata: router({ deadline: swap.deadline - 1n }) }),
        "another output": { outputAmount: honest.outputAmount - 1n },
        "bytes behind the message": { message: `${honest.message ?? "0x"}00` as const },
        "no purchase": { message: "0x1234" as const }
      }
      for (const [name, change] of Object.entries(tampered)) {
        assert.strictEqual(yield* decodes(change), "Failure", name)
      }
      // The decoder reads a third party's pair, but its recipient and its minimum are those of the owner.
      const other = yield* bridge.decode(
        source.chain.id,
        route.target,
        AcrossDeposit.encode({ ...honest, ...bought({ calldata: router({ tokenOut: address(0xdd) }) }) })
      )
      assert.strictEqual(other.tokenOut, address(0xdd))
    })
  )
})
