/** Submissions under an `Idempotency-Key` whose earlier attempt may have been accepted without its client learning of it. */
import { Effect, Option } from "effect"
import { Attempt } from "../../api/shared/Middleware.ts"
import type { SubmissionRefused } from "../../orchestrator/intake/SubmissionRefused.ts"

/**
 * Submits. A resumed request first looks for the identical submission that was accepted earlier, and looks again if it is refused:
 * its earlier attempt can be stored in between, and is then the cause of the refusal.
 */
export const submitOnce = Effect.fnUntraced(function* <A, E, F>(
  submit: Effect.Effect<A, SubmissionRefused | E>,
  accepted: Effect.Effect<Option.Option<A>, F>
) {
  const { resumed } = yield* Attempt
  if (!resumed) return yield* submit
  const earlier = yield* accepted
  if (Option.isSome(earlier)) return earlier.value
  return yield* Effect.catchTag(submit, "SubmissionRefused", (refusal) =>
    Effect.flatMap(
      accepted,
      Option.match({ onNone: () => Effect.fail(refusal), onSome: (found) => Effect.succeed(found) })
    )
  )
})
