/**
 * Everything that the client rejects with. Decide by class, `code` or, for answers of the service, `status`: the service masks
 * most reasons on purpose, and its bodies are for people.
 */
import type { FailureReason, Intent } from "./types.ts"

/** The base of every error of the client. */
export abstract class SweepError extends Error {
  /** Stable, for programs. */
  abstract readonly code: string
  /** Whether the same call may succeed later, unchanged. */
  readonly retryable: boolean = false
}

export interface Answer {
  readonly status: number
  /** The body's `error`; empty when the body was none of the service's. */
  readonly reason: string
  /** Name it to the operator: the log under it has the reason. */
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined
}

/** The service answered with an error. */
export abstract class ApiError extends SweepError {
  readonly status: number
  readonly reason: string
  readonly requestId: string | undefined

  constructor(advice: string, answer: Answer) {
    const id = answer.requestId === undefined ? "" : ` (request ${answer.requestId})`
    super(`${answer.status}${answer.reason === "" ? "" : ` ${answer.reason}`}: ${advice}${id}`)
    this.status = answer.status
    this.reason = answer.reason
    this.requestId = answer.requestId
  }
}

/** The class of an error that says nothing but its status. */
const apiError = <const Name extends string, const Code extends string>(
  name: Name,
  code: Code,
  advice: string,
  retryable = false
): new (answer: Answer) => ApiError & { readonly name: Name; readonly code: Code } =>
  class extends ApiError {
    override readonly name = name
    readonly code = code
    override readonly retryable = retryable

    constructor(answer: Answer) {
      super(advice, answer)
    }
  }

/** 422 with the problems of the request, each naming its field. */
export class InvalidRequestError extends apiError(
  "InvalidRequestError",
  "invalid_request",
  "the request is malformed"
) {
  /** One problem each, such as `amountIn: expected a non-negative integer as a decimal string`. */
  readonly problems: ReadonlyArray<string> = this.reason.split("; ")
}

/** 422, masked: the token is declined, fees reach the amount, there is no route … */
export class QuoteUnavailableError extends apiError(
  "QuoteUnavailableError",
  "quote_unavailable",
  "no quote can be made; try a larger amount or another token"
) {}

/** 403: owner or destination is blocked by sanctions screening. */
export class ScreeningBlockedError extends apiError("ScreeningBlockedError", "screening_blocked", "do not try again") {}

/** 400, masked: the quote is unknown, expired or used, a party is blocked, or a signature is not the owner's. */
export class SubmissionRefusedError extends apiError(
  "SubmissionRefusedError",
  "submission_refused",
  "ask for a new quote and sign again"
) {}

/** 404. */
export class NotFoundError extends apiError("NotFoundError", "not_found", "there is nothing under this id") {}

/** 409: the idempotency key came with another request before. The client's own keys are random; yours was not. */
export class IdempotencyKeyReusedError extends apiError(
  "IdempotencyKeyReusedError",
  "idempotency_key_reused",
  "use a new idempotency key for each request"
) {}

/** An answer that says when to send the same request again. */
abstract class LaterError extends ApiError {
  override readonly retryable = true
  readonly retryAfterSeconds: number

  constructor(answer: Answer, fallbackSeconds: number) {
    const seconds = answer.retryAfterSeconds ?? fallbackSeconds
    super(`wait ${seconds} s`, answer)
    this.retryAfterSeconds = seconds
  }
}

/** 409: the first request with the idempotency key is not answered yet. */
export class IdempotencyKeyInUseError extends LaterError {
  override readonly name = "IdempotencyKeyInUseError"
  readonly code = "idempotency_key_in_use"

  constructor(answer: Answer) {
    super(answer, 1)
  }
}

/** 429. */
export class RateLimitedError extends LaterError {
  override readonly name = "RateLimitedError"
  readonly code = "rate_limited"

  constructor(answer: Answer) {
    super(answer, 60)
  }
}

/** 500, 502, 503, or a gateway's 5xx: the service, or something behind it, failed. */
export class ServiceError extends apiError(
  "ServiceError",
  "service_error",
  "the service failed; try again later",
  true
) {}

/** A status that the contract does not know. */
export class UnexpectedStatusError extends apiError(
  "UnexpectedStatusError",
  "unexpected_status",
  "not an answer of this service; check the address"
) {}

