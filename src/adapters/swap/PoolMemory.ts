/**
 * Remembers for a short time which pools the factory of an exchange has, so that paths without a pool are not quoted: most pairs have one
 * of the pools that they may have, on a few of the exchanges. The factory says which pools exist, and no token has a part in that. Where a
 * chain has several exchanges, the first lookups of a pair come before its quotes. All others are reads beside the quotes, and count from the
 * next quote on.
 */
import { Array, Option } from "effect"
import { constVoid } from "effect/Function"
import { toFunctionSelector } from "viem"
import * as Address from "../../domain/Address.ts"
import type { Hex } from "../../domain/Hex.ts"
import * as LatestMap from "../../domain/LatestMap.ts"
import * as Multicall3 from "../evm/codec/Multicall3.ts"
import type { LookUp } from "./PoolLookups.ts"

/** Time for which a missing pool is taken as missing, in milliseconds. A pool that is created is quoted after it at the latest. */
export const LIFETIME_MILLIS = 60_000

/** Age at which the next quote of a pair looks its missing pools up again, in milliseconds. So pairs in use that have a pool do not expire. */
export const REFRESH_MILLIS = 15_000

/** Pairs that are remembered, of all exchanges on all chains. Beyond them the oldest is forgotten. */
const CAPACITY = 50_000

const FACTORY = toFunctionSelector("factory()")

export type Tokens = readonly [Address.Address, Address.Address]

/** Pools of a chain that one factory has made. They trade in both directions. */
export interface Venue<Kind> {
  readonly chainId: number
  /** Contract that names the factory, by `factory()`. Its answer never changes. */
  readonly periphery: Address.Address
  /** The factory, if it is known. */
  readonly factory?: Address.Address
  /** Tells the pools of a pair apart, such as their fees. */
  readonly kinds: ReadonlyArray<Kind>
  /** Call to which the factory answers with the address of a pool, or with zero if there is none. */
  readonly poolCall: (tokens: Tokens, kind: Kind) => Hex
}

/** Knowledge about the pools of a market, and how to learn more. */
export interface View {
  /** True if nothing is known about one of the pools. */
  readonly isNew: boolean
  /** Reads that tell which of the pools exist, as far as that is not known or may have changed. */
  readonly lookups: ReadonlyArray<Multicall3.Read>
  /** Remembers the answers to the lookups, in their order. */
  readonly learn: (answers: ReadonlyArray<Multicall3.Answer>) => void
}

/** Kinds of the pools of a pair that are not known to be missing, in either order of the tokens. */
export type KindsOf<Kind> = (first: Address.Address, second: Address.Address) => ReadonlyArray<Kind>

export interface PoolMemory {
  /** Makes the lookups of a view that come before the quotes. Undefined: all are made beside the quotes. */
  readonly lookUp: LookUp | undefined
  /** `nowMillis`: UNIX milliseconds. `kindsOf` answers for the pairs by what is known when it is called. */
  readonly view: <Kind>(
    venue: Venue<Kind>,
    pairs: ReadonlyArray<Tokens>,
    nowMillis: number
  ) => View & { readonly kindsOf: KindsOf<Kind> }
}

interface Pair {
  /** Kinds of the pools that exist. Undefined if the factory gave no usable answer: all are tried, as any may exist. */
  readonly kinds: ReadonlySet<unknown> | undefined
  /** UNIX milliseconds before the lookup. */
  readonly atMillis: number
}

const addressIn = (answer: Multicall3.Answer | undefined): Option.Option<bigint> =>
  answer === undefined ? Option.none() : Multicall3.word(answer)

/** Kinds of the pools that a factory named. None if an answer is not an address, such as that of an account without code. */
const kindsIn = <Kind>(
  answers: ReadonlyArray<Multicall3.Answer>,
  kinds: ReadonlyArray<Kind>
): Option.Option<ReadonlySet<Kind>> =>
  Option.map(
    Option.all(kinds.map((_, index) => addressIn(answers[index]))),
    (pools) => new Set(kinds.filter((_, index) => (pools[index] ?? 0n) > 0n))
  )

/** Answers by the same memory, and looks nothing up. For quotes at an old block, in which a pool that is missing now was missing as well. */
export const before = ({ view }: PoolMemory): PoolMemory => ({
  lookUp: undefined,
  view: (venue, pairs, nowMillis) => ({
    isNew: false,
    lookups: [],
    learn: constVoid,
    kindsOf: view(venue, pairs, nowMillis).kindsOf
  })
})

/** Without `lookUp` all lookups are made beside the quotes: paths of one exchange alone are so few that they are not worth a round trip. */
export const make = (lookUp?: LookUp): PoolMemory => {
  const factories = new Map<string, Address.Address>()
  const pairs = LatestMap.make<string, Pair>(CAPACITY)

  /** Any pool may exist until the factory is known, which a first quote asks. */
  const unknown = <Kind>(name: string, { kinds, periphery }: Venue<Kind>) => ({
    isNew: false,
    lookups: [{ to: periphery, data: FACTORY }],
    learn: ([answer]: ReadonlyArray<Multicall3.Answer>) => {
      const word = Option.getOrElse(addressIn(answer), () => 0n)
      if (word > 0n && word >> 160n === 0n) {
        factories.set(name, Address.of(`0x${word.toString(16).padStart(40, "0")}`))
      }
    },
    kindsOf: () => kinds
  })

  const view: PoolMemory["view"] = (venue, sought, nowMillis) => {
    const { chainId, kinds, periphery, poolCall } = venue
    const name = `${chainId} ${periphery}`
    const factory = venue.factory ?? factories.get(name)
    if (factory === undefined) return unknown(name, venue)
    const keyOf = (first: Address.Address, second: Address.Address): string =>
      first < second ? `${name} ${first} ${second}` : `${name} ${second} ${first}`
    const ageOf = (pair: Pair | undefined): number => {
      if (pair === undefined) return Number.POSITIVE_INFINITY
      // A pool that exists never ceases to.
      return pair.kinds?.size === kinds.length ? 0 : nowMillis - pair.atMillis
    }
    const due = sought
      .map((tokens) => ({ tokens, key: keyOf(...tokens) }))
      .map((pair) => ({ ...pair, ageMillis: ageOf(pairs.get(pair.key)) }))
      .filter(({ ageMillis }) => ageMillis >= REFRESH_MILLIS)
    return {
      isNew: due.some(({ ageMillis }) => ageMillis > LIFETIME_MILLIS),
      get lookups() {
        return due.flatMap(({ tokens }) => kinds.map((kind) => ({ to: factory, data: poolCall(tokens, kind) })))
      },
      learn: (answers) => {
        for (const [index, found] of Array.chunksOf(answers, kinds.length).entries()) {
          const key = due[index]?.key
          if (key !== undefined)
            pairs.set(key, { kinds: Option.getOrUndefined(kindsIn(found, kinds)), atMillis: nowMillis })
        }
      },
      kindsOf: (first, second) => {
        const pair = pairs.get(keyOf(first, second))
        const existing = ageOf(pair) <= LIFETIME_MILLIS ? pair?.kinds : undefined
        return existing === undefined ? kinds : kinds.filter((kind) => existing.has(kind))
      }
    }
  }

  return { lookUp, view }
}
