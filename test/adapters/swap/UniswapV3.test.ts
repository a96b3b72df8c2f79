import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Struct } from "effect"
import { createRequire } from "node:module"
import { type AbiFunction, decodeFunctionData, toFunctionSelector } from "viem"
import * as MemoryChains from "../../../src/adapters/memory/shared/Chains.ts"
import * as UniswapV3 from "../../../src/adapters/swap/UniswapV3.ts"
import { quoterV2Abi, swapRouter02Abi } from "../../../src/adapters/swap/uniswapV3Abi.ts"
import * as Accounts from "../../../src/devnet/Accounts.ts"
import { type Symbol, units } from "../../../src/devnet/Tokens.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { type SwapRequest, SwapVenue } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { SwapFixture, swapVenueSuite } from "../../ports/orchestrator/SwapVenue.suite.ts"
import { address, chain } from "../../support/FakeChain.ts"
import { chains, chainsWith, OneChain } from "../../support/OneChain.ts"
import { asUser, balanceOf } from "../evm/contracts/asUser.ts"

const [user, bystander] = Accounts.users()
if (user === undefined || bystander === undefined) throw new Error("the local network has users")

/** A deadline that is later than any time of the chain. */
const NEVER = 2n ** 40n

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

const venue = UniswapV3.layer.pipe(Layer.provideMerge(chains))

const fixture = Layer.effect(
  SwapFixture,
  Effect.map(OneChain, (one) => ({
    request: requestOf(one, "USDC", "WETH", units("USDC", 1_000n)),
    unroutable: one.tokens.FOT
  }))
)

swapVenueSuite("UniswapV3 on a local chain", fixture.pipe(Layer.provideMerge(venue)))

/** The router's calls, without the wrapper of the deadline. */
const stepsOf = (calldata: Hex) => {
  const outer = decodeFunctionData({ abi: swapRouter02Abi, data: calldata })
  assert.strictEqual(outer.functionName, "multicall")
  if (outer.functionName !== "multicall") throw new Error("unreachable")
  return outer.args[1].map((data) => decodeFunctionData({ abi: swapRouter02Abi, data }))
}

layer(venue)("UniswapV3, run for real", (it) => {
  const swaps: ReadonlyArray<readonly [Symbol, Symbol | "ETH", bigint, ReadonlyArray<string>]> = [
    ["USDC", "WETH", units("USDC", 3_000n), ["exactInputSingle"]],
    ["USDC", "ETH", units("USDC", 3_000n), ["exactInputSingle", "unwrapWETH9"]],
    // The original USDT returns nothing from transferFrom. Two pools with low fees beat one with a high fee.
    ["USDT", "ETH", units("USDT", 100n), ["exactInput", "unwrapWETH9"]],
    ["WBTC", "DAI", units("WBTC", 1n) / 100n, ["exactInput"]],
    ["BLK", "ETH", units("BLK", 50n), ["exactInput", "unwrapWETH9"]],
    ["WETH", "ETH", units("WETH", 2n), ["pull", "unwrapWETH9"]],
    // The delegate has wrapped native input already.
    ["WETH", "WETH", units("WETH", 2n), ["pull", "sweepToken"]]
  ]
  for (const [tokenIn, tokenOut, amountIn, steps] of swaps) {
    it.effect(`${tokenIn} to ${tokenOut} delivers what was quoted, for the gas that was quoted`, () =>
      Effect.gen(function* () {
        const one = yield* OneChain
        const request = requestOf(one, tokenIn, tokenOut, amountIn)
        const route = yield* (yield* SwapVenue).route(request)
        assert.deepStrictEqual(
          stepsOf(route.calldata).map((step) => step.functionName),
          steps
        )
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
        // The 21,000 gas of a transaction and its calldata are not part of the swap.
        const used = Number(receipt.gasUsed) - 21_000
        assert.isTrue(used <= Number(route.gas), `used ${used}, quoted ${route.gas}`)
        assert.isTrue(used >= Number(route.gas) * 0.8, `used ${used}, quoted ${route.gas}`)
        // No tokens remain in the router.
        assert.strictEqual(yield* balanceOf(one, one.tokens.WETH, route.target), 0n)
        assert.strictEqual(yield* balanceOf(one, NATIVE, route.target), 0n)
      })
    )
  }

  it.effect("takes the cheaper of two pools", () =>
    Effect.gen(function* () {
      const one = yield* OneChain
      const route = yield* (yield* SwapVenue).route(requestOf(one, "USDC", "WETH", units("USDC", 1_000n)))
      const [step] = stepsOf(route.calldata)
      assert.strictEqual(step?.functionName === "exactInputSingle" && step.args[0].fee, 500)
    })
  )

  it.effect("names the next path where the best one leads by more than 3 %", () =>
    Effect.gen(function* () {
      const one = yield* OneChain
      const venue = yield* SwapVenue
      const near = yield* venue.route(requestOf(one, "DAI", "USDC", units("DAI", 1_000n)))
      assert.isUndefined(near.alternatives)
      const { alternatives = [], amountOut } = yield* venue.route(
        requestOf(one, "DAI", "USDC", units("DAI", 10_000_000n))
      )
      const [next] = alternatives
      if (next === undefined) return assert.fail("there is none")
      assert.isTrue(amountOut * 10_000n > next.amountOut * 10_300n, `${amountOut} and ${next.amountOut}`)
    })
  )

  it.effect("reverts after its deadline", () =>
    Effect.gen(function* () {
      const one = yield* OneChain
      const request = { ...requestOf(one, "USDC", "WETH", units("USDC", 1n)), deadline: 1n }
      const route = yield* (yield* SwapVenue).route(request)
      const sender = asUser(one, user)
      yield* sender.approve(request.tokenIn, route.target)
      assert.strictEqual((yield* sender.send(route.target, route.calldata)).status, "reverted")
    })
  )

  it.effect("has no route where the router would not deliver as asked", () =>
    Effect.gen(function* () {
      const one = yield* OneChain
      const { route } = yield* SwapVenue
      const request = requestOf(one, "USDC", "WETH", units("USDC", 1n))
      const refused = [
        { ...request, recipient: Address.of("0x0000000000000000000000000000000000000001") },
        { ...request, recipient: Address.of("0x0000000000000000000000000000000000000002") },
        { ...request, recipient: one.uniswap.swapRouter },
        { ...request, tokenOut: request.tokenIn },
        { ...request, chainId: 999_999 }
      ]
      for (const each of refused) assert.strictEqual((yield* Effect.flip(route(each)))._tag, "NoRoute")
    })
  )
})

