/**
 * Time limits of a request: every response begins within 4 seconds after the body has arrived, and the body arrives within 10
 * seconds. A response that streams, such as events, begins at once and is not limited.
 *
 * One fiber watches the deadlines of all requests, because a timer for each would cost more than most requests do.
 */
import { Clock, Context, Effect, Exit, Result } from "effect"

const ANSWER_MILLIS = 4_000
const BODY_MILLIS = 10_000

/** The limit that a request is under. */
export type Phase = "answer" | "body"

interface Deadline {
  phase: Phase
  /** UNIX milliseconds. */
  endsAt: number
  /** Answers the request. */
  expire: () => void
}

/** Deadline of the current request. Default: none, outside of {@link make}'s effects. */
const Current = Context.Reference<Deadline | undefined>("sweep/server/RequestDeadline", {
  defaultValue: () => undefined
})

const begin = (deadline: Deadline, phase: Phase, millis: number) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    deadline.phase = phase
    deadline.endsAt = now + millis
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
export type Limited = <A, E, R>(handler: Effect.Effect<A, E, R>) => Effect.Effect<Result.Result<A, Phase>, E, R>

/** Makes the limits of a server's requests. */
export const make: Effect.Effect<Limited> = Effect.map(Effect.context<never>(), (context) => {
  const open = new Set<Deadline>()
  let isWatching = false

  /** Ends when no request is open. No deadline that is set while it sleeps is earlier than its end. */
  const watch = Effect.gen(function* () {
    while (open.size > 0) {
      const now = yield* Clock.currentTimeMillis
      let wakeAt = now + ANSWER_MILLIS
      for (const deadline of open) {
        if (deadline.endsAt <= now) deadline.expire()
        else wakeAt = Math.min(wakeAt, deadline.endsAt)
      }
      yield* Effect.sleep(wakeAt - now)
    }
    isWatching = false
  })

  const watched = (deadline: Deadline) => {
    open.add(deadline)
    if (isWatching) return
    isWatching = true
    Effect.runForkWith(context)(watch)
  }

  return <A, E, R>(handler: Effect.Effect<A, E, R>) =>
    Clock.clockWith((clock) => {
      const endsAt = clock.currentTimeMillisUnsafe() + ANSWER_MILLIS
      const deadline: Deadline = { phase: "answer", endsAt, expire: () => undefined }
      const running = Effect.forkDetach(Effect.provideService(handler, Current, deadline), { startImmediately: true })
      return Effect.uninterruptible(
        Effect.flatMap(running, (fiber) => {
          const left = Effect.sync(() => {
            open.delete(deadline)
            fiber.interruptUnsafe()
          })
          const outcome = Effect.callback<Result.Result<A, Phase>, E>((resume) => {
            deadline.expire = () => {
              open.delete(deadline)
              resume(Effect.succeed(Result.fail(deadline.phase)))
              fiber.interruptUnsafe()
            }
            watched(deadline)
            fiber.addObserver((exit) => {
              open.delete(deadline)
              resume(Exit.map(exit, Result.succeed))
            })
          })
          // The server runs middleware uninterruptibly, and interrupts a request whose client has left.
          return Effect.onInterrupt(Effect.interruptible(outcome), () => left)
        })
      )
    })
})
