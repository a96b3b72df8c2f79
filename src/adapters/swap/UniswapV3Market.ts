/**
 * Amounts that Uniswap v3's pools pay, by path, read at one moment for several amounts. Between two of them the amount that a path
 * pays is interpolated. The output of a pool is a concave function of the input, so a straight line between two points is never
 * above it: an interpolated amount is at most what the path pays.
 */
import { Clock, Effect, Option } from "effect"
import { getAbiItem, toFunctionSelector } from "viem"
import type * as Address from "../../domain/Address.ts"
import { type Hex, size } from "../../domain/Hex.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as Multicall3 from "../evm/codec/Multicall3.ts"
import * as Words from "../evm/codec/Words.ts"
import { quoterV2Abi } from "./uniswapV3Abi.ts"
import * as Path from "./UniswapV3Path.ts"
import type * as Pools from "./UniswapV3Pools.ts"

/** Number of hop tokens in addition to the wrapped native currency. Each adds 16 paths. */
const MAX_STABLE_HOPS = 2

/** Reads in one call, since nodes limit the gas of a call: a quote of every path. */
const BATCH = 52

/**
 * Shares of the largest amount that are read, in percent. Most sweeps lose less than 10 % to fees, so their amount is between the
 * last two, where an interpolated output is at most a 400th of the price impact too low.
 */
const SHARES = [60n, 90n, 100n]

export interface Pair {
  readonly tokenIn: Address.Address
  readonly tokenOut: Address.Address
}

/** Output and gas of a path for one amount. */
interface Sample {
  readonly amountIn: bigint
  readonly amountOut: bigint
  readonly gas: bigint
}

/** The samples of a path, by rising amounts. */
interface Curve {
  readonly path: Path.Path
  readonly samples: ReadonlyArray<Sample>
}

export type Market = ReadonlyArray<Curve>

export interface Quoted {
  readonly path: Path.Path
  readonly amountOut: bigint
  readonly gas: bigint
}

/** Amounts to read for a largest amount, rising. */
export const samples = (largest: bigint): ReadonlyArray<bigint> => [
  ...new Set(SHARES.map((share) => (largest * share) / 100n).filter((amount) => amount > 0n))
]

const QUOTE_SINGLE = toFunctionSelector(getAbiItem({ abi: quoterV2Abi, name: "quoteExactInputSingle" }))
const QUOTE = toFunctionSelector(getAbiItem({ abi: quoterV2Abi, name: "quoteExactInput" }))

/** Function that makes the quoter's calldata for an amount along a path. A market is read at several amounts. */
export const quoteCall = (path: Path.Path, { tokenIn, tokenOut }: Pair): ((amountIn: bigint) => Hex) => {
  if (path._tag === "Direct") {
    const before = QUOTE_SINGLE + Words.ofAddress(tokenIn) + Words.ofAddress(tokenOut)
    // No limit of the price.
    const after = Words.ofNumber(path.fee) + Words.ofNumber(0)
    return (amountIn) => `${before}${Words.ofNumber(amountIn)}${after}` as Hex
  }
  const before = QUOTE + Words.ofNumber(2 * Words.WORD)
  const after = Words.ofBytes(Path.encode(tokenIn, path, tokenOut))
  return (amountIn) => `${before}${Words.ofNumber(amountIn)}${after}` as Hex
}

/** Words of a quote before its lists. */
const QUOTE_WORDS = 4

/** The first and the last of four words, in both functions. None for an answer that is not a quote, such as that of a quoter without code. */
const decodeQuote = (amountIn: bigint, data: Hex): Option.Option<Sample> => {
  if (size(data) < QUOTE_WORDS * Words.WORD) return Option.none()
  const { wordAt } = Words.reader(data)
  return Option.some({ amountIn, amountOut: wordAt(0), gas: wordAt(3 * Words.WORD) })
}

/**
 * Reads what every path pays for each of the amounts, which rise. A path that pays nothing for an amount has no sample of it. Leaves
 * out paths with a pool that is known to be missing.
 */
export const read = Effect.fnUntraced(function* (
  client: ChainClient,
  { pools, quoter }: { readonly pools: Pools.Pools; readonly quoter: Address.Address },
  pair: Pair,
  amounts: ReadonlyArray<bigint>
) {
  const { tokenIn, tokenOut } = pair
  const { id: chainId, stables, wrappedNative } = client.chain
  const candidates = Path.candidates(tokenIn, tokenOut, [wrappedNative, ...stables.slice(0, MAX_STABLE_HOPS)])
  const now = yield* Clock.currentTimeMillis
  const { learn, lookups, open: paths } = pools.view({ chainId, quoter }, tokenIn, tokenOut, candidates, now)
  const calls = paths.map((path) => quoteCall(path, pair))
  const quotes = amounts.flatMap((amount) => calls.map((callOf) => ({ to: quoter, data: callOf(amount) })))
  // The calls of several batches are made at the same time.
  const answers = yield* Multicall3.read(client, [...quotes, ...lookups], { batch: BATCH })
  learn(answers.slice(quotes.length))
  return paths.map((path, place): Curve => ({
    path,
    samples: amounts.flatMap((amount, index) => {
      const answer = answers[index * paths.length + place] ?? Option.none()
      return Option.toArray(Option.flatMap(answer, (data) => decodeQuote(amount, data))).filter(
        ({ amountOut }) => amountOut > 0n
      )
    })
  }))
})

/** Output and gas of a path for an amount; none outside of its samples. */
const payout = (curve: ReadonlyArray<Sample>, amountIn: bigint): Option.Option<Omit<Sample, "amountIn">> => {
  const index = curve.findIndex((sample) => sample.amountIn >= amountIn)
  const [low, high] = [curve[index - 1], curve[index]]
  if (high?.amountIn === amountIn) return Option.some(high)
  if (low === undefined || high === undefined) return Option.none()
  const rise = ((high.amountOut - low.amountOut) * (amountIn - low.amountIn)) / (high.amountIn - low.amountIn)
  return Option.some({ amountOut: low.amountOut + rise, gas: high.gas > low.gas ? high.gas : low.gas })
}

/** The path with the highest output for an amount. Of equal ones, the first, which is the shortest. None if no path covers the amount. */
export const best = (market: Market, amountIn: bigint): Option.Option<Quoted> =>
  market
    .flatMap(({ path, samples: curve }) => Option.toArray(payout(curve, amountIn)).map((paid) => ({ path, ...paid })))
    .reduce<Option.Option<Quoted>>(
      (most, { amountOut, gas, path }) =>
        Option.exists(most, (other) => other.amountOut >= amountOut) ? most : Option.some({ path, amountOut, gas }),
      Option.none()
    )
