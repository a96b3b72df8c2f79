/** Paths, quotes and remembered pools of Uniswap v4. Its routes are run for real in `Venues.test.ts`. */
import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { encodeFunctionData, numberToHex, parseAbi } from "viem"
import type { Answer } from "../../../src/adapters/evm/codec/Multicall3.ts"
import * as UniswapV4 from "../../../src/adapters/swap/UniswapV4.ts"
import * as Path from "../../../src/adapters/swap/UniswapV4Path.ts"
import * as Pools from "../../../src/adapters/swap/UniswapV4Pools.ts"
import { LIFETIME_MILLIS, REFRESH_MILLIS } from "../../../src/adapters/swap/PoolMemory.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { PoolKey } from "../../../src/domain/Venue.ts"
import { Account, address as accountOf } from "../../domain/Arbitraries.ts"
import { address } from "../../support/FakeChain.ts"

const [TOKEN, OUT, WETH, USDC, HOOK] = [address(0x11), address(0x12), address(0xe1), address(0xd1), address(0xc0)]
const facts = { wrappedNative: WETH, pools: [] }
const listed = { currency0: TOKEN, currency1: OUT, fee: 8_388_608, tickSpacing: 60, hooks: HOOK }

const quoterAbi = parseAbi([
  "struct PathKey { address intermediateCurrency; uint24 fee; int24 tickSpacing; address hooks; bytes hookData; }",
  "struct Params { address exactCurrency; PathKey[] path; uint128 exactAmount; }",
  "function quoteExactInput(Params params) returns (uint256 amountOut, uint256 gasEstimate)"
])

describe("paths through Uniswap v4", () => {
  it("are the usual pools, directly and by each token between them", () => {
    const paths = Path.candidates({ tokenIn: TOKEN, tokenOut: OUT }, [WETH, USDC], facts)
    // Native currency and its wrapped form are two tokens there.
    assert.lengthOf(paths, 4 + 3 * 16)
    assert.strictEqual(new Set(paths.map((path) => JSON.stringify(path))).size, paths.length)
  })

  it("begin and end in both forms of the native currency", () => {
    const sold = Path.candidates({ tokenIn: WETH, tokenOut: OUT }, [], facts)
    assert.deepStrictEqual(new Set(sold.map(([{ from }]) => from)), new Set([Address.zero, WETH]))
    const bought = Path.candidates({ tokenIn: TOKEN, tokenOut: WETH }, [USDC], facts)
    assert.deepStrictEqual(new Set(bought.map((path) => path.at(-1)?.to)), new Set([Address.zero, WETH]))
    assert.lengthOf(bought, 2 * (4 + 16))
  })

  it("lead through a hook only if the operator lists its pool", () => {
    const pair = { tokenIn: TOKEN, tokenOut: OUT }
    const hooks = (pools: Path.Facts["pools"]) =>
      Path.candidates(pair, [WETH], { ...facts, pools })
        .flat()
        .map(({ pool }) => pool.hooks)
        .filter((hook) => hook !== Address.zero)
    assert.deepStrictEqual(hooks([]), [])
    assert.deepStrictEqual(hooks([listed]), [HOOK])
    assert.deepStrictEqual(hooks([{ ...listed, currency1: USDC }]), [])
  })

  it.prop("join, and have sorted keys", [Account, Account, Account], (accounts) => {
    const [tokenIn, tokenOut, hop] = [accountOf(accounts[0]), accountOf(accounts[1]), accountOf(accounts[2])]
    for (const path of Path.candidates({ tokenIn, tokenOut }, [hop], facts)) {
      path.reduce((from, hop) => {
        assert.strictEqual(hop.from, from)
        return hop.to
      }, path[0].from)
      for (const { from, pool, to } of path) {
        assert.isTrue(from === to || BigInt(pool.currency0) < BigInt(pool.currency1))
        assert.sameMembers([pool.currency0, pool.currency1], [from, to])
      }
    }
  })

  it.prop(
    "are quoted as viem encodes it",
    [Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 128n - 1n }))],
    ([exactAmount]) => {
      for (const path of Path.candidates({ tokenIn: TOKEN, tokenOut: OUT }, [WETH], { ...facts, pools: [listed] })) {
        const keys = path.map(({ pool: { fee, hooks, tickSpacing }, to }) => {
          return { intermediateCurrency: to, fee, tickSpacing, hooks, hookData: "0x" } as const
        })
        assert.strictEqual(
          UniswapV4.quoteCall(path)(exactAmount),
          encodeFunctionData({
            abi: quoterAbi,
            functionName: "quoteExactInput",
            args: [{ exactCurrency: path[0].from, path: keys, exactAmount }]
          })
        )
      }
    }
  )
})

describe("remembered pools of Uniswap v4", () => {
  const manager = { chainId: 1, poolManager: address(0x40) }
  const sought = Path.poolsFor({ tokenIn: TOKEN, tokenOut: OUT }, [], facts)
  const found = (price: bigint): Answer => Option.some(numberToHex(price, { size: 32 }))

  it("are those of all paths", () => {
    for (const [tokenIn, tokenOut, via] of [
      [TOKEN, OUT, [WETH, USDC]],
      [WETH, OUT, [USDC]],
      [TOKEN, WETH, [USDC]]
    ] as const) {
      const keysOf = (pools: ReadonlyArray<PoolKey>) => [...new Set(pools.map(Path.keyOf))].toSorted()
      const withListed = { ...facts, pools: [listed] }
      assert.deepStrictEqual(
        keysOf(Path.poolsFor({ tokenIn, tokenOut }, via, withListed)),
        keysOf(
          Path.candidates({ tokenIn, tokenOut }, via, withListed)
            .flat()
            .map(({ pool }) => pool)
        )
      )
    }
  })

  it("are the only ones in use, and missing ones are looked up again after a while", () => {
    const pools = Pools.make()
    const existing = ({ exists }: ReturnType<typeof pools.view>) => sought.filter(exists)
    const first = pools.view(manager, sought, 0)
    assert.isTrue(first.isNew)
    assert.lengthOf(existing(first), 0)
    assert.lengthOf(first.lookups, 4)
    assert.isTrue(first.lookups.every(({ to }) => to === manager.poolManager))
    first.learn([found(0n), found(5n), found(0n), Option.none()])
    assert.deepStrictEqual(existing(first), sought.slice(1, 2))
    assert.deepStrictEqual(
      Path.candidates({ tokenIn: TOKEN, tokenOut: OUT }, [], facts, first.exists),
      Path.candidates({ tokenIn: TOKEN, tokenOut: OUT }, [], facts).slice(1, 2)
    )
    const second = pools.view(manager, sought, REFRESH_MILLIS - 1)
    // Nothing is known about the last, as the answer was none.
    assert.deepStrictEqual([second.isNew, second.lookups.length], [true, 1])
    second.learn([found(0n)])
    assert.deepStrictEqual(existing(second), sought.slice(1, 2))
    assert.lengthOf(pools.view(manager, sought, REFRESH_MILLIS - 1).lookups, 0)
    const third = pools.view(manager, sought, REFRESH_MILLIS)
    assert.deepStrictEqual([third.isNew, third.lookups.length], [false, 2])
    third.learn([found(7n), found(0n)])
    assert.deepStrictEqual(existing(third), sought.slice(0, 2))
    assert.isTrue(pools.view(manager, sought, REFRESH_MILLIS + LIFETIME_MILLIS + 1).isNew)
    assert.isTrue(pools.view({ ...manager, chainId: 2 }, sought, REFRESH_MILLIS).isNew)
  })
})
