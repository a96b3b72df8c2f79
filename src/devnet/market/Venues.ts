/** The exchanges of a market on one local chain: their contracts, and the calls that open pools on them. */
import {
  concatHex,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  keccak256,
  maxUint256,
  parseAbi
} from "viem"
import * as Address from "../../domain/Address.ts"
import type { Hex } from "../../domain/Hex.ts"
import type { NamedTarget } from "../../domain/SwapTarget.ts"
import type { Venue } from "../../domain/Venue.ts"
import * as Exchanges from "../Exchanges.ts"
import type { Script } from "../Script.ts"
import type { Tokens } from "../Tokens.ts"
import * as Uniswap from "../Uniswap.ts"
import * as UniswapV4 from "../UniswapV4.ts"
import type { Artifacts } from "./Artifacts.ts"
import { marketAggregator, marketSlipstream, marketSolidly } from "./contracts.generated.ts"
import { DARK, type MarketChain, type VenueShape } from "./Market.ts"

export interface Side {
  readonly token: Address.Address
  /** In the smallest unit. */
  readonly amount: bigint
  readonly decimals: number
}

export interface Call {
  readonly target: Address.Address
  readonly callData: Hex
}

/** An exchange of the market. */
export interface Exchange {
  readonly shape: VenueShape
  /** Contract that swaps. */
  readonly router: Address.Address
  /** Contract that tells what pools with kinds pay. */
  readonly quoter?: Address.Address
  /** Contract that takes the tokens of new pools. */
  readonly opener: Address.Address
  /** Calls that open a pool with the caller's tokens, which it has approved to the opener. */
  readonly open: (kind: number, sides: readonly [Side, Side], owner: Address.Address) => ReadonlyArray<Call>
  /** Calls of a later block that leave a new pool as one that has been traded, so that the next swap costs its usual gas. */
  readonly use: (sides: readonly [Side, Side]) => ReadonlyArray<Call>
  /** The venue as the chains file declares it. Absent for the chain's own router, and for one that only services know. */
  readonly declared?: Venue
}

/** Services that are asked for routes over HTTP. Their contracts stand in for the real ones. */
export const SERVICES = ["0x", "kyberswap", "lifi"] as const
export type ServiceName = (typeof SERVICES)[number]

export interface Site {
  readonly exchanges: ReadonlyArray<Exchange>
  readonly targets: ReadonlyArray<NamedTarget>
}

const pairAbi = parseAbi([
  "function addLiquidity(address tokenA, address tokenB, uint256 amountADesired, uint256 amountBDesired, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline)"
])
const positionAbi = parseAbi([
  "function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable returns (address)",
  "struct MintParams { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }",
  "function mint(MintParams params) payable returns (uint256 tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)"
])

const SPACING: Readonly<Record<number, number>> = { 100: 1, 500: 10, 2500: 50, 3000: 60, 10000: 200 }
const MAX_TICK = 887_272

const openPair =
  (router: Address.Address): Exchange["open"] =>
  (_kind, [a, b], owner) => [
    {
      target: router,
      callData: encodeFunctionData({
        abi: pairAbi,
        functionName: "addLiquidity",
        args: [a.token, b.token, a.amount, b.amount, 0n, 0n, owner, maxUint256]
      })
    }
  ]

const syncAbi = parseAbi(["function sync()"])

/** Hash of the creation code of Uniswap v2's pairs, which its router has, too. */
const PAIR_CODE_HASH = "0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f"

const pairOf = (factory: Address.Address, a: Address.Address, b: Address.Address): Address.Address => {
  const tokens = BigInt(a) < BigInt(b) ? [a, b] : [b, a]
  return Address.of(
    getContractAddress({
      opcode: "CREATE2",
      from: factory,
      salt: keccak256(concatHex(tokens)),
      bytecodeHash: PAIR_CODE_HASH
    })
  )
}

/** Lets a pair accumulate its price for the first time, which costs 40,000 gas once. */
const usePair =
  (factory: Address.Address): Exchange["use"] =>
  ([a, b]) => [
    { target: pairOf(factory, a.token, b.token), callData: encodeFunctionData({ abi: syncAbi, functionName: "sync" }) }
  ]

const useNothing: Exchange["use"] = () => []

/** Opens a pool over the full range. */
const openPosition =
  (manager: Address.Address, feeOf: (kind: number) => number): Exchange["open"] =>
  (kind, [a, b], recipient) => {
    const fee = feeOf(kind)
    const [first, second] = BigInt(a.token) < BigInt(b.token) ? [a, b] : [b, a]
    const spacing = SPACING[fee] ?? 1
    const bound = MAX_TICK - (MAX_TICK % spacing)
    const pair = { token0: first.token, token1: second.token, fee }
    const root = Uniswap.squareRoot((second.amount << 192n) / first.amount)
    const position = {
      ...pair,
      tickLower: -bound,
      tickUpper: bound,
      amount0Desired: first.amount,
      amount1Desired: second.amount,
      amount0Min: 0n,
      amount1Min: 0n,
      recipient,
      deadline: maxUint256
    }
    return [
      {
        target: manager,
        callData: encodeFunctionData({
          abi: positionAbi,
          functionName: "createAndInitializePoolIfNecessary",
          args: [pair.token0, pair.token1, fee, root]
        })
      },
      { target: manager, callData: encodeFunctionData({ abi: positionAbi, functionName: "mint", args: [position] }) }
    ]
  }

