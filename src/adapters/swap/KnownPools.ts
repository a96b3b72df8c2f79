/**
 * Pools of the exchanges that are known to exist or to be missing. Swaps and sales of fees share it: a sweep whose pools were looked up for its
 * route sells its fee in the same ones.
 */
import { Context, Layer } from "effect"
import * as PoolLookups from "./PoolLookups.ts"
import * as PoolMemory from "./PoolMemory.ts"
import * as V4Pools from "./UniswapV4Pools.ts"

export class KnownPools extends Context.Service<
  KnownPools,
  {
    readonly memory: PoolMemory.PoolMemory
    readonly v4: V4Pools.Pools
  }
>()("sweep/adapters/swap/KnownPools") {
  /** Nothing is known at first. The first lookups of a pair come before its quotes. */
  static readonly layer = Layer.sync(KnownPools, () => {
    const lookUp = PoolLookups.make()
    return { memory: PoolMemory.make(lookUp), v4: V4Pools.make(lookUp) }
  })
}

/**
 * The same knowledge for quotes at an old block. A pool that is missing now was missing then, so nothing is looked up, and each round trip to
 * a node of old states is one of quotes. Pools of which nothing is known are quoted.
 */
export const before = ({ memory, v4 }: KnownPools["Service"]): KnownPools["Service"] => ({
  memory: PoolMemory.before(memory),
  v4: V4Pools.before(v4)
})
