/** Single swaps on the exchanges of a market: what a pool pays, and the call that makes the swap. Written apart from the service's own. */
import { decodeAbiParameters, encodeFunctionData, maxUint256, parseAbi } from "viem"
import * as Address from "../../domain/Address.ts"
import type { Hex } from "../../domain/Hex.ts"
import type { Tokens } from "../Tokens.ts"
import { type MarketPool, type Money, MONEY, takesMoney } from "./Market.ts"
import type { Exchange } from "./Venues.ts"

export interface Leg {
  readonly exchange: Exchange
  readonly tokenIn: Address.Address
  readonly tokenOut: Address.Address
  /** Fee or tick spacing. 0 for pairs. */
  readonly kind: number
}

export interface Question {
  readonly to: Address.Address
  readonly data: Hex
  readonly amountOf: (answer: Hex) => bigint
}

/** A swap of an amount that is written into the data, 32 bytes at `amountAt`. */
export interface SwapCall {
  readonly to: Address.Address
  readonly data: Hex
  readonly amountAt: number
}

const WORD = 32
const SELECTOR = 4

const pairAbi = parseAbi([
  "function getAmountsOut(uint256,address[]) view returns (uint256[])",
  "function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256,uint256,address[],address,uint256)"
])
const solidlyAbi = parseAbi([
  "function getAmountsOut(uint256,(address,address,bool,address)[]) view returns (uint256[])",
  "function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256,uint256,(address,address,bool,address)[],address,uint256)"
])
const byFeeAbi = parseAbi([
  "function quoteExactInputSingle((address,address,uint256,uint24,uint160)) returns (uint256,uint160,uint32,uint256)",
  "function exactInputSingle((address,address,uint24,address,uint256,uint256,uint160)) returns (uint256)"
])
const byFeeDeadlinedAbi = parseAbi([
  "function exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160)) returns (uint256)"
])
const bySpacingAbi = parseAbi([
  "function quoteExactInputSingle((address,address,uint256,int24,uint160)) returns (uint256,uint160,uint32,uint256)",
  "function exactInputSingle((address,address,int24,address,uint256,uint256,uint256,uint160)) returns (uint256)"
])

const v4Abi = parseAbi([
  "function quoteExactInputSingle(((address,address,uint24,int24,address),bool,uint128,bytes)) returns (uint256,uint256)",
  "function exactInput((address,address,address,uint256,uint256,uint256,bool,(address,uint24,int24,address)[]))"
])

/** Tick spacings of the pools of Uniswap v4 by their fees. */
const V4_SPACING: Readonly<Record<number, number>> = { 100: 1, 500: 10, 3000: 60, 10000: 200 }

/** The pools of stable price that the market opens on `solidly`: those of two dollars. */
const isStable = (money: Tokens, { tokenIn, tokenOut }: Leg): boolean => {
  const dollars = new Set([money.USDC, money.USDT, money.DAI])
  return dollars.has(tokenIn) && dollars.has(tokenOut)
}

const firstWord = (answer: Hex): bigint => decodeAbiParameters([{ type: "uint256" }], answer)[0]
const lastOfList = (answer: Hex): bigint => decodeAbiParameters([{ type: "uint256[]" }], answer)[0].at(-1) ?? 0n

/** The question what a leg pays for an amount. */
export const question = (money: Tokens, leg: Leg, amountIn: bigint): Question => {
  const { exchange, kind, tokenIn, tokenOut } = leg
  const { quoter = exchange.router, router } = exchange
  switch (exchange.shape.family) {
    case "uniswap-v3":
      return {
        to: quoter,
        data: encodeFunctionData({
          abi: byFeeAbi,
          functionName: "quoteExactInputSingle",
          args: [[tokenIn, tokenOut, amountIn, kind, 0n]]
        }),
        amountOf: firstWord
      }
    case "uniswap-v4": {
      const isUpwards = BigInt(tokenIn) < BigInt(tokenOut)
      const [low, high] = isUpwards ? [tokenIn, tokenOut] : [tokenOut, tokenIn]
      const key = [low, high, kind, V4_SPACING[kind] ?? 0, Address.zero] as const
      return {
        to: quoter,
        data: encodeFunctionData({
          abi: v4Abi,
          functionName: "quoteExactInputSingle",
          args: [[key, isUpwards, amountIn, "0x"]]
        }),
        amountOf: firstWord
      }
    }
    case "slipstream":
      return {
        to: quoter,
        data: encodeFunctionData({
          abi: bySpacingAbi,
          functionName: "quoteExactInputSingle",
          args: [[tokenIn, tokenOut, amountIn, kind, 0n]]
        }),
        amountOf: firstWord
      }
    case "solidly":
      return {
        to: router,
        data: encodeFunctionData({
          abi: solidlyAbi,
          functionName: "getAmountsOut",
          args: [amountIn, [[tokenIn, tokenOut, isStable(money, leg), router]]]
        }),
        amountOf: lastOfList
      }
    default:
      return {
        to: router,
        data: encodeFunctionData({
          abi: pairAbi,
          functionName: "getAmountsOut",
          args: [amountIn, [tokenIn, tokenOut]]
        }),
        amountOf: lastOfList
      }
  }
}

