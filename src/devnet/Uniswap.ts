/** Deploys Uniswap v3: factory, position manager, router and quoter, and pools at the network's prices. */
import { encodeDeployData, encodeFunctionData, erc20Abi, maxUint256, parseAbi } from "viem"
import * as Address from "../domain/Address.ts"
import type { Artifacts } from "./Artifacts.ts"
import type { Script } from "./Script.ts"
import { type Symbol, TOKENS, type Tokens, units } from "./Tokens.ts"

export interface Uniswap {
  readonly factory: Address.Address
  readonly positionManager: Address.Address
  readonly swapRouter: Address.Address
  readonly quoter: Address.Address
}

const factoryAbi = parseAbi(["function enableFeeAmount(uint24 fee, int24 tickSpacing)"])
const positionManagerAbi = parseAbi([
  "constructor(address factory, address weth9, address tokenDescriptor)",
  "function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable returns (address)",
  "struct MintParams { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }",
  "function mint(MintParams params) payable returns (uint256 tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)"
])
const routerAbi = parseAbi([
  "constructor(address factoryV2, address factoryV3, address positionManager, address weth9)"
])
const quoterAbi = parseAbi(["constructor(address factory, address weth9)"])

export const deploy = (script: Script, artifacts: Artifacts, tokens: Tokens): Uniswap => {
  const factory = script.deploy("UniswapV3Factory", artifacts.uniswapV3Factory)
  const positionManager = script.deploy(
    "NonfungiblePositionManager",
    // The descriptor only renders the image of a position.
    encodeDeployData({
      abi: positionManagerAbi,
      bytecode: artifacts.positionManager,
      args: [factory, tokens.WETH, Address.zero]
    })
  )
  return {
    factory,
    positionManager,
    swapRouter: script.deploy(
      "SwapRouter02",
      encodeDeployData({
        abi: routerAbi,
        bytecode: artifacts.swapRouter02,
        args: [Address.zero, factory, positionManager, tokens.WETH]
      })
    ),
    quoter: script.deploy(
      "QuoterV2",
      encodeDeployData({ abi: quoterAbi, bytecode: artifacts.quoterV2, args: [factory, tokens.WETH] })
    )
  }
}

/** Fee in hundredths of a basis point, with the tick spacing of the factory for it. PancakeSwap has 2500. */
const TICK_SPACING = { 100: 1, 500: 10, 2500: 50, 3000: 60 } as const

export type Fee = keyof typeof TICK_SPACING
type Priced = Exclude<Symbol, "FOT">

export const POOLS: ReadonlyArray<readonly [Priced, Priced, Fee]> = [
  ["WETH", "USDC", 500],
  ["WETH", "USDC", 3000],
  ["WETH", "USDT", 3000],
  ["WETH", "DAI", 3000],
  ["WBTC", "WETH", 3000],
  ["WBTC", "USDC", 3000],
  ["USDC", "USDT", 100],
  ["DAI", "USDC", 100],
  ["BLK", "USDC", 3000]
]

/** Value of each side of each pool in US dollars. A sweep of 10,000 USD moves the price by less than a basis point. */
const USD_A_SIDE = 300_000_000n

/** Amount of a token in all pools together. The sender of the script must own it. */
export const liquidity = (symbol: Symbol): bigint =>
  POOLS.reduce((sum, [a, b]) => sum + (a === symbol || b === symbol ? side(symbol) : 0n), 0n)

const side = (symbol: Symbol): bigint => units(symbol, USD_A_SIDE) / (TOKENS[symbol].usd ?? 1n)

const MAX_TICK = 887_272
const FOREVER = maxUint256

/** Allows pools with a fee. The script's sender must have deployed the factory. */
export const enableFee = (script: Script, { factory }: Uniswap, fee: Fee): void =>
  script.call(
    `enable the fee tier ${fee}`,
    factory,
    encodeFunctionData({ abi: factoryAbi, functionName: "enableFeeAmount", args: [fee, TICK_SPACING[fee]] })
  )

/** Opens the pools over the full range with the sender's tokens. */
export const openPools = (script: Script, uniswap: Uniswap, tokens: Tokens): void => {
  // Uniswap's governance added the fee tier of stable pairs after the factory was deployed.
  enableFee(script, uniswap, 100)
  for (const symbol of new Set(POOLS.flatMap(([a, b]) => [a, b]))) {
    script.call(
      `approve ${symbol}`,
      tokens[symbol],
      encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [uniswap.positionManager, maxUint256] })
    )
  }
  for (const [a, b, fee] of POOLS) {
    openPool(script, uniswap.positionManager, {
      label: `${a}/${b}`,
      fee,
      sides: [
        { token: tokens[a], amount: side(a) },
        { token: tokens[b], amount: side(b) }
      ]
    })
  }
}

export interface Side {
  readonly token: Address.Address
  /** In the smallest unit. */
  readonly amount: bigint
}

interface Pool {
  /** Names the pool in errors. */
  readonly label: string
  readonly fee: Fee
  /** Amounts of equal value. */
  readonly sides: readonly [Side, Side]
}

/** Opens a pool over the full range with the sender's tokens, which it has approved to the position manager. */
export const openPool = (script: Script, positionManager: Address.Address, { fee, label, sides }: Pool): void => {
  const [a, b] = sides
  const [first, second] = BigInt(a.token) < BigInt(b.token) ? [a, b] : [b, a]
  const [amount0, amount1] = [first.amount, second.amount]
  const bound = MAX_TICK - (MAX_TICK % TICK_SPACING[fee])
  const pair = { token0: first.token, token1: second.token, fee }
  script.call(
    `create the pool ${label} ${fee}`,
    positionManager,
    encodeFunctionData({
      abi: positionManagerAbi,
      functionName: "createAndInitializePoolIfNecessary",
      args: [pair.token0, pair.token1, fee, squareRoot((amount1 << 192n) / amount0)]
    })
  )
  script.call(
    `fund the pool ${label} ${fee}`,
    positionManager,
    encodeFunctionData({
      abi: positionManagerAbi,
      functionName: "mint",
      args: [
        {
          ...pair,
          tickLower: -bound,
          tickUpper: bound,
          amount0Desired: amount0,
          amount1Desired: amount1,
          amount0Min: 0n,
          amount1Min: 0n,
          recipient: script.sender,
          deadline: FOREVER
        }
      ]
    })
  )
}

/** ⌊√n⌋ by Newton's method, starting from above. */
export const squareRoot = (n: bigint): bigint => {
  if (n < 2n) return n
  let root = 1n << BigInt((n.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (root + n / root) >> 1n
    if (next >= root) return root
    root = next
  }
}
