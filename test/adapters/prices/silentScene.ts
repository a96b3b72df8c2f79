/** Sales of fees on exchanges, over a node that says what a test wants. */
import { Effect, Option } from "effect"
import {
  decodeFunctionData,
  encodeFunctionResult,
  erc20Abi,
  getAbiItem,
  multicall3Abi,
  numberToHex,
  toFunctionSelector,
  zeroHash
} from "viem"
import * as VenueSales from "../../../src/adapters/prices/VenueSales.ts"
import { KnownPools } from "../../../src/adapters/swap/KnownPools.ts"
import { uniswapV2RouterAbi } from "../../../src/adapters/swap/PairRouters.ts"
import * as Address from "../../../src/domain/Address.ts"
import { Hash, type Hex } from "../../../src/domain/Hex.ts"
import { type Block, CallReverted, Chains, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { address, chain as template, client } from "../../support/FakeChain.ts"

const aggregateAbi = [getAbiItem({ abi: multicall3Abi, name: "aggregate3" })]

export const TOKEN = address(0x71)
export const OTHER = address(0x72)
const TOKENS = new Set([TOKEN, OTHER])
const PAIRS = address(0x21)
export const QUOTER = address(0xc1)

const chain = {
  ...template,
  swapRouter: address(0x22),
  quoter: QUOTER,
  venues: [{ name: "pairs", family: "uniswap-v2", router: PAIRS } as const]
}

export const away = Effect.fail(new ChainUnavailable({ chainId: chain.id, method: "eth_call", detail: "away" }))

/** A token that uses up the gas of its quotes. */
export const burnt = Effect.fail(
  new CallReverted({ chainId: chain.id, data: "0x", detail: "out of gas", isOutOfGas: true })
)

export const DAY_SECONDS = 86_400

const LATEST = 1_000_000n

/** Blocks are a second apart. */
const blockAt = (number: bigint): Block => ({
  number,
  hash: Hash.make(zeroHash),
  parentHash: Hash.make(zeroHash),
  timestamp: number,
  baseFeePerGas: 1n,
  gasLimit: 30_000_000n
})

export interface Read {
  readonly target: Address.Address
  readonly data: Hex
}

/** The answer to a call with these reads. Undefined: each of them reverts. */
export type Node = (reads: ReadonlyArray<Read>) => Effect.Effect<Hex, CallReverted | ChainUnavailable> | undefined

const answersOf = (result: ReadonlyArray<{ readonly success: boolean; readonly returnData: Hex }>) =>
  Effect.succeed(encodeFunctionResult({ abi: aggregateAbi, functionName: "aggregate3", result }))

const NO_ANSWER = { success: false, returnData: "0x" } as const

const quote = getAbiItem({ abi: uniswapV2RouterAbi, name: "getAmountsOut" })
const quoteAbi = [quote]

const GET_AMOUNTS_OUT = toFunctionSelector(quote)

/** The exchange of pairs pays nine tenths of each amount, and another one has no route. */
export const paying: Node = (reads) =>
  answersOf(
    reads.map(({ data, target }) => {
      if (target !== PAIRS || !data.startsWith(GET_AMOUNTS_OUT)) return NO_ANSWER
      const [amountIn] = decodeFunctionData({ abi: quoteAbi, data }).args
      const result = [amountIn, (amountIn / 10n) * 9n]
      return {
        success: true,
        returnData: encodeFunctionResult({ abi: quoteAbi, functionName: "getAmountsOut", result })
      }
    })
  )

/** A guard that lists each router. */
export const listing: Node = (reads) =>
  answersOf(reads.map(() => ({ success: true, returnData: numberToHex(1, { size: 32 }) })))

export interface Scene {
  /** Default: new pools count, so no earlier block is read. */
  readonly minPoolAgeSeconds?: number
  /** The answers of nodes in earlier blocks. Default: those in the latest one. */
  readonly before?: Node
  /** Ends when nodes tell their blocks. Default: at once. */
  readonly latest?: Effect.Effect<void, ChainUnavailable>
  /** Answers of the guard, which lists the routers. Default: it lists each. */
  readonly guard?: Node
  /** Amount that others are to pay. Default: 0. */
  readonly beside?: bigint
}

/** Makes `find`: the sale of a token that the seller holds nothing of, again and again by the same service. */
export const finding = Effect.fnUntraced(function* (
  now: Node,
  { before = now, beside = 0n, guard = listing, latest = Effect.void, minPoolAgeSeconds = 0 }: Scene = {}
) {
  const node = {
    ...client({
      block: (which) => Effect.as(latest, Option.some(blockAt(which === "latest" ? LATEST : which))),
      call: ({ block, data = "0x", to }) => {
        if (TOKENS.has(to))
          return Effect.succeed(encodeFunctionResult({ abi: erc20Abi, functionName: "balanceOf", result: 0n }))
        const [calls] = decodeFunctionData({ abi: aggregateAbi, data }).args
        const reads = calls.map((call) => ({ target: Address.of(call.target), data: call.callData }))
        const isOfGuard = reads.every(({ target }) => target === chain.contracts.guard)
        const answers = isOfGuard ? guard : typeof block === "bigint" ? before : now
        return answers(reads) ?? answersOf(reads.map(() => NO_ANSWER))
      }
    }),
    chain: { ...chain, minPoolAgeSeconds }
  }
  const sales = yield* VenueSales.make.pipe(
    Effect.provide(KnownPools.layer),
    Effect.provideService(Chains, Chains.of({ all: [node], get: () => Effect.succeed(node) }))
  )
  const sale = { amount: 1_000n, seller: chain.feeRecipient, isHeld: false, beside: Effect.succeed(beside) }
  return (token = TOKEN) => sales(node, { ...sale, token })
})

/** The same, once. */
export const find = (now: Node, scene?: Scene) => Effect.flatMap(finding(now, scene), (again) => again())

export const atMost = (found: Option.Option<{ readonly atMost: bigint }>) =>
  Option.getOrUndefined(Option.map(found, (offer) => offer.atMost))
