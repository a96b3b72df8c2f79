/** Routes of each family of exchanges, run against its real bytecode. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { type Abi, decodeFunctionData } from "viem"
import { uniswapV4Router } from "../../../src/adapters/evm/abi/routers.generated.ts"
import { deadlinedRouterAbi, singleByFeeAbi } from "../../../src/adapters/swap/DeadlinedRouter.ts"
import { uniswapV2RouterAbi } from "../../../src/adapters/swap/PairRouters.ts"
import { swapRouter02Abi } from "../../../src/adapters/swap/uniswapV3Abi.ts"
import { KnownPools } from "../../../src/adapters/swap/KnownPools.ts"
import * as Venues from "../../../src/adapters/swap/Venues.ts"
import * as Accounts from "../../../src/devnet/Accounts.ts"
import { type Symbol, units } from "../../../src/devnet/Tokens.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import type * as Venue from "../../../src/domain/Venue.ts"
import { type SwapRequest, SwapVenue } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { Chains } from "../../../src/ports/shared/Chains.ts"
import { readVenueCall } from "../../../src/sdk/venues.ts"
import { SwapFixture, swapVenueSuite } from "../../ports/orchestrator/SwapVenue.suite.ts"
import { Exchanges, type ExchangesShape } from "../../support/Exchanges.ts"
import { chainsWith, OneChain } from "../../support/OneChain.ts"
import { asUser, balanceOf } from "../evm/contracts/asUser.ts"

const [user, bystander] = Accounts.users()
if (user === undefined || bystander === undefined) throw new Error("the local network has users")

/** A deadline that is later than any time of the chain. */
const NEVER = 2n ** 40n

const NAME = "other"

type Declare = (exchanges: ExchangesShape) => Omit<Venue.Venue, "name">

const FAMILIES = {
  "Uniswap v2": ({ v2 }) => ({ family: "uniswap-v2", router: v2.router }),
  "Uniswap v3 with the fees of PancakeSwap": ({ v3 }) => ({
    family: "uniswap-v3",
    router: v3.swapRouter,
    quoter: v3.quoter,
    feeTiers: [100, 500, 2_500, 10_000]
  }),
  "the first SwapRouter of Uniswap v3": ({ v3 }) => ({
    family: "uniswap-v3",
    router: v3.firstRouter,
    quoter: v3.quoter,
    feeTiers: [100, 2_500],
    hasDeadlineInSwap: true
  }),
  "Uniswap v4": ({ v4: { poolManager, quoter, router } }) => ({ family: "uniswap-v4", router, quoter, poolManager })
} as const satisfies Readonly<Record<string, Declare>>

/** The chain with one more venue, and the venue alone. */
const venueOf = (declare: Declare) => {
  const declared = Layer.unwrap(
    Effect.map(Exchanges, (exchanges) =>
      chainsWith((chain) => ({ ...chain, venues: [{ name: NAME, ...declare(exchanges) }] }))
    )
  )
  const alone = Layer.effect(
    SwapVenue,
    Effect.gen(function* () {
      const source = (yield* Effect.provide(Venues.make, KnownPools.layer)).find(({ name }) => name === NAME)
      if (source === undefined) return yield* Effect.die(new Error("the chain declares the venue"))
      const { prepare } = source
      return { prepare, route: (request) => Effect.flatMap(prepare(request), (routeOf) => routeOf(request)) }
    })
  )
  return alone.pipe(
    Layer.provideMerge(declared),
    Layer.provideMerge(Exchanges.layer),
    Layer.provideMerge(OneChain.layer)
  )
}

const requestOf = (
  { chain: { id }, tokens }: OneChain["Service"],
  tokenIn: Symbol,
  tokenOut: Symbol | "ETH",
  amountIn: bigint
): SwapRequest => ({
  chainId: id,
  tokenIn: tokens[tokenIn],
  tokenOut: tokenOut === "ETH" ? NATIVE : tokens[tokenOut],
  amountIn,
  sender: user.address,
  recipient: bystander.address,
  slippageBps: 50,
  deadline: NEVER
})

