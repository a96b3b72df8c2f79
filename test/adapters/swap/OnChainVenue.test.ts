import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import type * as Curves from "../../../src/adapters/swap/Curves.ts"
import * as OnChainVenue from "../../../src/adapters/swap/OnChainVenue.ts"
import { NoRoute } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { CallReverted, type ChainClient, Chains } from "../../../src/ports/shared/Chains.ts"
import * as Multicall3 from "../../../src/adapters/evm/codec/Multicall3.ts"
import { address, client, layer } from "../../support/FakeChain.ts"
import { FIRST, request, routeVia } from "./scriptedVenues.ts"

/** A market whose paths pay these outputs for the request. */
const marketOf = (outputs: ReadonlyArray<bigint>): Curves.Market<string> =>
  outputs.map((amountOut, index) => ({
    path: `path ${index}`,
    samples: [{ amountIn: request.amountIn, amountOut, gas: 1n }]
  }))

const readingOf = (market: Curves.Market<string>) =>
  OnChainVenue.reading(market, (_terms, { amountOut }) => routeVia(FIRST, amountOut))

const outputs = (market: ReadonlyArray<bigint>) =>
  Option.map(readingOf(marketOf(market)).routeOf(request), ({ alternatives = [], amountOut }) => [
    amountOut,
    ...alternatives.map((other) => other.amountOut)
  ])

describe("the route of a market", () => {
  it("is that of the best path, with the next one behind it where the best leads by more than 3 %", () => {
    assert.deepStrictEqual(outputs([10_000n, 10_301n, 9_000n]), Option.some([10_301n, 10_000n]))
    assert.deepStrictEqual(outputs([10_300n, 10_000n]), Option.some([10_300n]))
    assert.deepStrictEqual(outputs([10_000n]), Option.some([10_000n]))
    assert.deepStrictEqual(outputs([]), Option.none())
  })
})

/** Prepares a venue whose market has these paths, and asks it for a tenth of the amount. Returns the amounts that were read. */
const askedForLess = Effect.fnUntraced(
  function* (paths: ReadonlyArray<string>) {
    const reads: Array<ReadonlyArray<bigint>> = []
    const exchange: OnChainVenue.Exchange = {
      router: address(0xa9),
      reserved: [],
      mayTrade: () => true,
      read: (_client, _pair, amounts) =>
        Effect.sync(() => {
          reads.push(amounts)
          return readingOf(
            paths.map((path) => ({
              path,
              samples: amounts.map((amountIn) => ({ amountIn, amountOut: amountIn, gas: 1n }))
            }))
          )
        }),
      poolReads: () => []
    }
    const { prepare } = OnChainVenue.make(yield* Chains, "fake", () => Option.some(exchange))
    const pair = { chainId: 31337, tokenIn: request.tokenIn, tokenOut: address(0x77), amountIn: 1_000n }
    const routeOf = yield* prepare(pair)
    const { deadline, recipient, sender, slippageBps } = request
    const found = yield* Effect.result(routeOf({ amountIn: 100n, deadline, recipient, sender, slippageBps }))
    return { found, reads }
  },
  Effect.provide(layer({}))
)

describe("a market that was read for a larger amount", () => {
  it.effect("is read again where it has pools: they may pay for less", () =>
    Effect.gen(function* () {
      const { found, reads } = yield* askedForLess(["path"])
      assert.strictEqual(found._tag === "Success" ? found.success.amountOut : found, 100n)
      assert.deepStrictEqual(reads, [[600n, 900n, 1_000n], [100n]])
    })
  )

  it.effect("is not read again where it has none", () =>
    Effect.gen(function* () {
      const { found, reads } = yield* askedForLess([])
      assert.instanceOf(found._tag === "Failure" ? found.failure : found, NoRoute)
      assert.deepStrictEqual(reads, [[600n, 900n, 1_000n]])
    })
  )
})

describe("a failure of the reads", () => {
  /** True if the venue says that the node refused the call. */
  const isRefused = Effect.fnUntraced(
    function* (call: ReturnType<ChainClient["call"]>) {
      const node = client({ call: () => call })
      const exchange: OnChainVenue.Exchange = {
        router: address(0xa9),
        reserved: [],
        mayTrade: () => true,
        read: () => Effect.as(Multicall3.read(node, [{ to: address(0xb9), data: "0x" }]), readingOf([])),
        poolReads: () => []
      }
      const { route } = OnChainVenue.make(yield* Chains, "fake", () => Option.some(exchange))
      const failure = yield* Effect.flip(route({ ...request, chainId: 31337, tokenOut: address(0x77) }))
      return failure._tag === "RoutingUnavailable" && failure.isCallRefused === true
    },
    Effect.provide(layer({}))
  )

  it.effect("is one of the token if the call reverts, and one of the node if its answer is empty", () =>
    Effect.gen(function* () {
      assert.isTrue(
        yield* isRefused(Effect.fail(new CallReverted({ chainId: 31337, data: "0x", detail: "out of gas" })))
      )
      assert.isFalse(yield* isRefused(Effect.succeed("0x")))
    })
  )
})
