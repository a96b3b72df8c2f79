/** When to try again after failures. */

const BASE_MILLIS = 1_000
const CAP_MILLIS = 300_000

/**
 * Milliseconds to wait after `failures` failed attempts: doubling from one second up to five minutes, of which a random
 * half (`random` from 0 to 1) is left out, so that those who failed together do not come back together.
 */
export const backoffMillis = (failures: number, random: number): number => {
  const full = Math.min(CAP_MILLIS, BASE_MILLIS * 2 ** Math.max(0, failures - 1))
  return Math.round(full * (1 - random / 2))
}
