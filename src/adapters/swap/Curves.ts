/**
 * Amounts that an exchange's paths pay, read at one moment for several amounts. Between two of them the amount that a path pays is
 * interpolated. The output of a pool is a concave function of the input, so a straight line between two points is never above it: an
 * interpolated amount is at most what the path pays.
 */
import { Effect, Option } from "effect"
import type { Hex } from "../../domain/Hex.ts"
import { FLEETING_BPS } from "../../domain/RouteChoice.ts"
import { impactBps } from "../../domain/SlippageTolerance.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import type * as Address from "../../domain/Address.ts"
import * as Multicall3 from "../evm/codec/Multicall3.ts"
import type { LookUp } from "./PoolLookups.ts"
import type { View } from "./PoolMemory.ts"

/** Number of hop tokens in addition to the wrapped native currency. A path costs a read for each pair of pools through each of them. */
const MAX_STABLE_HOPS = 4

/** Reads in one call, since nodes limit the gas of a call: a quote of every path of Uniswap v3, and one more read. */
const BATCH = 53

/**
 * Calls that are made at the same time. More reads make larger calls, not more of them, which would take another round trip: so many paths
 * are asked only while it is not known which pools exist, and a missing pool costs little gas.
 */
const CALLS = 4

/**
 * Shares of the largest amount that are read, in percent. Most sweeps lose less than 10 % to fees, so their amount is between the
 * last two, where an interpolated output is at most a 400th of the price impact too low.
 */
const SHARES = [60n, 90n, 100n]

/** ERC-20 tokens. */
export interface Pair {
  readonly tokenIn: Address.Address
  readonly tokenOut: Address.Address
  /** True if the amount may be divided among paths. Default: false. */
  readonly divisible?: boolean
}

/** Output and gas of a path for one amount. */
export interface Sample {
  readonly amountIn: bigint
  readonly amountOut: bigint
  readonly gas: bigint
}

/** The samples of a path, by rising amounts. */
export interface Curve<Path> {
  readonly path: Path
  readonly samples: ReadonlyArray<Sample>
}

export type Market<Path> = ReadonlyArray<Curve<Path>>

export interface Quoted<Path> {
  readonly path: Path
  readonly amountOut: bigint
  /** Expected output by the bend of the curve. At least `amountOut`. */
  readonly likelyOut: bigint
  readonly gas: bigint
  /** Price impact of the largest amount that was read. Absent if the samples do not tell it. */
  readonly impactBps?: number
}

/** Amounts to read for a largest amount, rising. */
export const amountsUpTo = (largest: bigint): ReadonlyArray<bigint> => [
  ...new Set(SHARES.map((share) => (largest * share) / 100n).filter((amount) => amount > 0n))
]

/** Tokens that a path may lead through: the wrapped native currency and the main stablecoins. */
export const hopsOf = (
  { chain: { stables, wrappedNative } }: Pick<ChainClient, "chain">,
  { tokenIn, tokenOut }: Pair
): ReadonlyArray<Address.Address> =>
  [...new Set([wrappedNative, ...stables.slice(0, MAX_STABLE_HOPS)])].filter(
    (token) => token !== tokenIn && token !== tokenOut
  )

/** The pairs of tokens whose pools the paths of a market need. */
export const pairsOf = (
  { tokenIn, tokenOut }: Pair,
  hops: ReadonlyArray<Address.Address>
): ReadonlyArray<readonly [Address.Address, Address.Address]> => [
  [tokenIn, tokenOut],
  ...hops.flatMap((hop) => [[tokenIn, hop] as const, [hop, tokenOut] as const])
]

/** A read of one pool that tells what it pays for an amount. A pool that is missing or empty has no answer. */
export interface PoolRead {
  readonly to: Address.Address
  readonly callOf: (amountIn: bigint) => Hex
  /** None for an answer that is not a quote. */
  readonly amountOf: (data: Hex) => Option.Option<bigint>
}

/** A path with the function that asks what it pays for an amount. */
export interface Asked<Path> {
  readonly path: Path
  readonly callOf: (amountIn: bigint) => Hex
  /** The answer's sample; none for an answer that is not a quote, such as that of an account without code. */
  readonly sampleOf: (amountIn: bigint, data: Hex) => Option.Option<Sample>
}

/**
 * Asks `quoter` what every path pays for each of the amounts, which rise. A path that pays nothing for an amount has no sample of it.
 * Returns also the answers to `beside`, which are made in the same requests.
 */
export const read = Effect.fnUntraced(function* <Path>(
  client: ChainClient,
  quoter: Address.Address,
  paths: ReadonlyArray<Asked<Path>>,
  amounts: ReadonlyArray<bigint>,
  beside: ReadonlyArray<Multicall3.Read> = []
) {
  const quotes = amounts.flatMap((amount) => paths.map(({ callOf }) => ({ to: quoter, data: callOf(amount) })))
  const reads = [...quotes, ...beside]
  const answers = yield* Multicall3.read(client, reads, { batch: Math.max(BATCH, Math.ceil(reads.length / CALLS)) })
  const market = paths.map(({ path, sampleOf }, place): Curve<Path> => ({
    path,
    samples: amounts.flatMap((amount, index) => {
      const answer = answers[index * paths.length + place] ?? Option.none()
      return Option.toArray(Option.flatMap(answer, (data) => sampleOf(amount, data))).filter(
        ({ amountOut }) => amountOut > 0n
      )
    })
  }))
  return { market, beside: answers.slice(quotes.length) }
})

