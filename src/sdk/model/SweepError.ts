/** Base of every error with which the client rejects, so that one `instanceof` tells them from bugs. */
export abstract class SweepError extends Error {
  /** Stable identifier for programs, such as `quote_unavailable`. */
  abstract readonly code: string
  /** True if the same call may succeed later. */
  readonly retryable: boolean = false
}
