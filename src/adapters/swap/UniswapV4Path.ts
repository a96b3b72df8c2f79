/** Paths through pools of Uniswap v4. Native currency is a currency of its own there, beside its wrapped form. */
import { encodeAbiParameters, keccak256, parseAbiParameters } from "viem"
import * as Address from "../../domain/Address.ts"
import type { Hex } from "../../domain/Hex.ts"
import * as Venue from "../../domain/Venue.ts"
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

/** Pools between two currencies: the usual ones without hooks, then the listed ones. */
const hopsBetween = (from: Address.Address, to: Address.Address, { pools }: Facts): ReadonlyArray<Hop> => {
  const [currency0, currency1] = BigInt(from) < BigInt(to) ? [from, to] : [to, from]
  const usual = Venue.V4_POOL_KINDS.map((kind) => ({ currency0, currency1, ...kind, hooks: Address.zero }))
  const listed = pools.filter((pool) => pool.currency0 === currency0 && pool.currency1 === currency1)
  const ids = new Set(usual.map(keyOf))
  return [...usual, ...listed.filter((pool) => !ids.has(keyOf(pool)))].map((pool) => ({ from, to, pool }))
}

/** Forms in which pools trade a token: the wrapped native currency as both of its forms. */
const formsOf = (token: Address.Address, { wrappedNative }: Facts): ReadonlyArray<Address.Address> =>
  token === wrappedNative ? [NATIVE, wrappedNative] : [token]

/** All direct pools, and all pairs of pools through each token between, for every form of the native currency. */
export const candidates = (
  { tokenIn, tokenOut }: Pair,
  via: ReadonlyArray<Address.Address>,
  facts: Facts
): ReadonlyArray<Path> => {
  const middles = via.flatMap((token) => formsOf(token, facts))
  return formsOf(tokenIn, facts).flatMap((from) =>
    formsOf(tokenOut, facts).flatMap((to): ReadonlyArray<Path> => [
      ...hopsBetween(from, to, facts).map((hop) => [hop] as const),
      ...middles.flatMap((middle) =>
        hopsBetween(from, middle, facts).flatMap((first) =>
          hopsBetween(middle, to, facts).map((second) => [first, second] as const)
        )
      )
    ])
  )
}

/** Tells a pool apart from the others of its PoolManager. */
export const keyOf = ({ currency0, currency1, fee, hooks, tickSpacing }: Venue.PoolKey): string =>
  `${currency0} ${currency1} ${fee} ${tickSpacing} ${hooks}`

const POOL = parseAbiParameters("address, address, uint24, int24, address")
const SLOT = parseAbiParameters("bytes32, uint256")

/** Place of `_pools` in the PoolManager's storage (`StateLibrary.POOLS_SLOT`). */
const POOLS_SLOT = 6n

/** Storage slot of a pool's price, which is 0 while the pool does not exist. */
export const priceSlot = ({ currency0, currency1, fee, hooks, tickSpacing }: Venue.PoolKey): Hex => {
  const id = keccak256(encodeAbiParameters(POOL, [currency0, currency1, fee, tickSpacing, hooks]))
  return keccak256(encodeAbiParameters(SLOT, [id, POOLS_SLOT]))
}
