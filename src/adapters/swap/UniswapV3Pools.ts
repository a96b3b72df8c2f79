/**
 * Remembers for a short time which concentrated pools exist, so that paths without a pool are not quoted: most pairs have one of the
 * four pools that they may have. The factory says which pools exist, and no token has a part in that. The lookups are reads beside those
 * of a quote, so they are no request of their own.
 */
import { Array, Option } from "effect"
import { toFunctionSelector } from "viem"
import * as Address from "../../domain/Address.ts"
import * as Multicall3 from "../evm/codec/Multicall3.ts"
import * as Words from "../evm/codec/Words.ts"
import * as Path from "./UniswapV3Path.ts"

/** Time for which a missing pool is taken as missing, in milliseconds. A pool that is created is quoted after it at the latest. */
export const LIFETIME_MILLIS = 60_000

/** Age at which the next quote of a pair looks its missing pools up again, in milliseconds. So pairs in use do not expire. */
export const REFRESH_MILLIS = 15_000

/** Pairs that are remembered, on all chains. Beyond them the oldest is forgotten. */
const CAPACITY = 20_000

const FACTORY = toFunctionSelector("factory()")
const GET_POOL = {
  uint24: toFunctionSelector("getPool(address,address,uint24)"),
  int24: toFunctionSelector("getPool(address,address,int24)")
} as const

/** Quoter of a chain. Its factory never changes. */
export interface Venue {
  readonly chainId: number
  readonly quoter: Address.Address
  /** Default: {@link Path.FEE_TIERS}. */
  readonly kinds?: Path.Kinds
}

type Tokens = readonly [Address.Address, Address.Address]

interface Pair {
  /** Fees of the pools that exist. */
  readonly fees: ReadonlySet<Path.Fee>
  /** UNIX milliseconds before the lookup. */
  readonly atMillis: number
}

/** Knowledge about the pools of some paths. */
export interface View {
  /** The paths of which no pool is known to be missing. */
  readonly open: ReadonlyArray<Path.Path>
  /** Reads to make beside those of the quotes. */
  readonly lookups: ReadonlyArray<Multicall3.Read>
  /** Remembers the answers to the lookups, in their order. */
  readonly learn: (answers: ReadonlyArray<Multicall3.Answer>) => void
}

export interface Pools {
  /** `nowMillis`: UNIX milliseconds. */
  readonly view: (
    venue: Venue,
    tokenIn: Address.Address,
    tokenOut: Address.Address,
    paths: ReadonlyArray<Path.Path>,
    nowMillis: number
  ) => View
}

const addressIn = (answer: Multicall3.Answer | undefined): Option.Option<bigint> =>
  answer === undefined ? Option.none() : Multicall3.word(answer)

const getPool = ([first, second]: Tokens, fee: Path.Fee, type: Path.Kinds["type"]) =>
  `${GET_POOL[type]}${Words.ofAddress(first)}${Words.ofAddress(second)}${Words.ofNumber(fee)}` as const

/** Fees of the pools that a factory named. None if an answer is not an address, such as that of an account without code. */
const feesIn = (
  answers: ReadonlyArray<Multicall3.Answer>,
  fees: ReadonlyArray<Path.Fee>
): Option.Option<ReadonlySet<Path.Fee>> =>
  Option.map(
    Option.all(fees.map((_, index) => addressIn(answers[index]))),
    (pools) => new Set(fees.filter((_, index) => (pools[index] ?? 0n) > 0n))
  )

export const make = (): Pools => {
  const factories = new Map<string, Address.Address>()
  const pairs = new Map<string, Pair>()

  const keep = (key: string, pair: Pair) => {
    pairs.delete(key)
    pairs.set(key, pair)
    // A map iterates in insertion order.
    const [oldest] = pairs.keys()
    if (pairs.size > CAPACITY && oldest !== undefined) pairs.delete(oldest)
  }

  const view: Pools["view"] = ({ chainId, kinds = Path.FEE_TIERS, quoter }, tokenIn, tokenOut, paths, nowMillis) => {
    const venue = `${chainId} ${quoter}`
    const factory = factories.get(venue)
    if (factory === undefined) {
      return {
        open: paths,
        lookups: [{ to: quoter, data: FACTORY }],
        learn: ([answer]) => {
          const word = Option.getOrElse(addressIn(answer), () => 0n)
          if (word > 0n && word >> 160n === 0n) {
            factories.set(venue, Address.of(`0x${word.toString(16).padStart(40, "0")}`))
          }
        }
      }
    }
    const keyOf = ([first, second]: Tokens) =>
      first < second ? `${venue} ${first} ${second}` : `${venue} ${second} ${first}`
    const isOpen = ({ fee, tokens }: Path.Pool): boolean => {
      const pair = pairs.get(keyOf(tokens))
      return pair === undefined || pair.fees.has(fee) || nowMillis - pair.atMillis > LIFETIME_MILLIS
    }
    const pools = paths.map((path) => Path.poolsOf(tokenIn, path, tokenOut))
    // A pool that exists never ceases to.
    const isDue = (pair: Pair | undefined): boolean =>
      pair === undefined || (pair.fees.size < kinds.values.length && nowMillis - pair.atMillis >= REFRESH_MILLIS)
    const due = [...new Map(pools.flat().map(({ tokens }) => [keyOf(tokens), tokens]))].filter(([key]) =>
      isDue(pairs.get(key))
    )
    return {
      open: paths.filter((_, index) => pools[index]?.every(isOpen) === true),
      lookups: due.flatMap(([, tokens]) =>
        kinds.values.map((fee) => ({ to: factory, data: getPool(tokens, fee, kinds.type) }))
      ),
      learn: (answers) => {
        for (const [index, found] of Array.chunksOf(answers, kinds.values.length).entries()) {
          const [key] = due[index] ?? []
          const fees = Option.getOrUndefined(feesIn(found, kinds.values))
          if (key !== undefined && fees !== undefined) keep(key, { fees, atMillis: nowMillis })
        }
      }
    }
  }

  return { view }
}
