/** Formats times and days in the user's language and, by default, time zone. */
import { lazily } from "./lazily.ts"

const DAY_MILLIS = 86_400_000
const MINUTE_MILLIS = 60_000

const moment = lazily(() => new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" }))
const second = lazily(() => new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" }))
const day = lazily(() => new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", timeZone: "UTC" }))
const calendar = lazily(() => new Intl.DateTimeFormat(undefined, { dateStyle: "medium" }))
const relative = lazily(() => new Intl.RelativeTimeFormat(undefined, { numeric: "auto" }))

const STEPS: ReadonlyArray<readonly [millis: number, unit: Intl.RelativeTimeFormatUnit]> = [
  [DAY_MILLIS, "day"],
  [3_600_000, "hour"],
  [MINUTE_MILLIS, "minute"]
]

export const atMoment = (ms: number): string => moment().format(ms)

/** With seconds, for lists with several times in one minute. */
export const atSecond = (ms: number): string => second().format(ms)

export const onDate = (ms: number): string => calendar().format(ms)

/**
 * `5 minutes ago` or `in 3 hours`, or the date if it is more than a month away. A time of the next minute is `just now`, because clocks
 * differ.
 */
export const ago = (ms: number, nowMs: number): string => {
  const isFuture = ms > nowMs
  // To the nearest minute: a time that is set to three hours from now is read a moment later.
  const distance = isFuture ? Math.round((ms - nowMs) / MINUTE_MILLIS) * MINUTE_MILLIS : nowMs - ms
  if (isFuture && ms - nowMs <= MINUTE_MILLIS) return "just now"
  if (distance > 30 * DAY_MILLIS) return onDate(ms)
  for (const [millis, unit] of STEPS) {
    const count = Math.floor(distance / millis)
    if (count > 0) return relative().format(isFuture ? count : -count, unit)
  }
  return "just now"
}

/** `2026-03-01` in UTC, in which the service books. */
export const utcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** `Mar 1`, from `2026-03-01`. */
export const dayLabel = (isoDay: string): string => day().format(Date.parse(isoDay))

/** The last `count` days in UTC, today last. */
export const lastDays = (count: number, nowMs: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => utcDay(nowMs - (count - 1 - index) * DAY_MILLIS))
