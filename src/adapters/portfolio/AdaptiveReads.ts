/**
 * Reads of one chain by Multicall3, in calls whose size follows what its nodes accept (`domain/ReadSize.ts`). A call that is refused is
 * repeated in halves, so that one token that burns the gas of a whole call hides no other.
 */
import { Array, Effect, Option } from "effect"
import * as ReadSize from "../../domain/ReadSize.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import * as Multicall3 from "../evm/codec/Multicall3.ts"

/** Calls of one use in flight at once. */
const CONCURRENCY = 8

/** Refused calls of one use after which the node counts as unavailable. One bad token among 512 costs 18. */
const REFUSALS = 40

/** Makes a reader that remembers the size of the chain's calls. */
export const make = (client: ChainClient) => {
  let size = ReadSize.INITIAL

  const once = (reads: ReadonlyArray<Multicall3.Read>) => Multicall3.read(client, reads, { batch: reads.length })

  /**
   * Answers in the order of the reads. A read that reverts, or that no call is answered with, has none. Fails if no call is answered,
   * or too many are refused.
   */
  return Effect.fn("AdaptiveReads.read")(function* (
    reads: ReadonlyArray<Multicall3.Read>
  ): Effect.fn.Return<ReadonlyArray<Multicall3.Answer>, ChainUnavailable> {
    let refusals = 0
    let isAlive = false
    let lastRefusal: ChainUnavailable | undefined
    const part = (
      asked: ReadonlyArray<Multicall3.Read>
    ): Effect.Effect<ReadonlyArray<Multicall3.Answer>, ChainUnavailable> =>
      once(asked).pipe(
        Effect.tap(() =>
          Effect.sync(() => {
            isAlive = true
            size = ReadSize.answered(size, asked.length)
          })
        ),
        Effect.catch((error) => {
          if (error.detail === Multicall3.UNUSABLE) return Effect.fail(error)
          refusals += 1
          lastRefusal = error
          size = ReadSize.refused(size, asked.length)
          if (refusals > REFUSALS) return Effect.fail(error)
          if (asked.length === 1) return Effect.succeed([Option.none()])
          return Effect.map(Effect.forEach(ReadSize.halves(asked), part), Array.flatten)
        })
      )
    const parts = yield* Effect.forEach(Array.chunksOf(reads, size.reads), part, { concurrency: CONCURRENCY })
    return lastRefusal === undefined || isAlive ? parts.flat() : yield* lastRefusal
  })
}
