/** A node that knows Multicall3 and the tokens of a test, refuses what a test wants, and counts its requests. */
import { Effect } from "effect"
import { decodeFunctionData, encodeFunctionResult, erc20Abi, getAddress, multicall3Abi, toFunctionSelector } from "viem"
import type { Chain } from "../../../src/domain/Chain.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { type ChainClient, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import * as FakeChain from "../../support/FakeChain.ts"

export interface FakeToken {
  readonly balance: bigint
  readonly decimals?: bigint
  /** Encoded result, for tokens that do not return a string. */
  readonly symbol?: string | { readonly raw: Hex }
  readonly name?: string
  /** Burns the gas of every call that it is in. */
  readonly burnsGas?: boolean
}

export interface Node {
  readonly client: ChainClient
  /** Reads in each request, in the order of the requests. */
  readonly requests: Array<number>
}

const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, "0")}`
const text = (value: string): Hex => encodeFunctionResult({ abi: erc20Abi, functionName: "symbol", result: value })

const DECIMALS = toFunctionSelector("decimals()")
const SYMBOL = toFunctionSelector("symbol()")
const NAME = toFunctionSelector("name()")

const answerOf = (token: FakeToken | undefined, data: Hex): Hex | undefined => {
  if (token === undefined) return "0x"
  const selector = data.slice(0, 10)
  if (selector === DECIMALS) return token.decimals === undefined ? undefined : word(token.decimals)
  if (selector === SYMBOL) return typeof token.symbol === "object" ? token.symbol.raw : text(token.symbol ?? "TKN")
  if (selector === NAME) return text(token.name ?? "Token")
  return word(token.balance)
}

export const make = (options: {
  readonly chain?: Partial<Chain>
  readonly tokens: ReadonlyMap<string, FakeToken>
  readonly native?: bigint
  /** Largest number of reads that is answered. */
  readonly largest?: () => number
  readonly delayMillis?: number
  readonly isDown?: () => boolean
  readonly answers?: Partial<ChainClient>
}): Node => {
  const chain = { ...FakeChain.chain, ...options.chain }
  const requests: Array<number> = []
  const unavailable = (detail: string) =>
    Effect.fail(new ChainUnavailable({ chainId: chain.id, method: "eth_call", detail }))
  const call: ChainClient["call"] = ({ data }) =>
    Effect.gen(function* () {
      const { args } = decodeFunctionData({ abi: multicall3Abi, data })
      const reads = args?.[0] as ReadonlyArray<{ readonly target: Hex; readonly callData: Hex }>
      requests.push(reads.length)
      if (options.delayMillis !== undefined) yield* Effect.sleep(options.delayMillis)
      if (options.isDown?.() === true) return yield* unavailable("down")
      if (reads.length > (options.largest?.() ?? Infinity)) return yield* unavailable("too many reads")
      const tokens = reads.map(({ target }) => options.tokens.get(getAddress(target)))
      if (tokens.some((token) => token?.burnsGas === true)) return yield* unavailable("out of gas")
      return encodeFunctionResult({
        abi: multicall3Abi,
        functionName: "aggregate3",
        result: reads.map(({ callData, target }, index) => {
          const returned =
            getAddress(target) === chain.multicall3 ? word(options.native ?? 0n) : answerOf(tokens[index], callData)
          return { success: returned !== undefined, returnData: returned ?? "0x" }
        })
      })
    })
  return { client: { ...FakeChain.client({ call, ...options.answers }), chain }, requests }
}
