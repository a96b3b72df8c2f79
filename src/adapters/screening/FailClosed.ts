/** Blocks a request if a screening source does not answer, and logs the reason for the operator. */
import { Duration, Effect } from "effect"
import { ScreeningBlocked } from "../../ports/shared/Screening.ts"

/** Blocks because there is no answer. The reason is logged, and clients never see it. */
export const unavailable = Effect.fnUntraced(function* (reason: string) {
  yield* Effect.annotateLogs(Effect.logError("screening.unavailable"), { reason })
  return yield* new ScreeningBlocked({ cause: "unavailable" })
})

/** Turns errors of a source into a block. */
export const asked =
  (source: string) =>
  <A, E extends { readonly message: string } | ScreeningBlocked, R>(
    effect: Effect.Effect<A, E, R>
  ): Effect.Effect<A, ScreeningBlocked, R> =>
    Effect.catch(effect, (error) =>
      error instanceof ScreeningBlocked ? Effect.fail(error) : unavailable(`${source}: ${error.message}`)
    )

/** Turns errors and timeouts of a source into a block. */
export const guard =
  (source: string, timeout: Duration.Input) =>
  <A, E extends { readonly message: string } | ScreeningBlocked, R>(
    effect: Effect.Effect<A, E, R>
  ): Effect.Effect<A, ScreeningBlocked, R> =>
    effect.pipe(
      asked(source),
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () =>
          unavailable(`${source} did not answer within ${Duration.format(Duration.fromInputUnsafe(timeout))}`)
      })
    )
