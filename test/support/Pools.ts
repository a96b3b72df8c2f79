/** Opens Uniswap v3 pools on a local chain as an attacker would: with any token, price, range and size. */
import { Effect } from "effect"
import { encodeDeployData, encodeFunctionData, erc20Abi, maxUint256, parseAbi } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as Accounts from "../../src/devnet/Accounts.ts"
import { devToken } from "../../src/devnet/artifacts.generated.ts"
import type { DevChain } from "../../src/devnet/DevChain.ts"
import { mint } from "../../src/devnet/Tokens.ts"
import { squareRoot } from "../../src/devnet/Uniswap.ts"
import * as Address from "../../src/domain/Address.ts"
import type { Hex } from "../../src/domain/Hex.ts"

const positionManagerAbi = parseAbi([
  "function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable returns (address)",
  "struct MintParams { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }",
  "function mint(MintParams params) payable returns (uint256 tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)"
])

const routerAbi = parseAbi([
  "struct Params { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }",
  "function exactInputSingle(Params params) payable returns (uint256)"
])

const SPACING = { 100: 1, 500: 10, 3000: 60, 10000: 200 } as const

export type Fee = keyof typeof SPACING

/** Amount of a token on one side of a pool. */
export interface Side {
  readonly token: Address.Address
  readonly amount: bigint
}

const [USER] = Accounts.users()
if (USER === undefined) throw new Error("the local network has users")
export const ATTACKER = Address.of(USER.address)
const account = privateKeyToAccount(USER.privateKey)

/** Given, because an estimate is of the block before, in which a pool need not write an observation. */
const GAS = 5_000_000n

/** Sends a transaction of the attacker, which must succeed. */
export const send = ({ node }: DevChain, label: string, to: Address.Address | undefined, data: Hex) =>
  Effect.orDie(
    node.ask(label, async (client) => {
      const hash = await client.sendTransaction({
        account,
        chain: client.chain,
        data,
        gas: GAS,
        ...(to === undefined ? {} : { to })
      })
      const receipt = await client.waitForTransactionReceipt({ hash })
      if (receipt.status !== "success") throw new Error(`${label} reverted`)
      return receipt
    })
  )

const approve = (dev: DevChain, token: Address.Address, spender: Address.Address) =>
  send(
    dev,
    "approve",
    token,
    encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, maxUint256] })
  )

/** Deploys a token that is on no list, with 18 decimals, and gives the attacker an amount of it. */
export const deployToken = Effect.fnUntraced(function* (dev: DevChain, amount: bigint) {
  const data = encodeDeployData({
    abi: devToken.abi,
    bytecode: devToken.creationCode,
    args: ["Worthless", "WORTHLESS", 18]
  })
  const { contractAddress } = yield* send(dev, "deploy a token", undefined, data)
  const token = Address.of(contractAddress ?? "")
  yield* send(dev, "mint", token, mint(ATTACKER, amount))
  return token
})

/**
 * Opens a pool at the price of its two sides, which the attacker owns. `widthTicks` on both sides of the price: a multiple of the
 * tick spacing. Default: the whole range.
 */
export const open = Effect.fnUntraced(function* (
  dev: DevChain,
  fee: Fee,
  sides: readonly [Side, Side],
  widthTicks?: number
) {
  const { positionManager } = dev.uniswap
  const [first, second] = BigInt(sides[0].token) < BigInt(sides[1].token) ? sides : [sides[1], sides[0]]
  const pair = { token0: first.token, token1: second.token, fee }
  for (const { token } of sides) yield* approve(dev, token, positionManager)
  const root = squareRoot((second.amount << 192n) / first.amount)
  const spacing = SPACING[fee]
  const whole = 887_272 - (887_272 % spacing)
  const tick = Math.floor(Math.log(Number(second.amount) / Number(first.amount)) / Math.log(1.0001) / spacing) * spacing
  yield* send(
    dev,
    "create a pool",
    positionManager,
    encodeFunctionData({
      abi: positionManagerAbi,
      functionName: "createAndInitializePoolIfNecessary",
      args: [pair.token0, pair.token1, fee, root]
    })
  )
  yield* send(
    dev,
    "fund a pool",
    positionManager,
    encodeFunctionData({
      abi: positionManagerAbi,
      functionName: "mint",
      args: [
        {
          ...pair,
          tickLower: widthTicks === undefined ? -whole : tick - widthTicks,
          tickUpper: widthTicks === undefined ? whole : tick + spacing + widthTicks,
          amount0Desired: first.amount,
          amount1Desired: second.amount,
          amount0Min: 0n,
          amount1Min: 0n,
          recipient: ATTACKER,
          deadline: maxUint256
        }
      ]
    })
  )
})

/** Sells an amount that the attacker owns. */
export const swap = Effect.fnUntraced(function* (dev: DevChain, sold: Side, tokenOut: Address.Address, fee: Fee) {
  const { swapRouter } = dev.uniswap
  yield* approve(dev, sold.token, swapRouter)
  yield* send(
    dev,
    "swap",
    swapRouter,
    encodeFunctionData({
      abi: routerAbi,
      functionName: "exactInputSingle",
      args: [
        {
          tokenIn: sold.token,
          tokenOut,
          fee,
          recipient: ATTACKER,
          amountIn: sold.amount,
          amountOutMinimum: 0n,
          sqrtPriceLimitX96: 0n
        }
      ]
    })
  )
})

/** Lets the pool of two tokens keep ten observations. */
export const growRing = Effect.fnUntraced(function* (dev: DevChain, a: Address.Address, b: Address.Address, fee: Fee) {
  const pool = yield* Effect.orDie(
    dev.node.ask("find a pool", (client) =>
      client.readContract({
        address: dev.uniswap.factory,
        abi: parseAbi(["function getPool(address,address,uint24) view returns (address)"]),
        functionName: "getPool",
        args: [a, b, fee]
      })
    )
  )
  const abi = parseAbi(["function increaseObservationCardinalityNext(uint16)"])
  yield* send(dev, "grow the ring", Address.of(pool), encodeFunctionData({ abi, args: [10] }))
})

/** Lets time pass on the chain, in seconds, and mines a block. */
export const age = ({ node }: DevChain, seconds: number) =>
  Effect.orDie(
    node.ask("let time pass", async (client) => {
      await client.increaseTime({ seconds })
      await client.mine({ blocks: 1 })
    })
  )
