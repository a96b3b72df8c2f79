/** Uniswap v3 pools of an attacker: opened, aged, emptied and traded with. */
import { Effect } from "effect"
import { encodeFunctionData, erc20Abi, type Hex, maxUint128, maxUint256, numberToHex, parseAbi } from "viem"
import { squareRoot } from "../../src/devnet/Uniswap.ts"
import type { Place } from "../Holdings.ts"
import type { Purse } from "./Purse.ts"

const positionManagerAbi = parseAbi([
  "function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable returns (address)",
  "struct MintParams { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }",
  "function mint(MintParams params) payable returns (uint256 tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)",
  "struct DecreaseParams { uint256 tokenId; uint128 liquidity; uint256 amount0Min; uint256 amount1Min; uint256 deadline; }",
  "function decreaseLiquidity(DecreaseParams params) payable returns (uint256 amount0, uint256 amount1)",
  "struct CollectParams { uint256 tokenId; address recipient; uint128 amount0Max; uint128 amount1Max; }",
  "function collect(CollectParams params) payable returns (uint256 amount0, uint256 amount1)",
  "function multicall(bytes[] data) payable returns (bytes[])",
  "function positions(uint256) view returns (uint96, address, address, address, uint24, int24, int24, uint128 liquidity, uint256, uint256, uint128, uint128)"
])
const factoryAbi = parseAbi(["function getPool(address, address, uint24) view returns (address)"])
const poolAbi = parseAbi([
  "function slot0() view returns (uint160, int24 tick, uint16, uint16, uint16, uint8, bool)",
  "function increaseObservationCardinalityNext(uint16)"
])
const routerAbi = parseAbi([
  "struct SwapParams { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }",
  "function exactInputSingle(SwapParams params) payable returns (uint256)"
])
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

const SPACING = { 500: 10, 3000: 60, 10_000: 200 } as const

const MAX_TICK = 887_272

const PULL_GAS = 600_000n

/** Seconds that a pool appears to be older. Patience costs an attacker nothing. */
const AGE_SECONDS = 172_800

/** Observations that a patient attacker pays for. */
const CARDINALITY = 24

export interface Side {
  readonly token: Hex
  /** In the token's smallest unit. */
  readonly amount: bigint
}

export interface Terms {
  readonly sides: readonly [Side, Side]
  readonly fee: keyof typeof SPACING
  /** Ticks on each side of the price. Default: the full range. */
  readonly width?: number
  /** False for a pool that is opened the moment it is used. Default: true. */
  readonly aged?: boolean
}

/** Storage slot of `observations[0]` in a pool. */
const OBSERVATION_SLOT = 8n

/** Rewrites the first observation, as if the pool had been opened at its price two days ago. */
const age = Effect.fnUntraced(function* ({ dev }: Place, pool: Hex) {
  yield* dev.node.ask("age a pool", async (node) => {
    const index = numberToHex(OBSERVATION_SLOT, { size: 32 })
    const word = BigInt((await node.getStorageAt({ address: pool, slot: index })) ?? 0)
    const since = (word & 0xffff_ffffn) - BigInt(AGE_SECONDS)
    const value = numberToHex((word & ~0xffff_ffffn) | since, { size: 32 })
    await node.setStorageAt({ address: pool, index, value })
  })
})

const approve = Effect.fnUntraced(function* ({ dev }: Place, purse: Purse, tokens: ReadonlyArray<Hex>) {
  for (const token of tokens) {
    for (const spender of [dev.uniswap.positionManager, dev.uniswap.swapRouter]) {
      const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, maxUint256] })
      yield* purse.run("approve", { to: token, data, gas: 100_000n })
    }
  }
})

/** Sides in the order of their addresses. */
interface Pair {
  readonly first: Side
  readonly second: Side
  readonly fee: Terms["fee"]
}

/** Creates a pool whose price is the ratio of the sides. Returns its address and the tick of its price. */
const create = Effect.fnUntraced(function* ({ dev }: Place, purse: Purse, { fee, first, second }: Pair) {
  const pair = [first.token, second.token, fee] as const
  yield* purse.run("create a pool", {
    to: dev.uniswap.positionManager,
    data: encodeFunctionData({
      abi: positionManagerAbi,
      functionName: "createAndInitializePoolIfNecessary",
      args: [...pair, squareRoot((second.amount << 192n) / first.amount)]
    })
  })
  const pool = yield* dev.node.ask("find the pool", (node) =>
    node.readContract({ address: dev.uniswap.factory, abi: factoryAbi, functionName: "getPool", args: pair })
  )
  const [, tick] = yield* dev.node.ask("read the pool", (node) =>
    node.readContract({ address: pool, abi: poolAbi, functionName: "slot0" })
  )
  return { pool, tick }
})

