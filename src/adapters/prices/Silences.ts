/** Remembers since when something does not answer, so that a silence counts as a passing one for a limited time. */
import * as LatestMap from "../../domain/LatestMap.ts"
import { PASSING_MILLIS } from "../swap/VenueReport.ts"

/** Silences that are remembered. */
const REMEMBERED = 10_000

export interface Silences {
  /** Notes an answer, which ends a silence. */
  readonly end: (key: string) => void
  /**
   * Notes a failure to answer at this time, in UNIX milliseconds. True if an answer is still expected. A silence about which nobody asked for
   * that long begins anew.
   */
  readonly isPassing: (key: string, nowMillis: number) => boolean
}

export const make = (): Silences => {
  const silences = LatestMap.make<string, { readonly since: number; readonly last: number }>(REMEMBERED)
  return {
    end: silences.delete,
    isPassing: (key, nowMillis) => {
      const before = silences.get(key)
      const since = before === undefined || nowMillis - before.last >= PASSING_MILLIS ? nowMillis : before.since
      silences.set(key, { since, last: nowMillis })
      return nowMillis - since < PASSING_MILLIS
    }
  }
}
