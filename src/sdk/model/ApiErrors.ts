/**
 * Errors for responses of the service. Decide by class, `code` or `status`. The text is for people: the service masks most
 * reasons on purpose.
 */
import type { QuoteReason } from "./Batch.ts"
import { POSTPONEMENTS } from "./Postponement.ts"
import { SweepError } from "./SweepError.ts"

/** A response that is not a success. */
export interface Answer {
  readonly status: number
  /** Member `error` of the body. Empty if the body is not from the service. */
  readonly reason: string
  /** Header `X-Request-Id`. The service's log has the reason under it. */
  readonly requestId: string | undefined
  /** Header `Retry-After`. */
  readonly retryAfterSeconds: number | undefined
  /** Header `Sweep-Reason`. */
  readonly sweepReason?: string | undefined
}

/** Base of the errors for responses of the service. */
export abstract class ApiError<Code extends string = string> extends SweepError<Code> {
  declare readonly status: number
  /** Member `error` of the body. Empty if the body is not from the service. */
  declare readonly reason: string
  /** Give it to the operator: the service's log has the reason under it. */
  declare readonly requestId: string | undefined

  constructor(code: Code, advice: string, { reason, requestId, status }: Answer) {
    super(code, `${`${status} ${reason}`.trim()}: ${advice}${requestId === undefined ? "" : ` (request ${requestId})`}`)
    this.status = status
    this.reason = reason
    this.requestId = requestId
  }
}

/** Makes the class of an error that has no members of its own. */
const apiError = <const Code extends string>(code: Code, advice: string): new (answer: Answer) => ApiError<Code> =>
  class extends ApiError<Code> {
    constructor(answer: Answer) {
      super(code, advice, answer)
    }
  }

/** 422 or 413: the request is malformed. */
export class InvalidRequestError extends apiError("invalid_request", "the request is malformed") {
  /** One entry per field, such as `amountIn: expected a non-negative integer as a decimal string`. */
  readonly problems: ReadonlyArray<string> = this.reason.split("; ")
}

/** 422 with a masked reason: the token is declined, fees reach the amount, or no route exists. */
export class QuoteUnavailableError extends apiError("quote_unavailable", "try a larger amount or another token") {
  /** Reason, in header `Sweep-Reason`. Undefined if the service gives none. */
  declare readonly quoteReason: QuoteReason | undefined

  constructor(answer: Answer) {
    super(answer)
    this.quoteReason = answer.sweepReason
  }
}

/** 403: sanctions screening blocks the owner or the destination. */
export class ScreeningBlockedError extends apiError("screening_blocked", "do not retry") {}

/** 400 with a masked reason: the quote is unknown, expired or used, a party is blocked, or a signature is not the owner's. */
export class SubmissionRefusedError extends apiError("submission_refused", "request a new quote and sign again") {}

/** Reason for which a sweep of many tokens is not accepted. Newer services may return other values. */
export type SweepRefusal =
  | "unknown_quote"
  | "expired_quote"
  | "already_submitted"
  | "different_owners"
  | "outdated_contracts"
  | "screening_blocked"
  | "wrong_authorization_chain"
  | "wrong_delegate"
  | "missing_authorization"
  | "no_set_code_support"
  | "chain_paused"
  | "bad_signature"
  | "bad_authorization"
  | (string & {})

/** 400 with a reason: the sweep of many tokens is not accepted. Nothing of it is stored. */
export class SweepRefusedError extends apiError("sweep_refused", "request a new quote and sign again") {
  declare readonly reason: SweepRefusal
}

/** 404: the id is unknown. */
export class NotFoundError extends apiError("not_found", "the id is unknown") {}

/** 409: the idempotency key was used with another request. */
export class IdempotencyKeyReusedError extends apiError("idempotency_key_reused", "use a new key for each request") {}

/** A response that asks for a retry of the same request after a pause. */
export abstract class RetryLaterError<Code extends string = string> extends ApiError<Code> {
  override readonly retryable = true
  /** Pause before the retry. */
  declare readonly retryAfterSeconds: number

