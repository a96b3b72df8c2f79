/** Returns the name of the class whose errors have a code: `NotFoundError` for `not_found`, `NodeError` for `node_error`. */
const nameOf = (code: string): string =>
  `${code.replace("_error", "").replace(/(^|_)./g, (start) => start.slice(-1).toUpperCase())}Error`

/** Base of every error with which the client rejects, so that one `instanceof` tells them from bugs. */
export abstract class SweepError<Code extends string = string> extends Error {
  declare readonly name: string
  /** Stable identifier for programs, such as `quote_unavailable`. */
  declare readonly code: Code
  /** True if the same call may succeed later. */
  readonly retryable: boolean = false

  constructor(code: Code, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.name = nameOf(code)
  }
}
