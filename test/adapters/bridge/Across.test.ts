import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { encodeFunctionData, parseAbi } from "viem"
import * as Across from "../../../src/adapters/bridge/Across.ts"
import * as AcrossDeposit from "../../../src/adapters/bridge/AcrossDeposit.ts"
import { AcrossFees, type FeeQuote, type FeeRequest } from "../../../src/adapters/bridge/AcrossFees.ts"
import * as UniswapV3 from "../../../src/adapters/swap/UniswapV3.ts"
import { FILL_DEADLINE_BUFFER, QUOTE_TIME_BUFFER } from "../../../src/devnet/Across.ts"
import { units } from "../../../src/devnet/Tokens.ts"
import * as Address from "../../../src/domain/Address.ts"
import { designator } from "../../../src/domain/Delegation.ts"
import { Bridge, type BridgeRequest } from "../../../src/ports/orchestrator/Bridge.ts"
import { BridgeFixture, bridgeSuite } from "../../ports/orchestrator/Bridge.suite.ts"
import { address } from "../../support/FakeChain.ts"
import { TestNetwork } from "../../support/Network.ts"
import { asUser, balanceOf } from "../evm/contracts/asUser.ts"
import { AcrossNetwork, chainsOf, network, RECIPIENT } from "./acrossNetwork.ts"
import { ORDER_LIFETIME_SECONDS, across, refusal, shared } from "./acrossRoutes.ts"

const fixtureOf = (requestOf: (net: AcrossNetwork["Service"]) => BridgeRequest) =>
  Layer.effect(
    BridgeFixture,
    Effect.gen(function* () {
      const net = yield* AcrossNetwork
      const request = requestOf(net)
      return {
        request,
        deposit: (route) => net.deposit(request, route),
        fill: (settlement) => Effect.asVoid(net.fill(settlement)),
        expire: () =>
          Effect.orDie(
            net.destination.node.ask("let time pass", async (client) => {
              await client.increaseTime({ seconds: FILL_DEADLINE_BUFFER + 1 })
              await client.mine({ blocks: 1 })
            })
          )
      }
    })
  )

for (const [name, requestOf] of [
  ["Across on local chains", (net) => net.requestOf("USDC", "USDC", units("USDC", 100n))],
  ["Across on local chains, after a swap", (net) => net.requestOf("WETH", "USDC", units("WETH", 1n))]
] satisfies ReadonlyArray<readonly [string, Parameters<typeof fixtureOf>[0]]>) {
  bridgeSuite(name, fixtureOf(requestOf).pipe(Layer.provideMerge(across), Layer.provideMerge(network)))
}

