/** Turns a failure into what its client may know of it, and logs the rest. */
import { Effect } from "effect"

/** Replaces the failure by `answer`. The log line carries the request's id and, where there is one, the reason's code. */
export const mask =
  <Answer>(answer: () => Answer) =>
  (failure: { readonly _tag: string; readonly message: string; readonly reason?: string }) =>
    Effect.logWarning(failure.message).pipe(
      Effect.annotateLogs({ failure: failure.reason ?? failure._tag }),
      Effect.andThen(Effect.suspend(() => Effect.fail(answer())))
    )
