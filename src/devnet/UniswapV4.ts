/** Deploys Uniswap v4 with its published bytecode, and this project's router for it. PoolManager has a BUSL licence: for development only. */
import { createRequire } from "node:module"
import { Effect, Schema } from "effect"
import { encodeDeployData, encodeFunctionData, parseAbi } from "viem"
import * as RouterDeployment from "../adapters/evm/contracts/UniswapV4Deployment.ts"
import * as Address from "../domain/Address.ts"
import { Hex } from "../domain/Hex.ts"
import type { PoolKey } from "../domain/Venue.ts"
import type { Script } from "./Script.ts"
import type { Tokens } from "./Tokens.ts"
import { type Side, squareRoot } from "./Uniswap.ts"

export interface UniswapV4 {
  readonly poolManager: Address.Address
  readonly quoter: Address.Address
  readonly router: Address.Address
  /** Contract that adds liquidity for its caller, who approves his tokens to it. */
  readonly liquidity: Address.Address
}

const PACKAGE = "@uniswap/v4-periphery/foundry-out"

const FILES = {
  poolManager: `${PACKAGE}/PoolManager.sol/PoolManager.default.json`,
  quoter: `${PACKAGE}/V4Quoter.sol/V4Quoter.json`,
  liquidity: `${PACKAGE}/PoolModifyLiquidityTest.sol/PoolModifyLiquidityTest.default.json`
} as const

export type Artifacts = Readonly<Record<keyof typeof FILES, Hex>>

const Artifact = Schema.Struct({ bytecode: Schema.Struct({ object: Hex }) })

const read = (file: string): Hex =>
  Schema.decodeUnknownSync(Artifact)(createRequire(import.meta.url)(file)).bytecode.object

/** Reads the artifacts. A missing one means a broken installation, which is a defect. */
export const load: Effect.Effect<Artifacts> = Effect.sync(() => ({
  poolManager: read(FILES.poolManager),
  quoter: read(FILES.quoter),
  liquidity: read(FILES.liquidity)
}))

const ownedAbi = parseAbi(["constructor(address owner)"])
const managedAbi = parseAbi(["constructor(address poolManager)"])
const poolKey = "struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }"
const poolManagerAbi = parseAbi([
  poolKey,
  "function initialize(PoolKey key, uint160 sqrtPriceX96) returns (int24 tick)"
])
const liquidityAbi = parseAbi([
  poolKey,
  "struct Change { int24 tickLower; int24 tickUpper; int256 liquidityDelta; bytes32 salt; }",
  "function modifyLiquidity(PoolKey key, Change change, bytes hookData) payable returns (int256 delta)"
])

export const deploy = (script: Script, artifacts: Artifacts, { WETH }: Tokens): UniswapV4 => {
  const poolManager = script.deploy(
    "PoolManager",
    encodeDeployData({ abi: ownedAbi, bytecode: artifacts.poolManager, args: [script.sender] })
  )
  const managed = (label: string, bytecode: Hex) =>
    script.deploy(label, encodeDeployData({ abi: managedAbi, bytecode, args: [poolManager] }))
  const { address: router, transaction } = RouterDeployment.plan({ poolManager, wrappedNative: WETH })
  script.call("deploy the router for Uniswap v4", transaction.to, transaction.data)
  return {
    poolManager,
    router,
    quoter: managed("V4Quoter", artifacts.quoter),
    liquidity: managed("PoolModifyLiquidityTest", artifacts.liquidity)
  }
}

const MAX_TICK = 887_272

/** More native currency than the pool takes. The rest comes back. */
const SURPLUS = 2n

export interface Call {
  readonly target: Address.Address
  readonly callData: Hex
  /** Wei. */
  readonly value: bigint
}

/**
 * Calls that create a pool and fund it over the full range with the caller's tokens, which it has approved to `liquidity`. The zero address
 * stands for native currency. Amounts have equal value.
 */
export const opening = (
  { liquidity, poolManager }: UniswapV4,
  kind: Pick<PoolKey, "fee" | "tickSpacing">,
  [a, b]: readonly [Side, Side]
): readonly [Call, Call] => {
  const [first, second] = BigInt(a.token) < BigInt(b.token) ? [a, b] : [b, a]
  const key = { currency0: first.token, currency1: second.token, ...kind, hooks: Address.zero }
  const bound = MAX_TICK - (MAX_TICK % kind.tickSpacing)
  const change = {
    tickLower: -bound,
    tickUpper: bound,
    liquidityDelta: squareRoot(first.amount * second.amount),
    salt: `0x${"00".repeat(32)}`
  } as const
  const price = squareRoot((second.amount << 192n) / first.amount)
  return [
    {
      target: poolManager,
      callData: encodeFunctionData({ abi: poolManagerAbi, functionName: "initialize", args: [key, price] }),
      value: 0n
    },
    {
      target: liquidity,
      callData: encodeFunctionData({ abi: liquidityAbi, functionName: "modifyLiquidity", args: [key, change, "0x"] }),
      value: first.token === Address.zero ? first.amount * SURPLUS : 0n
    }
  ]
}

/** Makes the calls of {@link opening} as the script's sender. */
export const openPool = (
  script: Script,
  v4: UniswapV4,
  kind: Pick<PoolKey, "fee" | "tickSpacing">,
  sides: readonly [Side, Side]
): void => {
  const label = `the pool ${sides.map(({ token }) => token).join("/")} ${kind.fee}`
  const [create, fund] = opening(v4, kind, sides)
  script.call(`create ${label}`, create.target, create.callData, create.value)
  script.call(`fund ${label}`, fund.target, fund.callData, fund.value)
}
