/**
 * Answers of outside services that replicas share, so that one of them spends the budget of requests for all. While the shared memory is
 * away, each replica asks for itself: one request a second waits for it up to the deadline, and all others do not.
 */
import { Clock, Effect, Option, Schema } from "effect"
import type { SharedMemory } from "../ports/shared/SharedMemory.ts"
import { SHARED_ANSWERS } from "../telemetry/metrics/Upstreams.ts"

/** Time that a lookup waits for the memory, in milliseconds. A store in the same region answers within 2. */
const DEADLINE_MILLIS = 50

/** Time after a failure in which the memory is not asked, in nanoseconds. */
const AWAY_NANOS = 1_000_000_000n

export interface Answered<A> {
  readonly value: A
  /** Milliseconds for which the answer still counts. */
  readonly remainingMillis: number
}

export interface Question<A> {
  /** Label of the metric. */
  readonly kind: string
  readonly key: string
  readonly schema: Schema.Codec<A, unknown>
  readonly lifetimeMillis: number
}

export interface SharedAnswers {
  /** The answer that a replica has told, or that of `lookup`, which is then told to the others. Failures are not told. */
  readonly of: <A, E, R>(question: Question<A>, lookup: Effect.Effect<A, E, R>) => Effect.Effect<Answered<A>, E, R>
}

/** Without a memory, every replica asks for itself. */
export const alone: SharedAnswers = {
  of: ({ lifetimeMillis }, lookup) => Effect.map(lookup, (value) => ({ value, remainingMillis: lifetimeMillis }))
}

export const make = (memory: SharedMemory["Service"]): SharedAnswers => {
  /** Monotonic time in nanoseconds until which the memory is not asked. */
  let awayUntil = 0n
  let isAway = false

  /** None if the memory is away. Only one request at a time finds out that it is back. */
  const within = Effect.fnUntraced(function* <A, E>(operation: Effect.Effect<A, E>) {
    const now = yield* Clock.monotonicTimeNanos
    if (now < awayUntil) return Option.none<A>()
    if (isAway) awayUntil = now + AWAY_NANOS
    const outcome = yield* Effect.option(Effect.timeout(operation, DEADLINE_MILLIS))
    isAway = Option.isNone(outcome)
    awayUntil = isAway ? (yield* Clock.monotonicTimeNanos) + AWAY_NANOS : 0n
    return outcome
  })

  return {
    of: Effect.fnUntraced(function* ({ key, kind, lifetimeMillis, schema }, lookup) {
      const counted = (outcome: string) => SHARED_ANSWERS.record(1, { kind, outcome })
      const text = Schema.fromJsonString(schema)
      const recalled = yield* within(memory.recall(key))
      // Another release may have told it in another form.
      const known = Option.flatMap(Option.flatten(recalled), ({ remainingMillis, value }) =>
        Option.map(Schema.decodeOption(text)(value), (decoded) => ({ value: decoded, remainingMillis }))
      )
      if (Option.isSome(known)) {
        yield* counted("shared")
        return known.value
      }
      yield* counted(Option.isNone(recalled) ? "away" : "asked")
      const value = yield* lookup
      const told = Effect.flatMap(Schema.encodeEffect(text)(value), (encoded) =>
        memory.remember(key, encoded, lifetimeMillis)
      )
      yield* within(told)
      return { value, remainingMillis: lifetimeMillis }
    })
  }
}
