/**
 * Time for which sweeps gather before the relayer claims them. A claim takes the same steps for one sweep as for ten, so a process that
 * is late saves CPU by fewer and larger ones.
 */

/**
 * True if a claim found so many sweeps that more have gathered behind them. A claim may find a little less than a whole `batch` in a long
 * queue, since it does not divide the legs of a sweep. One that emptied the queue would be followed by a batch of the few that came meanwhile.
 */
export const leavesMore = (claimed: number, batch: number): boolean => 8 * claimed >= 7 * batch

/** Delays of the event loop that are added to the time. */
const DELAYS = 20

/** Longest time in milliseconds. */
export const MOST_GATHER_MILLIS = 250

/** Time in milliseconds. `leastMillis`: of a process that keeps up. `delayMillis`: mean delay of tasks of the event loop. */
export const gatherMillis = (leastMillis: number, delayMillis: number): number =>
  Math.max(leastMillis, Math.min(MOST_GATHER_MILLIS, leastMillis + DELAYS * delayMillis))

/**
 * Rest of the time, in milliseconds, at most all of it: a clock that was set back must not stop the relayer for as long.
 * `claimedAt`: UNIX milliseconds of the last claim.
 */
export const leftMillis = (
  gathering: number,
  { claimedAt, now }: { readonly claimedAt: number; readonly now: number }
): number => Math.max(0, Math.min(gathering, claimedAt + gathering - now))
