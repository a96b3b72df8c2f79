/** Paths through pools of Uniswap v4. Native currency is a currency of its own there, beside its wrapped form. */
import * as Address from "../../domain/Address.ts"
import type { Hex } from "../../domain/Hex.ts"
import * as Venue from "../../domain/Venue.ts"
import * as Keccak from "../evm/codec/Keccak.ts"
import * as Words from "../evm/codec/Words.ts"
import type { Pair } from "./Curves.ts"

/** Native currency in Uniswap v4. */
export const NATIVE = Address.zero

/** One pool, in the direction of a path. */
export interface Hop {
  readonly from: Address.Address
  readonly to: Address.Address
  readonly pool: Venue.PoolKey
}

/** One pool or two. Each takes what the one before it pays. */
export type Path = readonly [Hop] | readonly [Hop, Hop]

export interface Facts {
  readonly wrappedNative: Address.Address
  /** Pools that the operator lists, beside the usual ones. */
  readonly pools: ReadonlyArray<Venue.PoolKey>
}

/** True for pools that paths may take. */
type IsOpen = (pool: Venue.PoolKey) => boolean

const everyPool: IsOpen = () => true

/** Pools between two currencies: the usual ones without hooks, then the listed ones. */
const poolsBetween = (from: Address.Address, to: Address.Address, { pools }: Facts): ReadonlyArray<Venue.PoolKey> => {
  const [currency0, currency1] = from.toLowerCase() < to.toLowerCase() ? [from, to] : [to, from]
  const usual = Venue.V4_POOL_KINDS.map((kind) => ({ currency0, currency1, ...kind, hooks: Address.zero }))
  const listed = pools.filter((pool) => pool.currency0 === currency0 && pool.currency1 === currency1)
  const ids = new Set(listed.length === 0 ? [] : usual.map(keyOf))
  return [...usual, ...listed.filter((pool) => !ids.has(keyOf(pool)))]
}

/** Forms in which pools trade a token: the wrapped native currency as both of its forms. */
const formsOf = (token: Address.Address, { wrappedNative }: Facts): ReadonlyArray<Address.Address> =>
  token === wrappedNative ? [NATIVE, wrappedNative] : [token]

/** The pools that paths between two tokens may take, in both forms of the native currency. A pool may come twice. */
export const poolsFor = (
  { tokenIn, tokenOut }: Pair,
  via: ReadonlyArray<Address.Address>,
  facts: Facts
): ReadonlyArray<Venue.PoolKey> => {
  const middles = via.flatMap((token) => formsOf(token, facts))
  const [sources, targets] = [formsOf(tokenIn, facts), formsOf(tokenOut, facts)]
  return [
    ...sources.flatMap((from) => [...targets, ...middles].flatMap((to) => poolsBetween(from, to, facts))),
    ...middles.flatMap((from) => targets.flatMap((to) => poolsBetween(from, to, facts)))
  ]
}

/** All direct pools, and all pairs of pools through each token between, for every form of the native currency. */
export const candidates = (
  { tokenIn, tokenOut }: Pair,
  via: ReadonlyArray<Address.Address>,
  facts: Facts,
  isOpen: IsOpen = everyPool
): ReadonlyArray<Path> => {
  const hopsBetween = (from: Address.Address, to: Address.Address): ReadonlyArray<Hop> =>
    poolsBetween(from, to, facts).flatMap((pool) => (isOpen(pool) ? [{ from, to, pool }] : []))
  const middles = via.flatMap((token) => formsOf(token, facts))
  return formsOf(tokenIn, facts).flatMap((from) =>
    formsOf(tokenOut, facts).flatMap((to): ReadonlyArray<Path> => [
      ...hopsBetween(from, to).map((hop) => [hop] as const),
      ...middles.flatMap((middle) => {
        const firsts = hopsBetween(from, middle)
        const seconds = firsts.length === 0 ? [] : hopsBetween(middle, to)
        return firsts.flatMap((first) => seconds.map((second) => [first, second] as const))
      })
    ])
  )
}

/** Tells a pool apart from the others of its PoolManager. */
export const keyOf = ({ currency0, currency1, fee, hooks, tickSpacing }: Venue.PoolKey): string =>
  `${currency0} ${currency1} ${fee} ${tickSpacing} ${hooks}`

/** Place of `_pools` in the PoolManager's storage (`StateLibrary.POOLS_SLOT`). */
const POOLS_SLOT = Words.ofNumber(6)

const hashed = (words: string): string => Keccak.digits(Buffer.from(words, "hex"))

/**
 * Storage slot of a pool's price, which is 0 while the pool does not exist. Encoded by hand: a new pair has tens of pools, for which viem
 * takes longer than for all the rest of a quote.
 */
export const priceSlot = ({ currency0, currency1, fee, hooks, tickSpacing }: Venue.PoolKey): Hex => {
  const id = hashed(
    Words.ofAddress(currency0) +
      Words.ofAddress(currency1) +
      Words.ofNumber(fee) +
      Words.ofNumber(tickSpacing) +
      Words.ofAddress(hooks)
  )
  return `0x${hashed(id + POOLS_SLOT)}`
}