/** The swap of a leg for any output. */
export const swap = (money: Tokens, leg: Leg, recipient: Address.Address, amountIn: bigint): SwapCall => {
  const { exchange, kind, tokenIn, tokenOut } = leg
  const { router: to } = exchange
  const place = (words: number): number => SELECTOR + words * WORD
  switch (exchange.shape.family) {
    case "uniswap-v3": {
      if (exchange.shape.hasDeadlineInSwap) {
        const args = [[tokenIn, tokenOut, kind, recipient, maxUint256, amountIn, 0n, 0n]] as const
        return {
          to,
          data: encodeFunctionData({ abi: byFeeDeadlinedAbi, functionName: "exactInputSingle", args }),
          amountAt: place(5)
        }
      }
      const args = [[tokenIn, tokenOut, kind, recipient, amountIn, 0n, 0n]] as const
      return {
        to,
        data: encodeFunctionData({ abi: byFeeAbi, functionName: "exactInputSingle", args }),
        amountAt: place(4)
      }
    }
    case "uniswap-v4": {
      const hop = [tokenOut, kind, V4_SPACING[kind] ?? 0, Address.zero] as const
      const args = [[tokenIn, tokenOut, recipient, amountIn, 0n, maxUint256, false, [hop]]] as const
      // The first word is the offset of the only argument.
      return { to, data: encodeFunctionData({ abi: v4Abi, functionName: "exactInput", args }), amountAt: place(4) }
    }
    case "slipstream": {
      const args = [[tokenIn, tokenOut, kind, recipient, maxUint256, amountIn, 0n, 0n]] as const
      return {
        to,
        data: encodeFunctionData({ abi: bySpacingAbi, functionName: "exactInputSingle", args }),
        amountAt: place(5)
      }
    }
    case "solidly":
      return {
        to,
        data: encodeFunctionData({
          abi: solidlyAbi,
          functionName: "swapExactTokensForTokensSupportingFeeOnTransferTokens",
          args: [amountIn, 0n, [[tokenIn, tokenOut, isStable(money, leg), to]], recipient, maxUint256]
        }),
        amountAt: place(0)
      }
    default:
      return {
        to,
        data: encodeFunctionData({
          abi: pairAbi,
          functionName: "swapExactTokensForTokensSupportingFeeOnTransferTokens",
          args: [amountIn, 0n, [tokenIn, tokenOut], recipient, maxUint256]
        }),
        amountAt: place(0)
      }
  }
}

/** Fees of the local network's own pools on the chain's first venue. */
const MONEY_FEES: Readonly<Record<string, number>> = {
  "WETH USDC": 500,
  "WETH USDT": 3000,
  "WETH DAI": 3000,
  "USDC USDT": 100,
  "DAI USDC": 100
}

const nameOf = (money: Tokens, token: Address.Address): Money | undefined =>
  MONEY.find((symbol) => money[symbol] === token)

/** The leg between two of the local network's own tokens on an exchange of the market. Undefined if it has no such pool. */
export const betweenMoney = (
  money: Tokens,
  exchange: Exchange,
  isFirst: boolean,
  tokenIn: Address.Address,
  tokenOut: Address.Address
): Leg | undefined => {
  const [a, b] = [nameOf(money, tokenIn), nameOf(money, tokenOut)]
  const firstFee = MONEY_FEES[`${a} ${b}`] ?? MONEY_FEES[`${b} ${a}`]
  const isTaken = [a, b].every((money) => money !== undefined && takesMoney(exchange.shape, money))
  if (firstFee === undefined || !isTaken) return undefined
  const { kinds } = exchange.shape
  return { exchange, tokenIn, tokenOut, kind: isFirst ? firstFee : (kinds[1] ?? kinds[0] ?? 0) }
}

/** Paths of legs from a token of the market to one of the network's own: those of each pool, with a second leg on each exchange. */
export const paths = (
  money: Tokens,
  exchanges: ReadonlyArray<Exchange>,
  token: { readonly address: Address.Address; readonly pools: ReadonlyArray<MarketPool> },
  tokenOut: Address.Address
): ReadonlyArray<ReadonlyArray<Leg>> =>
  token.pools.flatMap((pool) => {
    const exchange = exchanges.find(({ shape }) => shape.name === pool.venue)
    if (exchange === undefined) return []
    const first: Leg = { exchange, tokenIn: token.address, tokenOut: money[pool.money], kind: pool.kind }
    if (first.tokenOut === tokenOut) return [[first]]
    return exchanges.flatMap((other, index) => {
      const second = betweenMoney(money, other, index === 0, first.tokenOut, tokenOut)
      return second === undefined ? [] : [[first, second]]
    })
  })
