/** Moments that commands take. */
import { Schema } from "effect"

/** ISO 8601 with a zone. Without one, the moment would depend on the machine. */
const WITH_ZONE = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/

/** JavaScript takes February 30 as March 2. */
const isDay = (day: string): boolean => {
  const start = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(start.getTime()) && start.toISOString().startsWith(day)
}

const isMoment = (text: string): boolean => {
  const day = WITH_ZONE.exec(text)?.[1]
  return day !== undefined && isDay(day) && !Number.isNaN(Date.parse(text))
}

/** An ISO 8601 time with its zone, as text. */
export const Moment = Schema.String.check(
  Schema.makeFilter((text) => isMoment(text) || "expected a time with Z or an offset, such as 2026-01-31T12:00:00Z")
)
