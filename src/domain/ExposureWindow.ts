/**
 * Windows of losses. A loss counts at the start of its step of 5 minutes, and a window has every step that it touches. So each loss
 * counts for the whole length of its window, whenever it happens, and for less than a step longer.
 */

/** Length of a step in milliseconds. */
const STEP_MILLIS = 300_000

export const HOUR_MILLIS = 3_600_000

export const DAY_MILLIS = 24 * HOUR_MILLIS

/** Start of the step that has this moment. Both are UNIX times in milliseconds. */
export const stepOf = (millis: number): number => millis - (millis % STEP_MILLIS)

/** Start of the first step of the window that ends now. Both are UNIX times in milliseconds. `length`: milliseconds. */
export const windowStart = (now: number, length: number): number => stepOf(now - length)
