/** Deploys more exchanges than Uniswap v3, with their real bytecode, and opens pools on them. */
import { encodeDeployData, encodeFunctionData, erc20Abi, maxUint256, parseAbi } from "viem"
import * as Address from "../domain/Address.ts"
import type { Artifacts } from "./Artifacts.ts"
import type { Script } from "./Script.ts"
import type { Tokens } from "./Tokens.ts"
import * as Uniswap from "./Uniswap.ts"

export interface UniswapV2 {
  readonly factory: Address.Address
  readonly router: Address.Address
}

const factoryAbi = parseAbi(["constructor(address feeToSetter)"])
const routerAbi = parseAbi([
  "constructor(address factory, address weth)",
  "function addLiquidity(address tokenA, address tokenB, uint256 amountADesired, uint256 amountBDesired, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline)"
])

/** Uniswap v2. */
export const deployV2 = (script: Script, artifacts: Artifacts, { WETH }: Tokens): UniswapV2 => {
  const factory = script.deploy(
    "UniswapV2Factory",
    encodeDeployData({ abi: factoryAbi, bytecode: artifacts.uniswapV2Factory, args: [Address.zero] })
  )
  const router = script.deploy(
    "UniswapV2Router02",
    encodeDeployData({ abi: routerAbi, bytecode: artifacts.uniswapV2Router02, args: [factory, WETH] })
  )
  return { factory, router }
}

export interface UniswapV3 extends Uniswap.Uniswap {
  /** The first SwapRouter, whose swaps take a deadline each. */
  readonly firstRouter: Address.Address
}

/** Another Uniswap v3, with both routers and the fees of PancakeSwap. */
export const deployV3 = (script: Script, artifacts: Artifacts, tokens: Tokens): UniswapV3 => {
  const uniswap = Uniswap.deploy(script, artifacts, tokens)
  Uniswap.enableFee(script, uniswap, 100)
  Uniswap.enableFee(script, uniswap, 2500)
  const firstRouter = script.deploy(
    "SwapRouter",
    encodeDeployData({ abi: routerAbi, bytecode: artifacts.swapRouter, args: [uniswap.factory, tokens.WETH] })
  )
  return { ...uniswap, firstRouter }
}

/** Lets a contract spend the sender's tokens. */
export const approve = (script: Script, tokens: ReadonlyArray<Address.Address>, spender: Address.Address): void => {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, maxUint256] })
  for (const token of tokens) script.call(`approve ${token}`, token, data)
}

/** Opens a pair with the sender's tokens, which it has approved to the router. */
export const openPair = (script: Script, { router }: UniswapV2, [a, b]: readonly [Uniswap.Side, Uniswap.Side]): void =>
  script.call(
    `open the pair ${a.token} ${b.token}`,
    router,
    encodeFunctionData({
      abi: routerAbi,
      functionName: "addLiquidity",
      args: [a.token, b.token, a.amount, b.amount, 0n, 0n, script.sender, maxUint256]
    })
  )
