/** Decides after a failed submission if the service may have it. Pure. */
import {
  IdempotencyKeyInUseError,
  MalformedAnswerError,
  NetworkError,
  ServiceError,
  SweepRefusedError,
  UnavailableError
} from "../../sdk/index.ts"

/**
 * Reasons that only the service gives, and only if it stored nothing. A test compares them with `domain/SweepRefusal.ts`, which would add
 * 72 kB of schemas to the page.
 */
export const REFUSALS: ReadonlySet<string> = new Set([
  "unknown_quote",
  "expired_quote",
  "different_owners",
  "outdated_contracts",
  "screening_blocked",
  "wrong_authorization_chain",
  "wrong_delegate",
  "missing_authorization",
  "no_set_code_support",
  "chain_paused",
  "bad_signature",
  "bad_authorization"
])

/**
 * True if the response may be lost although the sweep was accepted. The service gives 503 for that too, with a time to retry. The cause of an
 * error is an earlier attempt: a gateway or a limit may refuse the repeated request, which says nothing about the first one.
 */
export const mayBeAccepted = (error: unknown): boolean =>
  error instanceof NetworkError ||
  error instanceof ServiceError ||
  (error instanceof UnavailableError && error.status >= 500) ||
  error instanceof MalformedAnswerError ||
  (error instanceof SweepRefusedError && error.reason === "already_submitted") ||
  error instanceof IdempotencyKeyInUseError ||
  (error instanceof Error &&
    !(error instanceof SweepRefusedError && REFUSALS.has(error.reason)) &&
    mayBeAccepted(error.cause))
