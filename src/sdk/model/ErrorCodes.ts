/** Every error with which the client rejects, as a union to narrow by `code`. */
import type * as ApiErrors from "./ApiErrors.ts"
import type * as Errors from "./Errors.ts"
import { SweepError } from "./SweepError.ts"

export type KnownSweepError =
  | ApiErrors.IdempotencyKeyInUseError
  | ApiErrors.IdempotencyKeyReusedError
  | ApiErrors.InvalidRequestError
  | ApiErrors.NotFoundError
  | ApiErrors.QuoteUnavailableError
  | ApiErrors.RateLimitedError
  | ApiErrors.ScreeningBlockedError
  | ApiErrors.ScreeningUnavailableError
  | ApiErrors.ServiceError
  | ApiErrors.SubmissionRefusedError
  | ApiErrors.SweepPostponedError
  | ApiErrors.SweepRefusedError
  | ApiErrors.UnavailableError
  | ApiErrors.UnexpectedStatusError
  | Errors.MalformedAnswerError
  | Errors.NetworkError
  | Errors.NodeError
  | Errors.NothingToSweepError
  | Errors.OrderMismatchError
  | Errors.QuoteExpiredError
  | Errors.SigningError
  | Errors.SweepFailedError
  | Errors.SweepUnfinishedError
  | Errors.UsageError
  | Errors.WaitTimeoutError

/** Code of an error of the client. */
export type SweepErrorCode = KnownSweepError["code"]

/**
 * True for an error of the client. Its `code` then tells which one.
 *
 * @example
 * if (isSweepError(error) && error.code === "sweep_refused") show(error.reason)
 */
export const isSweepError = (error: unknown): error is KnownSweepError => error instanceof SweepError
