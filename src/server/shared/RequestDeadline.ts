/**
 * Time limits of a request: every response begins within 4 seconds after the body has arrived, and the body arrives within 10
 * seconds. A response that streams, such as events, begins at once and is not limited.
 */
import { Clock, Context, Effect, Result } from "effect"
import { detached } from "../../runtime/Within.ts"

const ANSWER_MILLIS = 4_000
const BODY_MILLIS = 10_000

/** Interval at which a request that reads its body is looked at, because the end of the body brings its deadline forward. */
const BODY_CHECK_MILLIS = 500

/** The limit that a request is under. */
export type Phase = "answer" | "body"

interface Deadline {
  phase: Phase
  /** UNIX milliseconds. */
  endsAt: number
}

/** Deadline of the current request. Default: none, outside of {@link limited}. */
const Current = Context.Reference<Deadline | undefined>("sweep/server/RequestDeadline", {
  defaultValue: () => undefined
})

const begin = (deadline: Deadline, phase: Phase, millis: number) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    deadline.phase = phase
    deadline.endsAt = now + millis
  })

const expired = Effect.fnUntraced(function* (deadline: Deadline) {
  for (;;) {
    const left = deadline.endsAt - (yield* Clock.currentTimeMillis)
    if (left <= 0) return deadline.phase
    yield* Effect.sleep(deadline.phase === "body" ? Math.min(left, BODY_CHECK_MILLIS) : left)
  }
})

/** Reads a request's body under the limit of bodies, and then starts the limit of responses. */
export const readingBody = <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Current, (deadline) =>
    deadline === undefined
      ? read
      : Effect.ensuring(
          Effect.andThen(begin(deadline, "body", BODY_MILLIS), read),
          begin(deadline, "answer", ANSWER_MILLIS)
        )
  )

/** Runs the handler of a request. Fails with the phase whose limit has passed. The handler is then interrupted, and not awaited. */
export const limited = <A, E, R>(handler: Effect.Effect<A, E, R>): Effect.Effect<Result.Result<A, Phase>, E, R> =>
  Effect.suspend(() => {
    const deadline: Deadline = { phase: "answer", endsAt: 0 }
    return Effect.andThen(
      begin(deadline, "answer", ANSWER_MILLIS),
      // The server runs middleware uninterruptibly, and interrupts a request whose client has left.
      Effect.interruptible(
        Effect.raceFirst(
          Effect.map(detached(Effect.provideService(handler, Current, deadline)), Result.succeed),
          Effect.map(expired(deadline), Result.fail)
        )
      )
    )
  })
