/**
 * Remembers which pools of Uniswap v4 exist, so that only these are quoted. The PoolManager's storage says it. The first lookups of a pair
 * come before its quotes, since few of its many paths exist. Later ones are reads beside the quotes, and count from the next quote on.
 */
import { Option } from "effect"
import { constVoid } from "effect/Function"
import { toFunctionSelector } from "viem"
import type * as Address from "../../domain/Address.ts"
import * as LatestMap from "../../domain/LatestMap.ts"
import type { PoolKey } from "../../domain/Venue.ts"
import * as Multicall3 from "../evm/codec/Multicall3.ts"
import * as Path from "./UniswapV4Path.ts"
import * as PoolLookups from "./PoolLookups.ts"
import { LIFETIME_MILLIS, REFRESH_MILLIS, type View } from "./PoolMemory.ts"

/** Pools that are remembered, on all chains. Beyond them the oldest is forgotten. */
const CAPACITY = 50_000

const EXTSLOAD = toFunctionSelector("extsload(bytes32)")

export interface Manager {
  readonly chainId: number
  readonly poolManager: Address.Address
}

interface Known {
  readonly exists: boolean
  /** UNIX milliseconds before the lookup. */
  readonly atMillis: number
}

export interface Pools {
  /** Makes the lookups of a view that come before the quotes. Undefined: there are none. */
  readonly lookUp: PoolLookups.LookUp | undefined
  /** `nowMillis`: UNIX milliseconds. `exists` answers by what is known when it is called. */
  readonly view: (
    manager: Manager,
    pools: ReadonlyArray<PoolKey>,
    nowMillis: number
  ) => View & {
    readonly exists: (pool: PoolKey) => boolean
    /** False if the pool was missing when it was looked up a short time ago. */
    readonly mayExist: (pool: PoolKey) => boolean
  }
}

/** Answers by the same memory, and looks nothing up. For quotes at an old block, in which a pool that is missing now was missing as well. */
export const before = ({ view }: Pools): Pools => ({
  lookUp: undefined,
  view: (manager, sought, nowMillis) => {
    const { mayExist } = view(manager, sought, nowMillis)
    return { isNew: false, lookups: [], learn: constVoid, exists: mayExist, mayExist }
  }
})

export const make = (lookUp: PoolLookups.LookUp = PoolLookups.make()): Pools => {
  const known = LatestMap.make<string, Known>(CAPACITY)

  const view: Pools["view"] = ({ chainId, poolManager }, sought, nowMillis) => {
    const keyOf = (pool: PoolKey): string => `${chainId} ${poolManager} ${Path.keyOf(pool)}`
    const pools = new Map(sought.map((pool) => [keyOf(pool), pool]))
    const age = (key: string): number => nowMillis - (known.get(key)?.atMillis ?? -Infinity)
    // A pool that exists never ceases to.
    const due = [...pools].filter(([key]) => known.get(key)?.exists !== true && age(key) >= REFRESH_MILLIS)
    return {
      isNew: due.some(([key]) => age(key) > LIFETIME_MILLIS),
      // Made when they are asked for, since each hashes twice.
      get lookups() {
        return due.map(([, pool]) => ({
          to: poolManager,
          data: `${EXTSLOAD}${Path.priceSlot(pool).slice(2)}` as const
        }))
      },
      learn: (answers) => {
        for (const [index, [key]] of due.entries()) {
          const word = Multicall3.word(answers[index] ?? Multicall3.NONE)
          // Without an answer, as from an account without code, nothing is known.
          if (Option.isSome(word)) known.set(key, { exists: word.value > 0n, atMillis: nowMillis })
        }
      },
      exists: (pool) => known.get(keyOf(pool))?.exists === true,
      mayExist: (pool) => {
        const key = keyOf(pool)
        return known.get(key)?.exists === true || age(key) > LIFETIME_MILLIS
      }
    }
  }

  return { lookUp, view }
}
