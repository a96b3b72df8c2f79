/** Amounts that are divided among real pools of Uniswap v3, measured against the best single path. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { decodeFunctionData } from "viem"
import * as MemoryPrices from "../../../src/adapters/memory/orchestrator/Prices.ts"
import * as UniswapV3 from "../../../src/adapters/swap/UniswapV3.ts"
import { swapRouter02Abi } from "../../../src/adapters/swap/uniswapV3Abi.ts"
import { areApart } from "../../../src/adapters/swap/UniswapV3Splits.ts"
import * as Accounts from "../../../src/devnet/Accounts.ts"
import * as Artifacts from "../../../src/devnet/Artifacts.ts"
import * as DevExchanges from "../../../src/devnet/Exchanges.ts"
import { run, Script } from "../../../src/devnet/Script.ts"
import { type Symbol, TOKENS, units } from "../../../src/devnet/Tokens.ts"
import { type Fee, openPool } from "../../../src/devnet/Uniswap.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { type SwapRequest, type SwapRoute, SwapVenue } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { readSwapRouter02 } from "../../../src/sdk/venues.ts"
import { address } from "../../support/FakeChain.ts"
import { withLiveClock } from "../../support/LiveClock.ts"
import { chainsWith, OneChain } from "../../support/OneChain.ts"
import { asUser, balanceOf } from "../evm/contracts/asUser.ts"

const [user, bystander] = Accounts.users()
if (user === undefined || bystander === undefined) throw new Error("the local network has users")

type Priced = Exclude<Symbol, "FOT">

/** Pools with a million dollars on each side, and some with less. */
const POOLS: ReadonlyArray<readonly [Priced, Priced, Fee, bigint]> = [
  ["WBTC", "USDC", 500, 1_000_000n],
  ["WBTC", "USDC", 3000, 600_000n],
  ["WBTC", "WETH", 3000, 800_000n],
  ["WETH", "USDC", 500, 1_000_000n],
  ["WETH", "USDC", 3000, 1_000_000n]
]

/** Another Uniswap v3 in the place of the chain's own, whose pools are too deep for a price to move. */
const shallow = Effect.gen(function* () {
  const one = yield* OneChain
  const script = new Script(address(0xd5))
  yield* one.node.ask("endow", (node) => node.setBalance({ address: script.sender, value: 10n ** 20n }))
  const v3 = DevExchanges.deployV3(script, yield* Artifacts.load, one.tokens)
  const symbols = ["WBTC", "USDC", "WETH"] as const
  for (const token of symbols) {
    yield* one.fund(script.sender, { token, amount: units(token, 10_000_000n) / (TOKENS[token].usd ?? 1n) })
  }
  DevExchanges.approve(
    script,
    symbols.map((symbol) => one.tokens[symbol]),
    v3.positionManager
  )
  for (const [a, b, fee, usd] of POOLS) {
    const side = (symbol: Priced) => ({ token: one.tokens[symbol], amount: units(symbol, usd) / TOKENS[symbol].usd })
    openPool(script, v3.positionManager, { label: `${a}/${b}`, fee, sides: [side(a), side(b)] })
  }
  yield* run(one.node, script)
  return chainsWith((chain) => ({ ...chain, swapRouter: v3.swapRouter, quoter: v3.quoter }))
})

const prices = Layer.unwrap(
  Effect.map(OneChain, ({ chain, tokens }) => {
    const usd = (whole: bigint) => whole * 10n ** 18n
    return MemoryPrices.layer({
      prices: new Map([
        [
          chain.id,
          new Map([
            [NATIVE, usd(3_000n)],
            [tokens.WBTC, usd(90_000n)],
            [tokens.USDC, usd(1n)]
          ])
        ]
      ])
    })
  })
)

const venue = UniswapV3.layer.pipe(
  Layer.provideMerge(Layer.unwrap(withLiveClock(shallow)).pipe(Layer.orDie)),
  Layer.provideMerge(prices),
  Layer.provideMerge(OneChain.layer)
)

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
  deadline: 2n ** 40n,
  divisible: true
})

const stepsOf = ({ calldata }: SwapRoute) => {
  const outer = decodeFunctionData({ abi: swapRouter02Abi, data: calldata })
  if (outer.functionName !== "multicall") return assert.fail(outer.functionName)
  return outer.args[1].map((data) => decodeFunctionData({ abi: swapRouter02Abi, data }))
}

const gainBps = (route: SwapRoute, single: SwapRoute): number =>
  Number(((route.amountOut - single.amountOut) * 10_000n) / single.amountOut)

