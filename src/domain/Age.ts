/** Ages by the wall clock, which may be set back, and which differs from one process to the next. */

/** A time that is this far ahead, in milliseconds, was noted by a clock that was wrong. Clocks of processes differ by less. */
export const FUTURE_MILLIS = 60_000

/**
 * As {@link FUTURE_MILLIS}, in milliseconds, where a wrong decision replaces a live transaction of another process whose clock is ahead.
 * After a clock was set back, such a decision waits no longer.
 */
export const CAREFUL_MILLIS = 900_000

/**
 * Age in milliseconds of something of `atMs`. A time that is a little ahead has the age 0. One that is far ahead proves nothing, so it
 * counts as infinitely old: waiting for it could take hours. `futureMillis`: least distance that is far.
 */
export const ageOf = (nowMs: number, atMs: number, futureMillis = FUTURE_MILLIS): number =>
  atMs > nowMs + futureMillis ? Number.POSITIVE_INFINITY : Math.max(0, nowMs - atMs)

/**
 * True if less than `limitMillis` have passed since `atMillis`. After a clock was set back before it nobody knows, so it counts as passed.
 */
export const isWithin = (limitMillis: number, atMillis: number, nowMillis: number): boolean =>
  nowMillis >= atMillis && nowMillis - atMillis < limitMillis