  constructor(code: Code, answer: Answer, fallbackSeconds: number) {
    const seconds = answer.retryAfterSeconds ?? fallbackSeconds
    super(code, `retry after ${seconds} s`, answer)
    this.retryAfterSeconds = seconds
  }
}

/** Makes the class of an error after which a retry may succeed, with the pause if the response names none. */
const retryLaterError = <const Code extends string>(
  code: Code,
  seconds: number
): new (answer: Answer) => RetryLaterError<Code> =>
  class extends RetryLaterError<Code> {
    constructor(answer: Answer) {
      super(code, answer, seconds)
    }
  }

/** Pause if a response about a key in use has no `Retry-After`. */
export const KEY_IN_USE_SECONDS = 1

/** 409: the first request with the idempotency key is still in progress. */
export class IdempotencyKeyInUseError extends retryLaterError("idempotency_key_in_use", KEY_IN_USE_SECONDS) {}

/** Value of `Sweep-Reason` if sanctions screening did not answer. */
const SCREENING_UNAVAILABLE = "screening_unavailable"

/** 403 for a quote and 400 for a submission: sanctions screening does not answer at the moment, so nobody passes. */
export class ScreeningUnavailableError extends retryLaterError("screening_unavailable", 2) {}

/** Value of `Sweep-Reason` if the service cannot take such a sweep at the moment. */
const UNAVAILABLE = "unavailable"

/**
 * 422 or 503 for a quote, 400 or 503 for a submission: the service cannot take such a sweep at the moment. A budget is spent, gas
 * costs more than the chain's limit, or a part of the service does not answer. The same request may succeed later.
 */
export class UnavailableError extends retryLaterError("unavailable", 15) {}

/** Reason that passes. Newer versions may add values. */
export type SweepPostponement = "screening_unavailable" | "budget_spent" | "chain_unavailable" | "busy" | (string & {})

/** 503 with a reason: the sweep of many tokens is not accepted at the moment. Nothing of it is stored. */
export class SweepPostponedError extends retryLaterError("sweep_postponed", 2) {
  declare readonly reason: SweepPostponement
}

/** 429: too many requests. */
export class RateLimitedError extends retryLaterError("rate_limited", 60) {}

/** 500, 502, a 503 without a reason, or another 5xx of a gateway. */
export class ServiceError extends apiError("service_error", "retry later") {
  override readonly retryable = true
}

/** A status that the contract does not define. */
export class UnexpectedStatusError extends apiError("unexpected_status", "check orchestratorUrl") {}

/** Form of the reasons that are for programs, such as `expired_quote`. The others are sentences. */
const REASON = /^[a-z]+(_[a-z]+)+$/

/** Reason that the service gives in place of a masked one. */
const MASKED = "internal error"

const classOf = ({ reason, retryAfterSeconds, status, sweepReason }: Answer): new (answer: Answer) => ApiError => {
  const hasPause = retryAfterSeconds !== undefined
  // A sweep of many tokens has its reason in the body. The header, which every 503 of a submission has, tells less. A gateway's reason does
  // not say that nothing is stored.
  if (status === 503 && POSTPONEMENTS.includes(reason)) return SweepPostponedError
  if (sweepReason === SCREENING_UNAVAILABLE) return ScreeningUnavailableError
  // Without `Retry-After`, the token is declined.
  if (sweepReason === UNAVAILABLE && (status !== 422 || hasPause)) return UnavailableError
  switch (status) {
    case 400:
      return REASON.test(reason) ? SweepRefusedError : SubmissionRefusedError
    case 403:
      return ScreeningBlockedError
    case 404:
      return NotFoundError
    case 409:
      // Only the response for a key in use has `Retry-After`.
      return hasPause ? IdempotencyKeyInUseError : IdempotencyKeyReusedError
    case 413:
      return InvalidRequestError
    case 422:
      return reason === MASKED ? QuoteUnavailableError : InvalidRequestError
    case 429:
      return RateLimitedError
    default:
      return status >= 500 ? ServiceError : UnexpectedStatusError
  }
}

/** Makes the error for a response that is not a success. */
export const errorOfAnswer = (answer: Answer): ApiError => new (classOf(answer))(answer)
