/** Patience with the service under test. */
import { Effect, Schedule } from "effect"

/** Timeout of each step of the service. */
const PATIENCE = "2 minutes"
const LOOK_AGAIN = Schedule.spaced("20 millis")

/** Waits for an answer; dies, saying what the service did not do and how things stand, when there is none in time. */
export const until = <A, E, R>(
  question: Effect.Effect<A | undefined, E, R>,
  otherwise: string,
  standing: Effect.Effect<ReadonlyArray<string>> = Effect.succeed([])
) =>
  question.pipe(
    Effect.repeat({ schedule: LOOK_AGAIN, until: (answer) => answer !== undefined }),
    Effect.timeoutOrElse({
      duration: PATIENCE,
      orElse: () =>
        Effect.flatMap(standing, (facts) =>
          Effect.die(new Error([`the service ${otherwise} within ${PATIENCE}`, ...facts].join("; ")))
        )
    }),
    Effect.flatMap(Effect.fromNullishOr),
    Effect.orDie
  )