layer(shared)("Across, routes", (it) => {
  it.effect("uses no more gas for a deposit than it says, and not much less", () =>
    Effect.gen(function* () {
      const net = yield* AcrossNetwork
      for (const symbol of ["USDC", "WETH", "USDT"] as const) {
        const request = net.requestOf(symbol, symbol === "WETH" ? "ETH" : symbol, units(symbol, 1n))
        const route = yield* (yield* Bridge).route(request)
        yield* net.deposit(request, route)
        const { receipt } = yield* net.deposit(request, route)
        const used = Number(receipt.gasUsed) - 21_000
        assert.isTrue(used <= Number(route.gas), `${symbol} used ${used}`)
        assert.isTrue(used >= Number(route.gas) * 0.6, `${symbol} used ${used}`)
      }
    })
  )

  it.effect("bridges only to what has a counterpart, and not within a chain", () =>
    Effect.gen(function* () {
      const net = yield* AcrossNetwork
      const plain = net.requestOf("USDC", "USDC", 1_000n)
      assert.match(yield* refusal({ ...plain, tokenOut: address(9) }), /^NoRoute: .*has no counterpart on /)
      assert.match(yield* refusal({ ...plain, tokenIn: address(9) }), /^NoRoute: no liquid pool/)
      assert.match(yield* refusal({ ...plain, destChainId: plain.sourceChainId }), /^NoRoute: .*same chain/)
      assert.match(yield* refusal({ ...plain, destChainId: 999_999 }), /^NoRoute: .*not configured/)
    })
  )

  it.effect("delivers native currency to an account without code, and to a delegated one", () =>
    Effect.gen(function* () {
      const net = yield* AcrossNetwork
      const bridge = yield* Bridge
      const delegated = address(0x71)
      yield* net.destination.node.ask("delegate", (client) =>
        client.setCode({ address: delegated, bytecode: designator(net.destination.chain.contracts.delegate) })
      )
      for (const recipient of [RECIPIENT, delegated]) {
        const request = net.requestOf("WETH", "ETH", units("WETH", 1n), recipient)
        const route = yield* bridge.route(request)
        const before = yield* balanceOf(net.destination, request.tokenOut, recipient)
        yield* net.fill(yield* net.deposit(request, route))
        assert.strictEqual((yield* balanceOf(net.destination, request.tokenOut, recipient)) - before, route.amountOut)
        const wrapped = net.requestOf("WETH", "WETH", units("WETH", 1n), recipient)
        // The pool unwraps it for accounts without code, which the route says.
        const unwrapping = yield* bridge.route(wrapped)
        assert.deepStrictEqual(unwrapping.arrival, { outputUnwraps: true })
        const ether = yield* balanceOf(net.destination, request.tokenOut, recipient)
        yield* net.fill(yield* net.deposit(wrapped, unwrapping))
        assert.strictEqual(
          (yield* balanceOf(net.destination, request.tokenOut, recipient)) - ether,
          unwrapping.amountOut
        )
      }
    })
  )

  it.effect("delivers the wrapped native token to a contract", () =>
    Effect.gen(function* () {
      const net = yield* AcrossNetwork
      const contract = net.destination.chain.permit2
      const request = net.requestOf("WETH", "WETH", units("WETH", 1n), contract)
      const route = yield* (yield* Bridge).route(request)
      const before = yield* balanceOf(net.destination, request.tokenOut, contract)
      yield* net.fill(yield* net.deposit(request, route))
      assert.strictEqual((yield* balanceOf(net.destination, request.tokenOut, contract)) - before, route.amountOut)
      const native = net.requestOf("WETH", "ETH", units("WETH", 1n), contract)
      assert.match(yield* refusal(native), /^NoRoute: .*would get wrapped ETH/)
    })
  )

  it.effect("offers nothing while the pool is paused", () =>
    Effect.gen(function* () {
      const net = yield* AcrossNetwork
      const admin = asUser(net.source, net.source.deployer)
      const pause = (paused: boolean) =>
        admin.send(
          net.source.spokePool,
          encodeFunctionData({
            abi: parseAbi(["function pauseDeposits(bool pause)"]),
            functionName: "pauseDeposits",
            args: [paused]
          })
        )
      const request = net.requestOf("USDC", "USDC", units("USDC", 1n))
      yield* pause(true)
      assert.match(yield* refusal(request), /^NoRoute: .*paused/)
      yield* pause(false)
      assert.strictEqual((yield* (yield* Bridge).route(request)).provider, "across")
    })
  )

  it.effect("is unavailable where the configured pool is none", () =>
    Effect.gen(function* () {
      const net = yield* AcrossNetwork
      const request = net.requestOf("USDC", "USDC", units("USDC", 1n))
      // Otherwise the layer of the test would be reused.
      const elsewhere = Layer.fresh(across).pipe(
        Layer.provide(chainsOf((chain) => ({ ...chain, spokePool: address(0x99) }))),
        Layer.provide(Layer.succeed(TestNetwork, yield* TestNetwork))
      )
      assert.match(yield* refusal(request).pipe(Effect.provide(elsewhere)), /^RoutingUnavailable: no SpokePool/)
    })
  )
})

