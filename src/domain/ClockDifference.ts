/** Difference between the clock of this process and that of a server, by one question for its time. Times are UNIX milliseconds. */

/** A question for the time. */
export interface AskedTime {
  readonly askedAtMs: number
  readonly answeredAtMs: number
  /** Time that the server told. */
  readonly toldMs: number
}

/**
 * Milliseconds that the clock of this process is ahead of the server's at least. Negative if it is behind. The server may have read its
 * clock at any time between question and answer, so a slow answer proves little. 0 if this process's clock was set back meanwhile.
 */
export const leastDifference = ({ answeredAtMs, askedAtMs, toldMs }: AskedTime): number => {
  if (answeredAtMs < askedAtMs) return 0
  const difference = (askedAtMs + answeredAtMs) / 2 - toldMs
  const unknown = (answeredAtMs - askedAtMs) / 2
  return Math.sign(difference) * Math.max(0, Math.abs(difference) - unknown)
}
