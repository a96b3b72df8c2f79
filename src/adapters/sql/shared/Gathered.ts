/**
 * Combines the calls of many callers into few statements. Calls that arrive while statements run go into the next one:
 * a single caller waits for nobody, and a busy service sends no statement before an earlier one has finished.
 */
import { Effect, Exit, Request, RequestResolver, Semaphore } from "effect"

export interface Options<Q, A, E> {
  /** Maximum number of concurrent statements. More statements are smaller statements. */
  readonly statements: number
  /** Maximum number of calls in one statement. */
  readonly questions: number
  /** Answers all questions in their order, or fails for all of them. */
  readonly run: (questions: ReadonlyArray<Q>) => Effect.Effect<ReadonlyArray<A>, E>
}

interface Asked<Q, A, E> extends Request.Request<A, E> {
  readonly question: Q
}

export const make = Effect.fnUntraced(function* <Q, A, E>({ questions, run, statements }: Options<Q, A, E>) {
  const asked = Request.of<Asked<Q, A, E>>()
  const underWay = yield* Semaphore.make(statements)
  const resolver = RequestResolver.makeWith<Asked<Q, A, E>>({
    batchKey: () => "all",
    delay: underWay.withPermit(Effect.yieldNow),
    collectWhile: (entries) => entries.size < questions,
    runAll: (entries) =>
      underWay.withPermit(
        Effect.map(run(entries.map(({ request }) => request.question)), (answers) => {
          for (const [index, entry] of entries.entries()) {
            const answer = answers[index]
            if (answer !== undefined) entry.completeUnsafe(Exit.succeed(answer))
          }
        })
      )
  })
  return (question: Q): Effect.Effect<A, E> => Effect.request(asked({ question }), resolver)
})
