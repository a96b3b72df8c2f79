/** Longest wait for an endpoint's budget, by priority. */
import type { Priority } from "../../../ports/shared/Priority.ts"

/**
 * Milliseconds. Users get a response within 4 seconds, and reads of several chains have 1.5 seconds for each, so their requests
 * give up before that. Loops repeat their round.
 */
export const PATIENCE_MILLIS: Readonly<Record<Priority, number>> = {
  relay: 10_000,
  intake: 2_000,
  watch: 10_000,
  quote: 2_000,
  portfolio: 1_200
}
