/** The pause that a response asks for. */
import type { Headers } from "effect/http"

/** Longest pause that a provider can ask for, in milliseconds. No answer can disable a provider for longer. */
export const LONGEST_PAUSE_MILLIS = 600_000

/** Pause after a 429 that names none, in milliseconds. */
export const DEFAULT_PAUSE_MILLIS = 5_000

/** Headers in which providers name the seconds until requests are accepted again, in the order of their precedence. */
const SECONDS_HEADERS = ["ratelimit-reset", "x-ratelimit-reset"]

/** Larger values are a UNIX time in seconds and not a number of seconds. */
const FIRST_TIMESTAMP = 1_000_000_000

const bounded = (millis: number): number => Math.min(LONGEST_PAUSE_MILLIS, Math.max(0, Math.ceil(millis)))

const secondsOrTime = (value: number, now: number): number =>
  value >= FIRST_TIMESTAMP ? value * 1_000 - now : value * 1_000

/**
 * Milliseconds of a `Retry-After` header, which is a number of seconds or an HTTP date (RFC 9110, section 10.2.3). Undefined if it is
 * neither. `now` is the current time in UNIX milliseconds.
 */
export const retryAfter = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined || header.trim() === "") return undefined
  const seconds = Number(header)
  if (!Number.isNaN(seconds)) return seconds < 0 ? undefined : bounded(seconds * 1_000)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : bounded(date - now)
}

/** The pause of a 429, in milliseconds. */
export const pauseOf = (headers: Headers.Headers, now: number): number => {
  const named = retryAfter(headers["retry-after"], now)
  if (named !== undefined) return named
  for (const name of SECONDS_HEADERS) {
    const seconds = Number(headers[name] ?? Number.NaN)
    if (seconds > 0) return bounded(secondsOrTime(seconds, now))
  }
  return DEFAULT_PAUSE_MILLIS
}