const fixture = Layer.effect(
  SwapFixture,
  Effect.map(OneChain, (one) => ({
    request: requestOf(one, "USDC", "WETH", units("USDC", 1_000n)),
    unroutable: one.tokens.BLK
  }))
)

const functions: ReadonlyArray<Abi> = [
  swapRouter02Abi,
  deadlinedRouterAbi,
  singleByFeeAbi,
  uniswapV2RouterAbi,
  uniswapV4Router.abi
]

/** Names of the functions that calldata calls, those inside of a `multicall` included. */
const namesOf = (data: Hex): ReadonlyArray<string> => {
  for (const abi of functions) {
    try {
      const { args = [], functionName } = decodeFunctionData({ abi, data })
      if (functionName !== "multicall") return [functionName]
      return (args.at(-1) as ReadonlyArray<Hex>).flatMap(namesOf)
    } catch {
      continue
    }
  }
  return []
}

const TOKENS_FUNCTION = "swapExactTokensForTokensSupportingFeeOnTransferTokens"
const ETH_FUNCTION = "swapExactTokensForETHSupportingFeeOnTransferTokens"

/** Calls of a swap: one pool, native output, two pools, two pools to native output. */
const CALLS: Readonly<Record<keyof typeof FAMILIES, ReadonlyArray<ReadonlyArray<string>>>> = {
  "Uniswap v2": [[TOKENS_FUNCTION], [ETH_FUNCTION], [TOKENS_FUNCTION], [ETH_FUNCTION]],
  "Uniswap v3 with the fees of PancakeSwap": [
    ["exactInputSingle"],
    ["exactInputSingle", "unwrapWETH9"],
    ["exactInput"],
    ["exactInput", "unwrapWETH9"]
  ],
  "the first SwapRouter of Uniswap v3": [
    ["exactInputSingle"],
    ["exactInputSingle", "unwrapWETH9"],
    ["exactInput"],
    ["exactInput", "unwrapWETH9"]
  ],
  "Uniswap v4": [["exactInput"], ["exactInput"], ["exactInput"], ["exactInput"]]
}

const SWAPS: ReadonlyArray<readonly [Symbol, Symbol | "ETH", bigint]> = [
  ["USDC", "WETH", units("USDC", 3_000n)],
  ["USDC", "ETH", units("USDC", 3_000n)],
  ["DAI", "WETH", units("DAI", 1_000n)],
  ["DAI", "ETH", units("DAI", 1_000n)]
]

