/**
 * Many callers' statements as one. Whatever is asked while statements are under way goes into the next one: a caller that is
 * alone waits for nobody, and a busy service asks the database no more often than it answers.
 */
import { Effect, Exit, Request, RequestResolver, Semaphore } from "effect"

export interface Options<Q, A, E> {
  /** Statements under way at once; more only make each of them smaller. */
  readonly statements: number
  /** Questions in one statement, at most. */
  readonly questions: number
  /** Answers all of the questions, in their order, or fails for all of them. */
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
