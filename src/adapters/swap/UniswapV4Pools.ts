/**
 * Remembers which pools of Uniswap v4 exist, so that only these are quoted. The PoolManager's storage says it. The first lookups of a pair
 * come before its quotes, since few of its many paths exist. Later ones are reads beside the quotes, and count from the next quote on.
 */
import { Option } from "effect"
import { toFunctionSelector } from "viem"
import type * as Address from "../../domain/Address.ts"
import type { PoolKey } from "../../domain/Venue.ts"
import * as Multicall3 from "../evm/codec/Multicall3.ts"
import * as Path from "./UniswapV4Path.ts"
import { LIFETIME_MILLIS, REFRESH_MILLIS } from "./PoolMemory.ts"

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

/** Knowledge about the pools of some paths. */
export interface View {
  /** True if nothing is known about one of the pools, so that the lookups come before the quotes. */
  readonly isNew: boolean
  /** Reads that tell which of the pools exist, as far as that is not known or may have changed. */
  readonly lookups: ReadonlyArray<Multicall3.Read>
  /** Remembers the answers to the lookups, in their order. */
  readonly learn: (answers: ReadonlyArray<Multicall3.Answer>) => void
  /** The paths whose pools exist, by what is known now. */
  readonly open: () => ReadonlyArray<Path.Path>
}

export interface Pools {
  /** `nowMillis`: UNIX milliseconds. */
  readonly view: (manager: Manager, paths: ReadonlyArray<Path.Path>, nowMillis: number) => View
}

export const make = (): Pools => {
  const known = new Map<string, Known>()

  const keep = (key: string, exists: boolean, atMillis: number) => {
    known.delete(key)
    known.set(key, { exists, atMillis })
    // A map iterates in insertion order.
    const [oldest] = known.keys()
    if (known.size > CAPACITY && oldest !== undefined) known.delete(oldest)
  }

  const view: Pools["view"] = ({ chainId, poolManager }, paths, nowMillis) => {
    const keyOf = (pool: PoolKey): string => `${chainId} ${poolManager} ${Path.keyOf(pool)}`
    const pools = new Map(paths.flat().map(({ pool }) => [keyOf(pool), pool]))
    const age = (key: string): number => nowMillis - (known.get(key)?.atMillis ?? -Infinity)
    // A pool that exists never ceases to.
    const due = [...pools].filter(([key]) => known.get(key)?.exists !== true && age(key) >= REFRESH_MILLIS)
    return {
      isNew: due.some(([key]) => age(key) > LIFETIME_MILLIS),
      lookups: due.map(([, pool]) => ({
        to: poolManager,
        data: `${EXTSLOAD}${Path.priceSlot(pool).slice(2)}` as const
      })),
      learn: (answers) => {
        for (const [index, [key]] of due.entries()) {
          const word = Multicall3.word(answers[index] ?? Option.none())
          // Without an answer, as from an account without code, nothing is known.
          if (Option.isSome(word)) keep(key, word.value > 0n, nowMillis)
        }
      },
      open: () => paths.filter((path) => path.every(({ pool }) => known.get(keyOf(pool))?.exists === true))
    }
  }

  return { view }
}
