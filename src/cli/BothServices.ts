/** Lists what both services have. */
import { Console, Effect, Result } from "effect"
import { UsageError } from "./UsageError.ts"

interface Explained {
  readonly message: string
}

/** A service without settings is left out with a remark. One that does not answer fails the command after the other is listed. */
export const listed = Effect.fnUntraced(function* <A, E1 extends Explained, R1, E2 extends Explained, R2>(
  ofOrchestrator: Effect.Effect<ReadonlyArray<A>, E1, R1>,
  ofBackend: Effect.Effect<ReadonlyArray<A>, E2, R2>,
  print: (all: ReadonlyArray<A>) => Effect.Effect<void>
) {
  const answers: ReadonlyArray<Result.Result<ReadonlyArray<A>, E1 | E2>> = [
    yield* Effect.result(ofOrchestrator),
    yield* Effect.result(ofBackend)
  ]
  const found = answers.flatMap((answer) => (Result.isSuccess(answer) ? [answer.success] : []))
  const failures = answers.flatMap((answer): ReadonlyArray<E1 | E2> =>
    Result.isFailure(answer) ? [answer.failure] : []
  )
  const first = failures.find((failure) => found.length === 0 || !(failure instanceof UsageError))
  if (found.length > 0) yield* print(found.flat())
  for (const failure of failures) if (failure !== first) yield* Console.error(`not listed: ${failure.message}`)
  if (first !== undefined) return yield* Effect.fail(first)
})