/** The answer was a success, and not of the contract's shape. */
export class MalformedAnswerError extends SweepError {
  override readonly name = "MalformedAnswerError"
  readonly code = "malformed_answer"
  /** Where in the body, such as `order.amountIn`. */
  readonly path: string

  constructor(path: string, expected: string) {
    super(`the service's answer is malformed: ${path === "" ? "the body" : path} is not ${expected}`)
    this.path = path
  }
}

/** No answer: the network failed, or it took too long. Whether the service took the request is open. */
export class NetworkError extends SweepError {
  override readonly name = "NetworkError"
  readonly code = "network_error"
  override readonly retryable = true

  constructor(url: string, cause: unknown) {
    super(`no answer from ${url}`, { cause })
  }
}

/** One way in which an order is not what was asked for. */
export interface Mismatch {
  /** Such as `order.destination`. */
  readonly field: string
  readonly detail: string
}

/** The order is not what was asked for. It must not be signed, and the client does not. */
export class OrderMismatchError extends SweepError {
  override readonly name = "OrderMismatchError"
  readonly code = "order_mismatch"
  readonly mismatches: ReadonlyArray<Mismatch>

  constructor(mismatches: ReadonlyArray<Mismatch>) {
    super(`do not sign: ${mismatches.map(({ detail, field }) => `${field} ${detail}`).join("; ")}`)
    this.mismatches = mismatches
  }
}

/** The wallet did not sign, or what it signed is not the owner's signature of what it was asked to sign. */
export class SigningError extends SweepError {
  override readonly name = "SigningError"
  readonly code: "signing_refused" | "wrong_signer" | "unsupported_wallet"
  readonly what: "order" | "authorization"

  constructor(code: SigningError["code"], what: SigningError["what"], detail: string, cause?: unknown) {
    super(`the ${what} is not signed: ${detail}`, cause === undefined ? undefined : { cause })
    this.code = code
    this.what = what
  }
}

/** The sweep ended without delivery. What that means for the owner's tokens follows from the reason. */
export class SweepFailedError extends SweepError {
  override readonly name = "SweepFailedError"
  readonly code = "sweep_failed"
  readonly intent: Intent
  readonly failureReason: FailureReason | undefined

  constructor(intent: Intent) {
    super(`sweep ${intent.id} failed${intent.failureReason === undefined ? "" : `: ${intent.failureReason}`}`)
    this.intent = intent
    this.failureReason = intent.failureReason
  }
}

/** The intent had not ended in the time that was given. It may still: ask for it again. */
export class WaitTimeoutError extends SweepError {
  override readonly name = "WaitTimeoutError"
  readonly code = "wait_timeout"
  override readonly retryable = true
  /** As last seen. */
  readonly intent: Intent | undefined

  constructor(id: string, timeoutMillis: number, intent: Intent | undefined) {
    super(`intent ${id} is still ${intent?.status ?? "unknown"} after ${timeoutMillis / 1000} s`)
    this.intent = intent
  }
}

/** A node could not say what an account runs, or the sender could not change it. */
export class NodeError extends SweepError {
  override readonly name = "NodeError"
  readonly code = "node_error"
  override readonly retryable = true

  constructor(detail: string, cause?: unknown) {
    super(detail, cause === undefined ? undefined : { cause })
  }
}

/** The client was not given what the call needs. */
export class UsageError extends SweepError {
  override readonly name = "UsageError"
  readonly code = "usage"
}

const MASKED = "internal error"

/** The error that stands for an answer. */
export const ofAnswer = (answer: Answer): ApiError => {
  switch (answer.status) {
    case 400:
      return new SubmissionRefusedError(answer)
    case 403:
      return new ScreeningBlockedError(answer)
    case 404:
      return new NotFoundError(answer)
    case 409:
      // Only a key in use is a matter of time.
      return answer.retryAfterSeconds === undefined
        ? new IdempotencyKeyReusedError(answer)
        : new IdempotencyKeyInUseError(answer)
    case 413:
      return new InvalidRequestError(answer)
    case 422:
      return answer.reason === MASKED ? new QuoteUnavailableError(answer) : new InvalidRequestError(answer)
    case 429:
      return new RateLimitedError(answer)
    default:
      return answer.status >= 500 ? new ServiceError(answer) : new UnexpectedStatusError(answer)
  }
}