/**
 * Asks `quoter` about the paths that are open, by what is known of their pools when they are asked for. A pair that nothing is known of is
 * looked up first: a token may have tens of pools on each exchange, and has a few of them on some. Other lookups are made beside the quotes,
 * and without `lookUp` all are.
 */
export const readOpen = Effect.fnUntraced(function* <Path>(
  client: ChainClient,
  { lookUp, quoter }: { readonly quoter: Address.Address; readonly lookUp: LookUp | undefined },
  { isNew, learn, lookups }: View,
  amounts: ReadonlyArray<bigint>,
  open: () => ReadonlyArray<Asked<Path>>
) {
  const isFirst = isNew && lookUp !== undefined
  if (isFirst) learn(yield* lookUp(client, lookups))
  const { beside, market } = yield* read(client, quoter, open(), amounts, isFirst ? [] : lookups)
  if (!isFirst) learn(beside)
  return market
})

/** Slope between two samples, as a fraction. */
const slopeOf = (a: Sample, b: Sample) => ({ rise: b.amountOut - a.amountOut, run: b.amountIn - a.amountIn })

/**
 * Height of the parabola through three samples above the line between the two that the amount is between. 0 with fewer samples, and where
 * the curve does not bend down.
 */
const bendAt = (curve: ReadonlyArray<Sample>, index: number, amountIn: bigint): bigint => {
  const [a, b, c] = curve.slice(Math.max(0, index - 2), Math.max(0, index - 2) + 3)
  const [low, high] = [curve[index - 1], curve[index]]
  if (a === undefined || b === undefined || c === undefined || low === undefined || high === undefined) return 0n
  const [first, second] = [slopeOf(a, b), slopeOf(b, c)]
  const bend = second.rise * first.run - first.rise * second.run
  const above =
    (bend * (amountIn - low.amountIn) * (amountIn - high.amountIn)) /
    (first.run * second.run * (c.amountIn - a.amountIn))
  return above > 0n ? above : 0n
}

/** Output and gas of a path for an amount; none outside of its samples. */
const payout = (
  curve: ReadonlyArray<Sample>,
  amountIn: bigint
): Option.Option<Pick<Quoted<unknown>, "amountOut" | "likelyOut" | "gas">> => {
  const index = curve.findIndex((sample) => sample.amountIn >= amountIn)
  const [low, high] = [curve[index - 1], curve[index]]
  if (high?.amountIn === amountIn) return Option.some({ ...high, likelyOut: high.amountOut })
  if (low === undefined || high === undefined) return Option.none()
  const rise = ((high.amountOut - low.amountOut) * (amountIn - low.amountIn)) / (high.amountIn - low.amountIn)
  const amountOut = low.amountOut + rise
  const bent = amountOut + bendAt(curve, index, amountIn)
  // More in never pays less, so no amount before a sample pays more than it, also where a pool runs out and the parabola overshoots.
  const most = high.amountOut > amountOut ? high.amountOut : amountOut
  const likelyOut = bent < most ? bent : most
  return Option.some({ amountOut, likelyOut, gas: high.gas > low.gas ? high.gas : low.gas })
}

/** The path with the highest output for an amount. Of equal ones, the first, which is the shortest. None if no path covers the amount. */
export const best = <Path>(market: Market<Path>, amountIn: bigint): Option.Option<Quoted<Path>> =>
  Option.fromUndefinedOr(falling(market, amountIn)[0])

/** The path behind the best one, if that leads by so much that it may not last ({@link FLEETING_BPS}). None otherwise. */
export const outrun = <Path>(market: Market<Path>, amountIn: bigint): Option.Option<Quoted<Path>> => {
  const [first, second] = falling(market, amountIn)
  return first === undefined ||
    second === undefined ||
    first.amountOut * 10_000n <= second.amountOut * (10_000n + FLEETING_BPS)
    ? Option.none()
    : Option.some(second)
}

/** The paths that pay for an amount, best first. Equal ones keep their order. */
const falling = <Path>(market: Market<Path>, amountIn: bigint): ReadonlyArray<Quoted<Path>> =>
  market
    .flatMap(({ path, samples }) =>
      Option.toArray(payout(samples, amountIn)).map((paid) => ({ path, ...paid, ...impactOf(samples) }))
    )
    .toSorted((a, b) => (a.amountOut > b.amountOut ? -1 : a.amountOut < b.amountOut ? 1 : 0))

/** Price impact by the outermost samples. */
const impactOf = (samples: ReadonlyArray<Sample>): Pick<Quoted<unknown>, "impactBps"> => {
  const [fewer, more] = [samples[0], samples.at(-1)]
  const impact = fewer === undefined || more === undefined ? undefined : impactBps(fewer, more)
  return impact === undefined ? {} : { impactBps: impact }
}
