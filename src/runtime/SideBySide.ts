/**
 * Asks several sources of the same kind of answer at the same time. A slow source delays the answer only a little, and a broken one
 * not at all.
 */
import { type Cause, Clock, Deferred, Effect, Exit, type Fiber } from "effect"

/** Time for which the others are waited for after the first good answer, in milliseconds. */
export const GRACE_MILLIS = 600

/** Time limit of all sources together, in milliseconds. */
export const LIMIT_MILLIS = 3_000

export interface Source<A, E = never, R = never> {
  /** Unique among the sources that are asked together. */
  readonly name: string
  readonly ask: Effect.Effect<A, E, R>
}

export interface Answer<A> {
  readonly name: string
  readonly value: A
}

export interface Failure<E> {
  readonly name: string
  /** An expected failure, or a defect. */
  readonly cause: Cause.Cause<E>
}

/** Outcomes, each list in the order of the sources. */
export interface Answers<A, E> {
  readonly answers: ReadonlyArray<Answer<A>>
  readonly failures: ReadonlyArray<Failure<E>>
  /** Names of the sources that did not end in time. They were interrupted. */
  readonly silent: ReadonlyArray<string>
}

export interface Options<A> {
  /**
   * True if the time of grace begins with this answer, at the time when it came. May take a while, but must end. Default: it begins
   * with any.
   */
  readonly isGood?: (value: A) => Effect.Effect<boolean>
  /** Default: {@link GRACE_MILLIS}. */
  readonly graceMillis?: number
  /** Default: {@link LIMIT_MILLIS}. */
  readonly limitMillis?: number
}

/**
 * Asks all sources. Returns when all have ended, or some time after the first good answer, or at the time limit. Sources that have not
 * ended by then are interrupted, and end on their own.
 */
export const askAll = Effect.fnUntraced(function* <A, E, R>(
  sources: ReadonlyArray<Source<A, E, R>>,
  { graceMillis = GRACE_MILLIS, isGood = () => Effect.succeed(true), limitMillis = LIMIT_MILLIS }: Options<A> = {}
): Effect.fn.Return<Answers<A, E>, never, R> {
  const outcomes = new Map<number, Exit.Exit<A, E>>()
  /** UNIX milliseconds of the first good answer. */
  const good = yield* Deferred.make<number>()
  const ended = yield* Deferred.make<void>()
  if (sources.length === 0) yield* Deferred.succeed(ended, undefined)

  const run = (source: Source<A, E, R>, index: number) =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(source.ask)
      const now = yield* Clock.currentTimeMillis
      outcomes.set(index, exit)
      if (outcomes.size === sources.length) yield* Deferred.succeed(ended, undefined)
      if (Exit.isSuccess(exit) && (yield* isGood(exit.value))) yield* Deferred.succeed(good, now)
    })

  const afterGood = Effect.gen(function* () {
    const since = yield* Deferred.await(good)
    yield* Effect.sleep(Math.max(0, since + graceMillis - (yield* Clock.currentTimeMillis)))
  })
  const enough = Effect.raceAllFirst([Deferred.await(ended), afterGood, Effect.sleep(limitMillis)])

  const fibers: Array<Fiber.Fiber<unknown>> = []
  // Forked one by one inside the region that stops them, so that an interruption leaves none behind.
  const asked = Effect.forEach(
    sources,
    (source, index) =>
      Effect.uninterruptible(
        Effect.map(Effect.forkDetach(Effect.interruptible(run(source, index))), (fiber) => fibers.push(fiber))
      ),
    { discard: true }
  )
  yield* Effect.ensuring(
    Effect.andThen(asked, enough),
    Effect.sync(() => fibers.forEach((fiber) => fiber.interruptUnsafe()))
  )

  // A source that ends later changes nothing of what is returned.
  const listed = sources.map(({ name }, index) => ({ name, exit: outcomes.get(index) }))
  return {
    answers: listed.flatMap(({ exit, name }) =>
      exit !== undefined && Exit.isSuccess(exit) ? [{ name, value: exit.value }] : []
    ),
    failures: listed.flatMap(({ exit, name }) =>
      exit !== undefined && Exit.isFailure(exit) ? [{ name, cause: exit.cause }] : []
    ),
    silent: listed.flatMap(({ exit, name }) => (exit === undefined ? [name] : []))
  }
})
