/** Does something at most once in an interval. */
import { Clock, Effect } from "effect"
import { ageOf } from "../../domain/Age.ts"

/**
 * Makes `isDue(key)`, which is true at its first call for a key, and then at most once in `millis` milliseconds. A clock that is set back
 * by more than a minute makes it due.
 */
export const make = <K>(millis: number): ((key: K) => Effect.Effect<boolean>) => {
  /** UNIX milliseconds of the last time it was due, by key. */
  const dueAt = new Map<K, number>()
  return (key) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      if (ageOf(now, dueAt.get(key) ?? Number.NEGATIVE_INFINITY) < millis) return false
      dueAt.set(key, now)
      return true
    })
}
