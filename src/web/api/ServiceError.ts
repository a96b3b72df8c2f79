/** Failures of calls to the builder backend, with the names of the contract's errors. */

/** The backend did not answer, or with something that is not of the contract. */
export const UNREACHABLE = "Unreachable"

export class ServiceError extends Error {
  /** Name of the error in the contract, or {@link UNREACHABLE}. */
  readonly _tag: string

  constructor(tag: string, options?: ErrorOptions) {
    super(tag, options)
    this.name = tag
    this._tag = tag
  }
}

/** Errors that hide their reason have the same body. */
const MASKED: Readonly<Record<number, string>> = { 500: "InternalError", 502: "UpstreamFailed", 503: "Unavailable" }

const named = (code: string): string => code.replace(/(?:^|[ _])(\w)/g, (_, first: string) => first.toUpperCase())

const tagOf = (status: number, error: unknown): string => {
  if (status === 413) return "BodyTooLarge"
  if (status === 429) return "RateLimitExceeded"
  if (typeof error === "object" && error !== null) return "InvalidRequest"
  if (typeof error !== "string") return UNREACHABLE
  if (error === "internal error") return MASKED[status] ?? UNREACHABLE
  // The only other text that is no fixed code lists every problem of a request.
  return status === 422 && !/^[a-z_]+$/.test(error) ? "ValidationFailed" : named(error)
}

/** The error of an answer that is no success. It has the members of the answer's body. */
export const errorOf = (status: number, body: unknown, retryAfter: string | null): ServiceError => {
  const { error } = Object(body) as { readonly error?: unknown }
  const failure = new ServiceError(tagOf(status, error))
  const seconds = Number(retryAfter)
  return Object.assign(
    failure,
    body,
    status === 429 && Number.isSafeInteger(seconds) ? { retryAfterSeconds: seconds } : {}
  )
}
