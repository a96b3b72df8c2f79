/** Questions of a health check, each answered within a time limit. */
import { Effect, Option } from "effect"
import type { Health } from "../../domain/Health.ts"
import { within } from "../../runtime/Within.ts"

export type Condition = Health["status"]

/** Time limit of one question, in milliseconds. */
export const PROBE_MILLIS = 2_500

/** The answer; none when the question fails or takes too long. */
export const answered = <A, E>(question: Effect.Effect<A, E>): Effect.Effect<Option.Option<A>> =>
  question.pipe(
    within(PROBE_MILLIS),
    Effect.catchCause(() => Effect.succeed(Option.none<A>()))
  )

/** Widens a literal to {@link Condition}. */
export const condition = (status: Condition): Condition => status

export const worst = (statuses: ReadonlyArray<Condition>): Condition => {
  if (statuses.includes("down")) return "down"
  return statuses.includes("degraded") ? "degraded" : "ok"
}