const quoteWith = (adapter: Layer.Layer<SwapVenue>, one: Pick<SwapRequest, "chainId" | "tokenIn">) =>
  Effect.gen(function* () {
    const request = { tokenOut: NATIVE, amountIn: 1_000n, sender: address(1), recipient: address(2) }
    return yield* Effect.flip((yield* SwapVenue).route({ ...one, ...request, slippageBps: 50, deadline: NEVER }))
  }).pipe(Effect.provide(adapter))

layer(OneChain.layer)("UniswapV3, wrongly configured", (it) => {
  const withChain = (change: Parameters<typeof chainsWith>[0]) =>
    Effect.gen(function* () {
      const one = yield* OneChain
      const adapter = UniswapV3.layer.pipe(
        Layer.provide(chainsWith(change)),
        Layer.provide(Layer.succeed(OneChain, one))
      )
      return yield* quoteWith(adapter, { chainId: one.chain.id, tokenIn: one.tokens.USDC })
    })

  it.effect("says that there is no venue", () =>
    Effect.gen(function* () {
      const error = yield* withChain(Struct.omit(["quoter"]))
      assert.strictEqual(error._tag, "NoRoute")
      assert.include(error.message, "not configured")
    })
  )

  it.effect("has no route by a quoter that is none", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* withChain((each) => ({ ...each, quoter: address(9) })))._tag, "NoRoute")
      assert.strictEqual((yield* withChain((each) => ({ ...each, quoter: each.permit2 })))._tag, "NoRoute")
    })
  )

  it.effect("is unavailable without Multicall3", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* withChain((each) => ({ ...each, multicall3: address(9) })))._tag, "RoutingUnavailable")
    })
  )
})

describe("UniswapV3, without a node", () => {
  it.effect("is unavailable", () =>
    Effect.gen(function* () {
      const configured = { ...chain, swapRouter: address(0xc8) }
      const silent = MemoryChains.layer([configured])
      const failing = Layer.effectDiscard(
        Effect.gen(function* () {
          yield* (yield* (yield* MemoryChains.MemoryChains).get(chain.id)).fail("call")
        })
      ).pipe(Layer.provideMerge(silent), Layer.orDie)
      const error = yield* quoteWith(UniswapV3.layer.pipe(Layer.provide(failing)), {
        chainId: chain.id,
        tokenIn: address(1)
      })
      assert.strictEqual(error._tag, "RoutingUnavailable")
    })
  )
})

describe("the ABIs", () => {
  it("are those of the published contracts", () => {
    const require = createRequire(import.meta.url)
    const artifacts: ReadonlyArray<readonly [string, ReadonlyArray<unknown>]> = [
      ["SwapRouter02.sol/SwapRouter02.json", swapRouter02Abi],
      ["lens/QuoterV2.sol/QuoterV2.json", quoterV2Abi]
    ]
    for (const [file, abi] of artifacts) {
      const artifact = require(`@uniswap/swap-router-contracts/artifacts/contracts/${file}`) as {
        abi: Array<AbiFunction>
      }
      const published = artifact.abi.filter((item) => item.type === "function").map((item) => toFunctionSelector(item))
      for (const item of abi as ReadonlyArray<AbiFunction>) assert.include(published, toFunctionSelector(item))
    }
  })
})
