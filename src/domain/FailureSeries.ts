/** Failures of a dependency that come back soon enough to count as one series. One good answer between two failures does not end it. */
import { ageOf } from "./Age.ts"

export interface Series {
  /** UNIX milliseconds of the first failing round. */
  readonly sinceMs: number
  /** UNIX milliseconds of the newest failing round. */
  readonly lastMs: number
  /** True from a failing round on that came late enough after the first one. */
  readonly lasts: boolean
}

export interface Rules {
  /** Time from the first failing round after which a failing round shows that the series lasts, in milliseconds. */
  readonly lastingMillis: number
  /** Time without a failing round that ends the series, in milliseconds. */
  readonly quietMillis: number
}

/** Continues the series by a round. Undefined if nothing fails. */
export const next = (
  series: Series | undefined,
  isFailing: boolean,
  nowMs: number,
  { lastingMillis, quietMillis }: Rules
): Series | undefined => {
  const present = series !== undefined && ageOf(nowMs, series.lastMs) < quietMillis ? series : undefined
  if (!isFailing) return present
  const sinceMs = present?.sinceMs ?? nowMs
  return { sinceMs, lastMs: nowMs, lasts: present?.lasts === true || ageOf(nowMs, sinceMs) >= lastingMillis }
}
