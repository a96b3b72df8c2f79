/**
 * Reads of one chain by Multicall3, in calls whose size follows what its nodes accept (`domain/ReadSize.ts`). A call that is refused is
 * repeated in halves, so that one token that burns the gas of a whole call hides no other.
 */
import { Array, Effect, Option, Result, Semaphore } from "effect"
import * as ReadSize from "../../domain/ReadSize.ts"
import { type ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import { within } from "../../runtime/Within.ts"
import * as Multicall3 from "../evm/codec/Multicall3.ts"

/** Calls of one use in flight at once. */
const CONCURRENCY = 8

/** Refused calls of one use after which the node counts as unavailable. One bad token among 512 costs 18. */
const REFUSALS = 40

export interface Options {
  /**
   * Time after which the reads that are not answered yet have none, in milliseconds. Too many refusals have the same effect. Default: all
   * answers are awaited, and too many refusals fail.
   */
  readonly limitMillis?: number
}

/** Makes a reader that remembers the size of the chain's calls. */
export const make = (client: ChainClient) => {
  let size = ReadSize.INITIAL

  /**
   * Answers in the order of the reads. A read that reverts, or that no call is answered with, has none. Fails if no call is answered,
   * or, without a limit, if too many are refused.
   */
  return Effect.fn("AdaptiveReads.read")(function* (
    reads: ReadonlyArray<Multicall3.Read>,
    { limitMillis }: Options = {}
  ): Effect.fn.Return<ReadonlyArray<Multicall3.Answer>, ChainUnavailable> {
    const answers = reads.map((): Multicall3.Answer => Option.none())
    const turn = Semaphore.makeUnsafe(CONCURRENCY)
    let refusals = 0
    let isAlive = false
    let lastRefusal: ChainUnavailable | undefined
    const part = (indices: ReadonlyArray<number>): Effect.Effect<void, ChainUnavailable> =>
      Multicall3.read(
        client,
        indices.flatMap((index) => reads[index] ?? []),
        { batch: indices.length }
      ).pipe(
        turn.withPermit,
        Effect.map((given) => {
          isAlive = true
          size = ReadSize.answered(size, indices.length)
          given.forEach((answer, place) => (answers[indices[place] ?? 0] = answer))
        }),
        Effect.catch((error) => {
          if (error.detail === Multicall3.UNUSABLE) return Effect.fail(error)
          refusals += 1
          lastRefusal = error
          size = ReadSize.refused(size, indices.length)
          if (refusals > REFUSALS) return Effect.fail(error)
          if (indices.length === 1) return Effect.void
          // Side by side, so that the half without the bad token does not wait until that is found.
          return Effect.forEach(ReadSize.halves(indices), part, { concurrency: 2, discard: true })
        })
      )
    const chunks = Array.chunksOf(
      reads.map((_, index) => index),
      size.reads
    )
    const all = Effect.forEach(chunks, part, { concurrency: CONCURRENCY, discard: true })
    if (limitMillis === undefined) yield* all
    else {
      const ended = yield* Effect.result(within(limitMillis)(all))
      // A call that was cut off may hold a token that burns its gas. Smaller calls hide fewer others.
      if (Result.isSuccess(ended) && Option.isNone(ended.success)) size = ReadSize.refused(size, size.reads)
      if (isAlive) return answers.slice()
      if (Result.isFailure(ended)) return yield* ended.failure
      if (Option.isNone(ended.success)) return yield* silent(client, limitMillis)
    }
    return lastRefusal === undefined || isAlive ? answers : yield* lastRefusal
  })
}

const silent = ({ chain }: ChainClient, limitMillis: number) =>
  new ChainUnavailable({ chainId: chain.id, method: "eth_call", detail: `no answer within ${limitMillis} ms` })
