/** Formats times and days in the user's language and, by default, time zone. */
import { lazily } from "./lazily.ts"

const DAY_MILLIS = 86_400_000

const moment = lazily(() => new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" }))
const second = lazily(() => new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" }))
const day = lazily(() => new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", timeZone: "UTC" }))
const calendar = lazily(() => new Intl.DateTimeFormat(undefined, { dateStyle: "medium" }))
const relative = lazily(() => new Intl.RelativeTimeFormat(undefined, { numeric: "auto" }))

const STEPS: ReadonlyArray<readonly [millis: number, unit: Intl.RelativeTimeFormatUnit]> = [
  [DAY_MILLIS, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"]
]

export const atMoment = (ms: number): string => moment().format(ms)

/** With seconds, for lists with several times in one minute. */
export const atSecond = (ms: number): string => second().format(ms)

export const onDate = (ms: number): string => calendar().format(ms)

/** `5 minutes ago`, or the date if it is older than a month. */
export const ago = (ms: number, nowMs: number): string => {
  const elapsed = nowMs - ms
  if (elapsed > 30 * DAY_MILLIS) return onDate(ms)
  for (const [millis, unit] of STEPS) {
    if (elapsed >= millis) return relative().format(-Math.floor(elapsed / millis), unit)
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