/** Lower and upper tick of a position around the price. */
const ticksAround = (tick: number, { fee, width }: Terms): readonly [number, number] => {
  const spacing = SPACING[fee]
  const bound = MAX_TICK - (MAX_TICK % spacing)
  const near = Math.round(tick / spacing) * spacing
  return width === undefined ? [-bound, bound] : [near - width, near + width]
}

/** Puts all of both sides into a position. Returns the position's token. */
const mint = Effect.fnUntraced(function* (
  { dev }: Place,
  purse: Purse,
  { fee, first, second }: Pair,
  [tickLower, tickUpper]: readonly [number, number]
) {
  const { positionManager } = dev.uniswap
  const { logs } = yield* purse.run("fund a pool", {
    to: positionManager,
    data: encodeFunctionData({
      abi: positionManagerAbi,
      functionName: "mint",
      args: [
        {
          token0: first.token,
          token1: second.token,
          fee,
          tickLower,
          tickUpper,
          amount0Desired: first.amount,
          amount1Desired: second.amount,
          amount0Min: 0n,
          amount1Min: 0n,
          recipient: purse.account.address,
          deadline: maxUint256
        }
      ]
    })
  })
  const position = logs.find(
    ({ address, topics }) => address.toLowerCase() === positionManager.toLowerCase() && topics[0] === transferTopic
  )
  return BigInt(position?.topics[3] ?? 0)
})

const keepObservations = (purse: Purse, pool: Hex) =>
  purse.run("keep observations", {
    to: pool,
    data: encodeFunctionData({ abi: poolAbi, functionName: "increaseObservationCardinalityNext", args: [CARDINALITY] })
  })

/** Calldata that takes all liquidity out of a position, if it has any. */
const emptying = ({ dev }: Place, purse: Purse, tokenId: bigint) =>
  dev.node.ask("read the position", async (node) => {
    const { 7: liquidity } = await node.readContract({
      address: dev.uniswap.positionManager,
      abi: positionManagerAbi,
      functionName: "positions",
      args: [tokenId]
    })
    if (liquidity === 0n) return undefined
    const decrease = encodeFunctionData({
      abi: positionManagerAbi,
      functionName: "decreaseLiquidity",
      args: [{ tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: maxUint256 }]
    })
    const collect = encodeFunctionData({
      abi: positionManagerAbi,
      functionName: "collect",
      args: [{ tokenId, recipient: purse.account.address, amount0Max: maxUint128, amount1Max: maxUint128 }]
    })
    return encodeFunctionData({ abi: positionManagerAbi, functionName: "multicall", args: [[decrease, collect]] })
  })

export const open = Effect.fnUntraced(function* (place: Place, purse: Purse, terms: Terms) {
  const { aged = true, fee } = terms
  const { dev } = place
  const { positionManager, swapRouter } = dev.uniswap
  const [first, second] = terms.sides.toSorted((a, b) => (BigInt(a.token) < BigInt(b.token) ? -1 : 1))
  if (first === undefined || second === undefined) return yield* Effect.die(new Error("a pool has two sides"))
  const pair = { first, second, fee }
  yield* approve(place, purse, [first.token, second.token])
  const { pool, tick } = yield* create(place, purse, pair)
  const tokenId = yield* mint(place, purse, pair, ticksAround(tick, terms))
  if (aged) {
    yield* keepObservations(purse, pool)
    yield* age(place, pool)
  }

  return {
    pool,
    /** Takes all liquidity out. With a tip, it does not wait for the block. */
    pull: Effect.fnUntraced(function* (tip?: bigint) {
      const data = yield* emptying(place, purse, tokenId)
      if (data === undefined) return
      const call = { to: positionManager, data, gas: PULL_GAS }
      if (tip === undefined) yield* purse.run("empty a pool", call)
      else yield* dev.node.ask("empty a pool", () => purse.send({ ...call, tip }))
    }),
    /** Trades through the pool, which moves its price. */
    trade: Effect.fnUntraced(function* (tokenIn: Hex, amountIn: bigint, tip?: bigint) {
      const tokenOut = tokenIn === first.token ? second.token : first.token
      const data = encodeFunctionData({
        abi: routerAbi,
        functionName: "exactInputSingle",
        args: [
          {
            tokenIn,
            tokenOut,
            fee,
            recipient: purse.account.address,
            amountIn,
            amountOutMinimum: 0n,
            sqrtPriceLimitX96: 0n
          }
        ]
      })
      yield* dev.node.ask("trade", () =>
        purse.send({ to: swapRouter, data, gas: 600_000n, ...(tip === undefined ? {} : { tip }) })
      )
    })
  }
})

export type Pool = Effect.Success<ReturnType<typeof open>>
