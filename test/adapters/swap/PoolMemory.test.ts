/** Pools that are remembered as missing, and pools that are created meanwhile. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { decodeFunctionData, encodeFunctionData, erc20Abi, maxUint256, numberToHex, parseAbi } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import type * as Multicall3 from "../../../src/adapters/evm/codec/Multicall3.ts"
import * as UniswapV3 from "../../../src/adapters/swap/UniswapV3.ts"
import { swapRouter02Abi } from "../../../src/adapters/swap/uniswapV3Abi.ts"
import * as Market from "../../../src/adapters/swap/UniswapV3Market.ts"
import * as Path from "../../../src/adapters/swap/UniswapV3Path.ts"
import * as PoolMemory from "../../../src/adapters/swap/PoolMemory.ts"
import * as Script from "../../../src/devnet/Script.ts"
import * as Tokens from "../../../src/devnet/Tokens.ts"
import * as Uniswap from "../../../src/devnet/Uniswap.ts"
import * as Address from "../../../src/domain/Address.ts"
import { SwapVenue } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { address } from "../../support/FakeChain.ts"
import { chains, OneChain } from "../../support/OneChain.ts"

const QUOTER = address(0xa1)
const VENUE = Market.venueOf(1, QUOTER)
const FACTORY = address(0xa2)
const [TOKEN, HOP, OUT] = [address(1), address(2), address(3)]
const PAIRS = [
  [TOKEN, OUT],
  [TOKEN, HOP],
  [HOP, OUT]
] as const

const factoryAbi = parseAbi([
  "function getPool(address tokenA, address tokenB, uint24 fee) view returns (address pool)"
])

const word = (value: bigint): Multicall3.Answer => Option.some(numberToHex(value, { size: 32 }))

/** The view of the market from {@link TOKEN} to {@link OUT}. */
const viewOf = (pools: PoolMemory.PoolMemory, nowMillis: number) => pools.view(VENUE, PAIRS, nowMillis)

type View = ReturnType<typeof viewOf>

/** Learns the factory, and then that of all pools only those with this fee exist. */
const learned = (existing: number, nowMillis: number) => {
  const pools = PoolMemory.make()
  viewOf(pools, nowMillis).learn([word(BigInt(FACTORY))])
  answer(viewOf(pools, nowMillis), existing)
  return pools
}

const answer = ({ learn, lookups }: View, existing: number) =>
  learn(
    lookups.map(({ data, to }) => {
      assert.strictEqual(to, FACTORY)
      const [, , fee] = decodeFunctionData({ abi: factoryAbi, data }).args
      return word(fee === existing ? 7n : 0n)
    })
  )

/** Fees of the pools of each pair, in both directions. */
const feesIn = ({ kindsOf }: View) =>
  PAIRS.map(([first, second]) => {
    assert.deepStrictEqual(kindsOf(second, first), kindsOf(first, second))
    return kindsOf(first, second)
  })

const ALL = PAIRS.map(() => Path.FEES)
const only = (fee: number) => PAIRS.map(() => [fee])

