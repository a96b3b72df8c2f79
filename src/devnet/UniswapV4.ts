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

/**
 * Opens a pool over the full range with the sender's tokens, which it has approved to `liquidity`. The zero address stands for native
 * currency. Amounts have equal value.
 */
export const openPool = (
  script: Script,
  { liquidity, poolManager }: UniswapV4,
  kind: Pick<PoolKey, "fee" | "tickSpacing">,
  [a, b]: readonly [Side, Side]
): void => {
  const [first, second] = BigInt(a.token) < BigInt(b.token) ? [a, b] : [b, a]
  const key = { currency0: first.token, currency1: second.token, ...kind, hooks: Address.zero }
  const bound = MAX_TICK - (MAX_TICK % kind.tickSpacing)
  const label = `${first.token}/${second.token} ${kind.fee}`
  script.call(
    `create the pool ${label}`,
    poolManager,
    encodeFunctionData({
      abi: poolManagerAbi,
      functionName: "initialize",
      args: [key, squareRoot((second.amount << 192n) / first.amount)]
    })
  )
  script.call(
    `fund the pool ${label}`,
    liquidity,
    encodeFunctionData({
      abi: liquidityAbi,
      functionName: "modifyLiquidity",
      args: [
        key,
        {
          tickLower: -bound,
          tickUpper: bound,
          liquidityDelta: squareRoot(first.amount * second.amount),
          salt: `0x${"00".repeat(32)}`
        },
        "0x"
      ]
    }),
    first.token === Address.zero ? first.amount * SURPLUS : 0n
  )
}