for (const [family, declare] of Object.entries(FAMILIES) as ReadonlyArray<[keyof typeof FAMILIES, Declare]>) {
  const venue = venueOf(declare)

  swapVenueSuite(`a venue of ${family}`, fixture.pipe(Layer.provideMerge(venue)))

  layer(venue)(`a venue of ${family}, run for real`, (it) => {
    for (const [index, [tokenIn, tokenOut, amountIn]] of SWAPS.entries()) {
      it.effect(`${tokenIn} to ${tokenOut} delivers what was quoted, for about the gas that was quoted`, () =>
        Effect.gen(function* () {
          const one = yield* OneChain
          const request = requestOf(one, tokenIn, tokenOut, amountIn)
          const route = yield* (yield* SwapVenue).route(request)
          assert.strictEqual(route.provider, NAME)
          assert.deepStrictEqual(namesOf(route.calldata), CALLS[family][index])
          // The client of the owner reads the same terms.
          assert.deepStrictEqual(readVenueCall(route.target, route.calldata), {
            tokenIn: request.tokenIn,
            amountIn,
            // The router of Uniswap v4 names native currency itself.
            tokenOut: family === "Uniswap v4" ? request.tokenOut : one.tokens.WETH,
            minAmountOut: route.minAmountOut,
            recipient: request.recipient,
            unwraps: tokenOut === "ETH"
          })
          const sender = asUser(one, user)
          yield* sender.approve(request.tokenIn, route.target)
          const [inputBefore, before] = yield* Effect.all([
            balanceOf(one, request.tokenIn, user.address),
            balanceOf(one, request.tokenOut, bystander.address)
          ])
          const receipt = yield* sender.send(route.target, route.calldata)
          assert.strictEqual(receipt.status, "success")
          assert.strictEqual(inputBefore - (yield* balanceOf(one, request.tokenIn, user.address)), amountIn)
          assert.strictEqual((yield* balanceOf(one, request.tokenOut, bystander.address)) - before, route.amountOut)
          const used = Number(receipt.gasUsed) - 21_000
          assert.isTrue(used <= Number(route.gas) * 1.4, `used ${used}, quoted ${route.gas}`)
          assert.isTrue(used >= Number(route.gas) * 0.6, `used ${used}, quoted ${route.gas}`)
          // No tokens remain in the router.
          assert.strictEqual(yield* balanceOf(one, one.tokens.WETH, route.target), 0n)
          assert.strictEqual(yield* balanceOf(one, NATIVE, route.target), 0n)
        })
      )
    }

    it.effect("reverts after its deadline, and if it would pay less than the least amount", () =>
      Effect.gen(function* () {
        const one = yield* OneChain
        const { route } = yield* SwapVenue
        const request = requestOf(one, "USDC", "WETH", units("USDC", 1n))
        const sender = asUser(one, user)
        const late = yield* route({ ...request, deadline: 1n })
        yield* sender.approve(request.tokenIn, late.target)
        assert.strictEqual((yield* sender.send(late.target, late.calldata)).status, "reverted")
        const exact = yield* route({ ...request, slippageBps: 0 })
        assert.strictEqual((yield* sender.send(exact.target, exact.calldata)).status, "success")
        // The swap has moved the price.
        assert.strictEqual((yield* sender.send(exact.target, exact.calldata)).status, "reverted")
      })
    )

    it.effect("has no route where the router would not deliver as asked", () =>
      Effect.gen(function* () {
        const one = yield* OneChain
        const { route } = yield* SwapVenue
        const request = requestOf(one, "USDC", "WETH", units("USDC", 1n))
        const { target } = yield* route(request)
        const refused = [
          { ...request, recipient: target },
          { ...request, tokenOut: request.tokenIn },
          { ...request, amountIn: 0n },
          { ...request, chainId: 999_999 },
          // Its router cannot unwrap without a swap, or does not do so here.
          ...(family === "Uniswap v3 with the fees of PancakeSwap"
            ? [{ ...request, recipient: Address.of("0x0000000000000000000000000000000000000002") }]
            : [
                { ...request, recipient: Address.zero },
                { ...request, tokenIn: one.tokens.WETH, tokenOut: NATIVE }
              ])
        ]
        for (const each of refused) assert.strictEqual((yield* Effect.flip(route(each)))._tag, "NoRoute")
      })
    )

    it.effect("is named by its router on the chains that declare it", () =>
      Effect.gen(function* () {
        const sources = yield* Effect.provide(Venues.make, KnownPools.layer)
        const [client] = (yield* Chains).all
        if (client === undefined) return yield* Effect.die(new Error("there is a chain"))
        const { chain } = client
        assert.deepStrictEqual<unknown>(
          sources.map(({ name, routersOn }) => [name, routersOn(chain)]),
          [
            ["uniswap-v3", [chain.swapRouter]],
            [NAME, [declare(yield* Exchanges).router]]
          ]
        )
        const { venues: _venues, swapRouter: _router, ...bare } = chain
        assert.deepStrictEqual(
          sources.flatMap(({ routersOn }) => routersOn(bare)),
          []
        )
      })
    )
  })
}

layer(venueOf(FAMILIES["Uniswap v2"]))("a token that takes a fee of each transfer", (it) => {
  it.effect("is swapped by Uniswap v2 within a tolerance for the fee, and reverts without one", () =>
    Effect.gen(function* () {
      const one = yield* OneChain
      const { route } = yield* SwapVenue
      const request = requestOf(one, "FOT", "USDC", units("FOT", 10n))
      const sender = asUser(one, user)
      const tight = yield* route(request)
      yield* sender.approve(request.tokenIn, tight.target)
      assert.strictEqual((yield* sender.send(tight.target, tight.calldata)).status, "reverted")
      const wide = yield* route({ ...request, slippageBps: 150 })
      assert.strictEqual((yield* sender.send(wide.target, wide.calldata)).status, "success")
    })
  )
})