describe("pools", () => {
  it("may all exist until the factory is known, and are looked up first when it is", () => {
    const pools = PoolMemory.make()
    const first = viewOf(pools, 0)
    assert.deepStrictEqual([first.isNew, feesIn(first), first.lookups.map(({ to }) => to)], [false, ALL, [QUOTER]])
    first.learn([word(BigInt(FACTORY))])
    const second = viewOf(pools, 0)
    assert.deepStrictEqual([second.isNew, feesIn(second)], [true, ALL])
    assert.lengthOf(second.lookups, 3 * Path.FEES.length)
    answer(second, 500)
    assert.deepStrictEqual(feesIn(second), only(500), "what is learned counts at once")
  })

  it("may all exist while the factory gives no usable answer, and it is not asked before each quote", () => {
    const pools = PoolMemory.make()
    viewOf(pools, 0).learn([word(BigInt(FACTORY))])
    const first = viewOf(pools, 0)
    first.learn(first.lookups.map(() => Option.none()))
    assert.deepStrictEqual(feesIn(first), ALL)
    const again = viewOf(pools, PoolMemory.REFRESH_MILLIS - 1)
    assert.deepStrictEqual([again.isNew, again.lookups], [false, []])
    const second = viewOf(pools, PoolMemory.REFRESH_MILLIS)
    assert.deepStrictEqual([second.isNew, feesIn(second)], [false, ALL])
    answer(second, 500)
    assert.deepStrictEqual(feesIn(viewOf(pools, PoolMemory.REFRESH_MILLIS)), only(500))
  })

  it("may all exist if the quoter names no factory", () => {
    for (const named of [Option.none(), Option.some("0x" as const), word(0n), word(1n << 160n)]) {
      const pools = PoolMemory.make()
      viewOf(pools, 0).learn([named])
      const next = viewOf(pools, 0)
      assert.deepStrictEqual([next.lookups.map(({ to }) => to), feesIn(next)], [[QUOTER], ALL])
    }
  })

  it("that are missing are not looked up again", () => {
    const pools = learned(500, 0)
    const back = pools.view(
      VENUE,
      PAIRS.map(([first, second]) => [second, first] as const),
      0
    )
    for (const view of [viewOf(pools, 0), back]) {
      assert.deepStrictEqual([view.isNew, view.lookups, feesIn(view)], [false, [], only(500)])
    }
  })

  it("of a factory that is known are looked up before the first quote", () => {
    const [pools, known] = [PoolMemory.make(), { ...VENUE, factory: FACTORY }]
    const view = pools.view(known, PAIRS, 0)
    assert.isTrue(view.isNew)
    answer(view, 500)
    assert.deepStrictEqual(feesIn(pools.view(known, PAIRS, 0)), only(500))
  })

  it("of another chain are not the same", () => {
    const pools = learned(500, 0)
    assert.deepStrictEqual(feesIn(pools.view({ ...VENUE, chainId: 2 }, PAIRS, 0)), ALL)
  })

  it("that are missing may exist again after the lifetime, and are looked up first", () => {
    const pools = learned(500, 0)
    const [last, after] = [PoolMemory.LIFETIME_MILLIS, PoolMemory.LIFETIME_MILLIS + 1].map((now) => viewOf(pools, now))
    assert.deepStrictEqual([last?.isNew, last === undefined ? [] : feesIn(last)], [false, only(500)])
    assert.deepStrictEqual([after?.isNew, after === undefined ? [] : feesIn(after)], [true, ALL])
  })

  it("that are missing are looked up again while they are in use", () => {
    const pools = learned(500, 0)
    assert.deepStrictEqual(viewOf(pools, PoolMemory.REFRESH_MILLIS - 1).lookups, [])
    const aged = viewOf(pools, PoolMemory.REFRESH_MILLIS)
    assert.isFalse(aged.isNew)
    assert.lengthOf(aged.lookups, 3 * Path.FEES.length)
    answer(aged, 3_000)
    assert.deepStrictEqual(feesIn(viewOf(pools, PoolMemory.REFRESH_MILLIS + PoolMemory.LIFETIME_MILLIS)), only(3_000))
  })
})

const venue = UniswapV3.layer.pipe(Layer.provideMerge(chains))

/** Opens the pool of BLK and USDC with the lowest fee that it does not have yet. */
const openCheapPool = Effect.gen(function* () {
  const { node, tokens, uniswap } = yield* OneChain
  const sender = Address.of(privateKeyToAccount(generatePrivateKey()).address)
  yield* node.ask("pay for the pool", (client) => client.setBalance({ address: sender, value: 10n ** 24n }))
  const script = new Script.Script(sender)
  const sides = [
    { token: tokens.BLK, amount: Tokens.units("BLK", 50_000_000n) },
    { token: tokens.USDC, amount: Tokens.units("USDC", 100_000_000n) }
  ] as const
  for (const { amount, token } of sides) {
    script.call("mint", token, Tokens.mint(sender, amount))
    const args = [uniswap.positionManager, maxUint256] as const
    script.call("approve", token, encodeFunctionData({ abi: erc20Abi, functionName: "approve", args }))
  }
  Uniswap.openPool(script, uniswap.positionManager, { label: "BLK/USDC", fee: 500, sides })
  yield* Script.run(node, script)
})

/** Fee of the pool that a swap of BLK to USDC takes. */
const feeOfRoute = Effect.gen(function* () {
  const { chain, tokens } = yield* OneChain
  const { calldata } = yield* (yield* SwapVenue).route({
    chainId: chain.id,
    tokenIn: tokens.BLK,
    tokenOut: tokens.USDC,
    amountIn: Tokens.units("BLK", 100n),
    sender: address(1),
    recipient: address(9),
    slippageBps: 50,
    deadline: 2n ** 40n
  })
  const outer = decodeFunctionData({ abi: swapRouter02Abi, data: calldata })
  const [inner] = outer.functionName === "multicall" ? outer.args[1] : []
  const swap = inner === undefined ? undefined : decodeFunctionData({ abi: swapRouter02Abi, data: inner })
  return swap?.functionName === "exactInputSingle" ? swap.args[0].fee : undefined
})

layer(venue)("a pool that is created", (it) => {
  it.effect("is used after the lifetime of the knowledge that it was missing", () =>
    Effect.gen(function* () {
      // The first route learns the factory. The second one looks the pools up.
      for (let count = 0; count < 3; count++) assert.strictEqual(yield* feeOfRoute, 3_000)
      yield* openCheapPool
      assert.strictEqual(yield* feeOfRoute, 3_000, "it is remembered as missing")
      yield* TestClock.adjust(PoolMemory.LIFETIME_MILLIS + 1)
      assert.strictEqual(yield* feeOfRoute, 500)
    })
  )
})
