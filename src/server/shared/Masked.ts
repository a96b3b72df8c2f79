/** Replaces a failure by the error that its client may see, and logs the reason. */
import { Effect } from "effect"

/** Replaces the failure by `answer`. The log line has the request's id and the code of the reason, if there is one. */
export const mask =
  <Answer>(answer: () => Answer) =>
  (failure: { readonly _tag: string; readonly message: string; readonly reason?: string }) =>
    Effect.logWarning(failure.message).pipe(
      Effect.annotateLogs({ failure: failure.reason ?? failure._tag }),
      Effect.andThen(Effect.suspend(() => Effect.fail(answer())))
    )