layer(network)("Across, offers of the fee service", (it) => {
  /** Routes with an answer of the fee service. Returns the deposit, or the reason of the refusal. */
  const routeWith = (change: (quote: FeeQuote, request: FeeRequest) => Partial<FeeQuote>, options = {}) =>
    Effect.gen(function* () {
      const net = yield* AcrossNetwork
      const request = net.requestOf("USDC", "USDC", units("USDC", 100n))
      let now = 0
      const service = Layer.succeed(AcrossFees, {
        quote: (asked) =>
          Effect.sync(() => {
            now = asked.now
            const honest: FeeQuote = {
              outputAmount: asked.inputAmount - 1_000n,
              quoteTimestamp: asked.now,
              fillDeadline: asked.now + 7_200,
              exclusiveRelayer: Address.zero,
              exclusivitySeconds: 0,
              estimatedSeconds: 4
            }
            return { ...honest, ...change(honest, asked) }
          })
      })
      const adapter = Across.layer({ orderLifetimeSeconds: ORDER_LIFETIME_SECONDS, ...options }).pipe(
        Layer.provide([service, UniswapV3.layer])
      )
      return yield* Effect.gen(function* () {
        const outcome = yield* Effect.result((yield* Bridge).route(request))
        if (outcome._tag === "Failure") return { refused: `${outcome.failure._tag}: ${outcome.failure.detail}` }
        const deposit = Option.getOrThrow(AcrossDeposit.decode(outcome.success.calldata))
        return { route: outcome.success, deposit, now, request }
      }).pipe(Effect.provide(adapter))
    })

  const offered = (outcome: Effect.Success<ReturnType<typeof routeWith>>) => {
    if ("refused" in outcome) throw new Error(outcome.refused)
    return outcome
  }

  it.effect("are refused when they are not what an honest one would be", () =>
    Effect.gen(function* () {
      const relayer = address(0x51)
      const refused: ReadonlyArray<readonly [RegExp, Parameters<typeof routeWith>[0]]> = [
        [/above the input/, (_, { inputAmount }) => ({ outputAmount: inputAmount + 1n })],
        [/does not cover/, () => ({ outputAmount: 0n })],
        [/above 3000 bps/, (_, { inputAmount }) => ({ outputAmount: inputAmount / 2n })],
        [/one relayer for too long/, () => ({ exclusiveRelayer: relayer, exclusivitySeconds: 3_600 })],
        [/one relayer for too long/, () => ({ exclusiveRelayer: relayer, exclusivitySeconds: 0 })],
        [/one relayer for too long/, () => ({ exclusivitySeconds: 10 })],
        [/too old/, ({ quoteTimestamp }) => ({ quoteTimestamp: quoteTimestamp - QUOTE_TIME_BUFFER + 700 })]
      ]
      for (const [reason, change] of refused) {
        const outcome = yield* routeWith(change)
        assert.match("refused" in outcome ? outcome.refused : "offered", new RegExp(`^NoRoute: .*${reason.source}`))
      }
    })
  )

  it.effect("keep a short exclusivity", () =>
    Effect.gen(function* () {
      const relayer = address(0x51)
      const { deposit } = offered(yield* routeWith(() => ({ exclusiveRelayer: relayer, exclusivitySeconds: 12 })))
      assert.strictEqual(deposit.exclusiveRelayer, relayer)
      assert.strictEqual(deposit.exclusivityParameter, 12)
    })
  )

  it.effect("are never dated after the chain's own time", () =>
    Effect.gen(function* () {
      const { deposit, now } = offered(yield* routeWith((quote) => ({ quoteTimestamp: quote.quoteTimestamp + 500 })))
      assert.strictEqual(deposit.quoteTimestamp, now)
    })
  )

  it.effect("leave relayers time after the last moment of the order, within what the pool takes", () =>
    Effect.gen(function* () {
      const early = offered(yield* routeWith((quote) => ({ fillDeadline: quote.quoteTimestamp + 60 })))
      assert.isTrue(early.deposit.fillDeadline >= early.now + 720 + 600)
      const late = offered(yield* routeWith((quote) => ({ fillDeadline: quote.quoteTimestamp + 10 ** 6 })))
      assert.strictEqual(late.deposit.fillDeadline, late.now + FILL_DEADLINE_BUFFER)
      const impossible = yield* routeWith(() => ({}), { minFillSeconds: FILL_DEADLINE_BUFFER })
      assert.match("refused" in impossible ? impossible.refused : "offered", /outlasts the order/)
    })
  )

  it.effect("still stand at the last second of the order, and not after the pool's buffer", () =>
    Effect.gen(function* () {
      const net = yield* AcrossNetwork
      const { request, route } = offered(yield* routeWith(() => ({})))
      const wait = (seconds: number) =>
        net.source.node.ask("let time pass", async (client) => {
          await client.increaseTime({ seconds })
          await client.mine({ blocks: 1 })
        })
      yield* wait(720)
      assert.strictEqual((yield* net.deposit(request, route)).receipt.status, "success")
      yield* wait(QUOTE_TIME_BUFFER)
      assert.strictEqual((yield* net.deposit(request, route)).receipt.status, "reverted")
    })
  )
})
