/** Ages by the wall clock, which may be set back, and which differs from one process to the next. */

/** A time that is this far ahead, in milliseconds, was noted by a clock that was wrong. Clocks of processes differ by less. */
export const FUTURE_MILLIS = 60_000

/**
 * Age in milliseconds of something of `atMs`. A time that is a little ahead has the age 0. One that is far ahead proves nothing, so it
 * counts as infinitely old: waiting for it could take hours.
 */
export const ageOf = (nowMs: number, atMs: number): number =>
  atMs > nowMs + FUTURE_MILLIS ? Number.POSITIVE_INFINITY : Math.max(0, nowMs - atMs)
