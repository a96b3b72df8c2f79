/** `Retry-After` in whole seconds (RFC 9110, section 10.2.3). */
import { Duration } from "effect"

/** Whole seconds until a window resets, rounded up. Minimum: 1. */
export const retryAfterSeconds = (untilReset: Duration.Duration): number =>
  Math.max(1, Math.ceil(Duration.toSeconds(untilReset)))
