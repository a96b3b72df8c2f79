/** Reads what the concentrated pools of an exchange pay, by its QuoterV2: Uniswap v3, those that share its interface, and Slipstream. */
import { Clock, Effect, Option } from "effect"
import { toFunctionSelector } from "viem"
import type * as Address from "../../domain/Address.ts"
import { type Hex, size } from "../../domain/Hex.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as Words from "../evm/codec/Words.ts"
import * as Curves from "./Curves.ts"
import * as Path from "./UniswapV3Path.ts"
import type * as PoolMemory from "./PoolMemory.ts"

const QUOTE_SINGLE = {
  uint24: toFunctionSelector("quoteExactInputSingle((address,address,uint256,uint24,uint160))"),
  int24: toFunctionSelector("quoteExactInputSingle((address,address,uint256,int24,uint160))")
} as const satisfies Readonly<Record<Path.Kinds["type"], Hex>>
const QUOTE = toFunctionSelector("quoteExactInput(bytes,uint256)")

/** Function that makes the quoter's calldata for an amount along a path. A market is read at several amounts. */
export const quoteCall = (
  path: Path.Path,
  { tokenIn, tokenOut }: Curves.Pair,
  type: Path.Kinds["type"] = "uint24"
): ((amountIn: bigint) => Hex) => {
  if (path._tag === "Direct") {
    const before = QUOTE_SINGLE[type] + Words.ofAddress(tokenIn) + Words.ofAddress(tokenOut)
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

/** Square roots of prices at which a swap without a limit ends before its amount is used: those at the ends of a pool's range. */
const EXHAUSTED: ReadonlySet<bigint> = new Set([
  4_295_128_740n,
  1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_341n
])

/**
 * The first and the last of four words, in both functions. The second word is the price after the swap, or the offset of a list of prices.
 * None for an answer that is not a quote, such as that of a quoter without code. None also if a pool ran out: the quoter does not revert
 * then, but returns what a part of the amount pays.
 */
const decodeQuote =
  ({ _tag }: Pick<Path.Path, "_tag">) =>
  (amountIn: bigint, data: Hex): Option.Option<Curves.Sample> => {
    const bytes = size(data)
    if (bytes < QUOTE_WORDS * Words.WORD) return Option.none()
    const { numberAt, wordAt } = Words.reader(data)
    const offset = numberAt(Words.WORD)
    const [first, count] = _tag === "Direct" ? [Words.WORD, 1] : [offset + Words.WORD, numberAt(offset)]
    // False also where there is no list.
    const isWhole = first + count * Words.WORD <= bytes
    if (!isWhole) return Option.none()
    const prices = Array.from({ length: count }, (_, index) => wordAt(first + index * Words.WORD))
    if (prices.some((price) => EXHAUSTED.has(price))) return Option.none()
    return Option.some({ amountIn, amountOut: wordAt(0), gas: wordAt(3 * Words.WORD) })
  }

const GET_POOL = {
  uint24: toFunctionSelector("getPool(address,address,uint24)"),
  int24: toFunctionSelector("getPool(address,address,int24)")
} as const

/** The pools that the factory of a quoter has. */
export const venueOf = (
  chainId: number,
  quoter: Address.Address,
  { type, values }: Path.Kinds = Path.FEE_TIERS
): PoolMemory.Venue<Path.Fee> => ({
  chainId,
  periphery: quoter,
  kinds: values,
  poolCall: ([first, second], fee) =>
    `${GET_POOL[type]}${Words.ofAddress(first)}${Words.ofAddress(second)}${Words.ofNumber(fee)}`
})

/** A read for each pool that the pair may have. */
export const poolReads = (
  { kinds = Path.FEE_TIERS, quoter }: Pick<Contracts, "kinds" | "quoter">,
  pair: Curves.Pair
): ReadonlyArray<Curves.PoolRead> =>
  kinds.values.map((fee) => {
    const path: Path.Path = { _tag: "Direct", fee }
    return {
      to: quoter,
      callOf: quoteCall(path, pair, kinds.type),
      amountOf: (data) => Option.map(decodeQuote(path)(0n, data), ({ amountOut }) => amountOut)
    }
  })

/** Asks the quoter what a path pays. */
export const asking = (path: Path.Path, pair: Curves.Pair, type: Path.Kinds["type"]): Curves.Asked<Path.Path> => ({
  path,
  callOf: quoteCall(path, pair, type),
  sampleOf: decodeQuote(path)
})

interface Contracts {
  readonly memory: PoolMemory.PoolMemory
  readonly quoter: Address.Address
  /** Default: {@link Path.FEE_TIERS}. */
  readonly kinds?: Path.Kinds
}

/** Returns what is known of a pair's pools, and the paths through those that may exist. */
const viewOf = (
  { chain }: Pick<ChainClient, "chain">,
  { kinds = Path.FEE_TIERS, memory, quoter }: Contracts,
  pair: Curves.Pair,
  nowMillis: number
) => {
  const hops = Curves.hopsOf({ chain }, pair)
  const view = memory.view(venueOf(chain.id, quoter, kinds), Curves.pairsOf(pair, hops), nowMillis)
  return { view, paths: () => Path.candidates(pair.tokenIn, pair.tokenOut, hops, view.kindsOf) }
}

/** False if the pair is known to have no path. `nowMillis`: UNIX milliseconds. */
export const mayTrade = (
  client: Pick<ChainClient, "chain">,
  contracts: Contracts,
  pair: Curves.Pair,
  nowMillis: number
): boolean => viewOf(client, contracts, pair, nowMillis).paths().length > 0

/**
 * Reads what every path pays for each of the amounts, which rise. A path that pays nothing for an amount has no sample of it. Leaves
 * out paths with a pool that is known to be missing.
 */
export const read = Effect.fnUntraced(function* (
  client: ChainClient,
  contracts: Contracts,
  pair: Curves.Pair,
  amounts: ReadonlyArray<bigint>
) {
  const { kinds = Path.FEE_TIERS, memory, quoter } = contracts
  const { paths, view } = viewOf(client, contracts, pair, yield* Clock.currentTimeMillis)
  return yield* Curves.readOpen(client, { quoter, lookUp: memory.lookUp }, view, amounts, () =>
    paths().map((path) => asking(path, pair, kinds.type))
  )
})
