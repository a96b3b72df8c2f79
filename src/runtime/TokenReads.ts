/** Reads something of many tokens within a time limit, so that neither their number nor one bad token hides the others. */
import { Array, type Duration, Effect, Option } from "effect"
import type * as Address from "../domain/Address.ts"
import * as ReadSize from "../domain/ReadSize.ts"
import { within } from "./Within.ts"

/** Failed reads of one use that are halved. One bad token among 100 costs 8. */
const HALVED = 64

/** Failed reads that are halved while none is answered, since it is then likely that nothing answers. */
const HALVED_UNANSWERED = 8

export interface Reading<A> {
  /** Answers of the tokens that were read in time. */
  readonly answers: ReadonlyMap<Address.Address, A>
  /** True if a read was answered, or if there was nothing to read. */
  readonly isAnswered: boolean
  /** Reason of the first failure. Absent if every token was read. */
  readonly failure?: string
}

export interface Options {
  /** Tokens of one read. */
  readonly size: number
  /** Reads in flight at once. */
  readonly concurrency: number
  readonly limit: Duration.Input
}

/** Reads the tokens in parts. A part that fails is read again in halves. Tokens whose read fails or takes too long have no answer. */
export const inParts = Effect.fnUntraced(function* <A, E extends { readonly message: string }>(
  tokens: ReadonlyArray<Address.Address>,
  { concurrency, limit, size }: Options,
  read: (part: ReadonlyArray<Address.Address>) => Effect.Effect<ReadonlyMap<Address.Address, A>, E>
): Effect.fn.Return<Reading<A>> {
  const answers = new Map<Address.Address, A>()
  let failures = 0
  let failure: string | undefined
  let isAnswered = tokens.length === 0

  const part = (asked: ReadonlyArray<Address.Address>): Effect.Effect<void> =>
    read(asked).pipe(
      Effect.map((found) => {
        isAnswered = true
        for (const [token, answer] of found) answers.set(token, answer)
      }),
      Effect.catchDefect((defect) => Effect.fail({ message: String(defect) })),
      Effect.catch(({ message }) => {
        failures += 1
        failure ??= message
        const most = isAnswered ? HALVED : HALVED_UNANSWERED
        if (asked.length === 1 || failures > most) return Effect.void
        return Effect.forEach(ReadSize.halves(asked), part, { discard: true })
      })
    )

  const ended = yield* within(limit)(Effect.forEach(Array.chunksOf(tokens, size), part, { concurrency, discard: true }))
  if (Option.isNone(ended)) failure ??= "no answer in time"
  return { answers, isAnswered, ...(failure === undefined ? {} : { failure }) }
})