/** A pool of Uniswap v4 without hooks. */
const openV4 =
  (v4: UniswapV4.UniswapV4): Exchange["open"] =>
  (fee, sides) =>
    UniswapV4.opening(v4, { fee, tickSpacing: SPACING[fee] ?? 1 }, sides)

/** A pool of stable price if both tokens are dollars, which the local network's stablecoins are. */
const openSolidly =
  (router: Address.Address, isStable: (a: Address.Address, b: Address.Address) => boolean): Exchange["open"] =>
  (_kind, [a, b]) => [
    {
      target: router,
      callData: encodeFunctionData({
        abi: marketSolidly.abi,
        functionName: "open",
        args: [
          [a.token, b.token],
          [a.amount, b.amount],
          [10n ** BigInt(a.decimals), 10n ** BigInt(b.decimals)],
          isStable(a.token, b.token)
        ]
      })
    }
  ]

/** Fees of the pools behind the tick spacings, as contracts/src/dev/MarketSlipstream.sol has them. */
const SLIPSTREAM_FEES: Readonly<Record<number, number>> = { 1: 100, 50: 500, 100: 2500, 200: 3000, 2000: 10000 }

const sameFee = (fee: number): number => fee

/** The chain's own exchange, which the local network has deployed. */
const firstOf = ({ positionManager, quoter, swapRouter }: Uniswap.Uniswap, shape: VenueShape): Exchange => ({
  shape,
  router: swapRouter,
  quoter,
  opener: positionManager,
  open: openPosition(positionManager, sameFee),
  use: useNothing
})

/** Deploys another exchange. */
const exchangeOf = (script: Script, artifacts: Artifacts, tokens: Tokens, shape: VenueShape): Exchange => {
  const { family, hasDeadlineInSwap, kinds, name } = shape
  switch (family) {
    case "uniswap-v3": {
      const { firstRouter, positionManager, quoter, swapRouter } = Exchanges.deployV3(script, artifacts, tokens)
      const router = hasDeadlineInSwap ? firstRouter : swapRouter
      const declared: Venue = { name, family, router, quoter, feeTiers: [...kinds], hasDeadlineInSwap }
      return {
        shape,
        router,
        quoter,
        opener: positionManager,
        open: openPosition(positionManager, sameFee),
        use: useNothing,
        declared
      }
    }
    case "slipstream": {
      const { factory, firstRouter, positionManager, quoter } = Exchanges.deployV3(script, artifacts, tokens)
      const router = script.deploy(
        name,
        encodeDeployData({
          abi: marketSlipstream.abi,
          bytecode: marketSlipstream.creationCode,
          args: [factory, quoter, firstRouter, tokens.WETH]
        })
      )
      const declared: Venue = { name, family, router, quoter: router, tickSpacings: [...kinds] }
      const open = openPosition(positionManager, (spacing) => SLIPSTREAM_FEES[spacing] ?? 0)
      return { shape, router, quoter: router, opener: positionManager, open, use: useNothing, declared }
    }
    case "solidly": {
      const router = script.deploy(
        name,
        encodeDeployData({ abi: marketSolidly.abi, bytecode: marketSolidly.creationCode, args: [tokens.WETH] })
      )
      const dollars = new Set([tokens.USDC, tokens.USDT, tokens.DAI])
      const open = openSolidly(router, (a, b) => dollars.has(a) && dollars.has(b))
      return {
        shape,
        router,
        opener: router,
        open,
        use: useNothing,
        declared: { name, family, router, factory: router }
      }
    }
    case "uniswap-v4": {
      const v4 = UniswapV4.deploy(script, artifacts.v4, tokens)
      const { liquidity: opener, poolManager, quoter, router } = v4
      const declared: Venue = { name, family, router, quoter, poolManager }
      return { shape, router, quoter, opener, open: openV4(v4), use: useNothing, declared }
    }
    default: {
      const { factory, router } = Exchanges.deployV2(script, artifacts, tokens)
      const isDeclared = name !== DARK
      return {
        shape,
        router,
        opener: router,
        open: openPair(router),
        use: usePair(factory),
        ...(isDeclared ? { declared: { name, family: "uniswap-v2", router } satisfies Venue } : {})
      }
    }
  }
}

const DARK_SHAPE: VenueShape = { name: DARK, family: "uniswap-v2", kinds: [], hasDeadlineInSwap: false }

/** Deploys the exchanges, and a contract for each service. The tokens need no code yet. */
export const deploy = (
  script: Script,
  artifacts: Artifacts,
  tokens: Tokens,
  uniswap: Uniswap.Uniswap,
  chain: MarketChain
): Site => ({
  exchanges: [...chain.venues, DARK_SHAPE].map((shape, index) =>
    index === 0 ? firstOf(uniswap, shape) : exchangeOf(script, artifacts, tokens, shape)
  ),
  targets: SERVICES.map((name) => ({
    name,
    kind: "router" as const,
    address: script.deploy(
      name,
      encodeDeployData({ abi: marketAggregator.abi, bytecode: marketAggregator.creationCode, args: [tokens.WETH] })
    )
  }))
})