layer(venue)("an amount that moves the price of a pool", (it) => {
  const cases = [
    // Fee tiers, and two pools beside one.
    ["USDC", "WBTC", units("USDC", 60_000n), 200],
    ["USDC", "ETH", units("USDC", 60_000n), 100]
  ] as const
  for (const [tokenIn, tokenOut, amountIn, least] of cases) {
    it.effect(`is divided from ${tokenIn} to ${tokenOut}, and delivers what is promised, which is clearly more`, () =>
      Effect.gen(function* () {
        const one = yield* OneChain
        const { prepare, route } = yield* SwapVenue
        const request = requestOf(one, tokenIn, tokenOut, amountIn)
        const divided = yield* route(request)
        const [single] = divided.alternatives ?? []
        if (single === undefined) return assert.fail("it is not divided")
        const alone = yield* route({ ...request, divisible: false })
        assert.deepStrictEqual([single.calldata, single.amountOut], [alone.calldata, alone.amountOut])
        const gain = gainBps(divided, single)
        assert.isAtLeast(gain, least)
        const steps = stepsOf(divided)
        assert.isAtLeast(steps.length, 2)
        // Routes of one reading promise no more.
        const prepared = yield* (yield* prepare({ ...request, amountIn: (amountIn * 11n) / 10n }))(request)
        assert.isTrue(prepared.amountOut <= divided.amountOut + divided.amountOut / 2_000n)

        // The client of the owner reads the parts as one swap.
        const read = readSwapRouter02(divided.target, divided.calldata) ?? assert.fail("it is not read")
        assert.deepInclude(read, {
          tokenIn: request.tokenIn,
          amountIn,
          recipient: request.recipient,
          unwraps: tokenOut === "ETH"
        })
        assert.isTrue(read.minAmountOut >= divided.minAmountOut)
        const remade =
          divided.remade?.({ amountOut: divided.amountOut, slippageBps: 100 }) ?? assert.fail("it is fixed")
        assert.isTrue(remade.minAmountOut < divided.minAmountOut)

        const sender = asUser(one, user)
        yield* sender.approve(request.tokenIn, divided.target)
        const [sold, bought] = yield* Effect.all([
          balanceOf(one, request.tokenIn, user.address),
          balanceOf(one, request.tokenOut, bystander.address)
        ])
        const snapshot = yield* one.node.ask("snapshot", (node) => node.snapshot())
        const receipt = yield* sender.send(divided.target, divided.calldata)
        assert.strictEqual(receipt.status, "success")
        assert.strictEqual(sold - (yield* balanceOf(one, request.tokenIn, user.address)), amountIn)
        const received = (yield* balanceOf(one, request.tokenOut, bystander.address)) - bought
        assert.isTrue(received >= divided.amountOut, `${received} for ${divided.amountOut}`)
        const used = Number(receipt.gasUsed) - 21_000
        assert.isTrue(Math.abs(used / Number(divided.gas) - 1) < 0.4, `used ${used}, quoted ${divided.gas}`)
        yield* one.node.ask("revert", (node) => node.revert({ id: snapshot }))
      })
    )
  }

  it.effect("is not divided unless the request allows it, and not for a small gain", () =>
    Effect.gen(function* () {
      const one = yield* OneChain
      const { route } = yield* SwapVenue
      const request = requestOf(one, "USDC", "WBTC", units("USDC", 60_000n))
      assert.lengthOf(stepsOf(yield* route({ ...request, divisible: false })), 1)
      assert.lengthOf(stepsOf(yield* route({ ...request, amountIn: units("USDC", 500n) })), 1)
    })
  )

  it.effect("is divided among paths that have no pool in common", () =>
    Effect.gen(function* () {
      const { tokens } = yield* OneChain
      const apart = areApart({ tokenIn: tokens.USDC, tokenOut: tokens.WBTC })
      const direct = (fee: number) => ({ _tag: "Direct", fee }) as const
      const via = (first: number, second: number) =>
        ({ _tag: "Via", token: tokens.WETH, fees: [first, second] }) as const
      assert.isTrue(apart(direct(500), direct(3_000)))
      assert.isTrue(apart(direct(500), via(500, 500)))
      assert.isTrue(apart(via(500, 500), via(3_000, 3_000)))
      assert.isFalse(apart(via(500, 500), via(500, 3_000)))
      assert.isFalse(apart(via(500, 3_000), via(3_000, 3_000)))
      assert.isFalse(apart(direct(500), direct(500)))
    })
  )
})
