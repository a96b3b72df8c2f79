/** Errors that arise in the client, apart from those for responses of the service (`ApiErrors.ts`). */
import { intentsOf, type RefusedToken, type Sweep } from "./Batch.ts"
import type { FailureReason, Intent } from "./Intent.ts"
import { SweepError } from "./SweepError.ts"

/** The response is a success, but its body does not have the contract's shape. */
export class MalformedAnswerError extends SweepError<"malformed_answer"> {
  /** Place in the body, such as `order.amountIn`. Empty for the body itself. */
  declare readonly path: string

  constructor(path: string, expected: string) {
    super("malformed_answer", `malformed response: ${path === "" ? "the body" : path} is not ${expected}`)
    this.path = path
  }
}

/** No response arrived: the network failed or the request timed out. The service may have processed the request. */
export class NetworkError extends SweepError<"network_error"> {
  override readonly retryable = true
  /** No response arrived. */
  declare readonly status: undefined

  constructor(url: string, cause: unknown) {
    super("network_error", `no response from ${url}`, cause)
  }
}

/** One difference between an order and its request. */
export interface Mismatch {
  /** Such as `order.destination`. */
  readonly field: string
  /** Such as `is 0x…, expected 0x…`. */
  readonly detail: string
  /** True if the order keeps to the request, and only breaks a limit of the review. */
  readonly limit?: true
}

/** The order differs from the request, or breaks a limit of the review. Nothing was signed. */
export class OrderMismatchError extends SweepError<"order_mismatch"> {
  /** Every difference. */
  declare readonly mismatches: ReadonlyArray<Mismatch>

  constructor(mismatches: ReadonlyArray<Mismatch>) {
    super("order_mismatch", `do not sign: ${mismatches.map(({ detail, field }) => `${field} ${detail}`).join("; ")}`)
    this.mismatches = mismatches
  }
}

/** No token is left to sweep: the service has no quote, every order breaks a limit of the review, or nothing was chosen. */
export class NothingToSweepError extends SweepError<"nothing_to_sweep"> {
  /** The tokens, each with the reason for which it is left out. */
  declare readonly leftOut: ReadonlyArray<RefusedToken & { readonly mismatches: ReadonlyArray<Mismatch> }>

  constructor(leftOut: NothingToSweepError["leftOut"]) {
    super(
      "nothing_to_sweep",
      `no token is left to sweep: ${leftOut.map(({ reason, token }) => `${token} ${reason}`).join("; ")}`
    )
    this.leftOut = leftOut
  }
}

/** The quote expired before the wallet was asked, so nothing was signed. A new quote is needed. */
export class QuoteExpiredError extends SweepError<"quote_expired"> {
  override readonly retryable = true
  /** Ids of the expired quotes. */
  declare readonly quoteIds: ReadonlyArray<string>

  constructor(quoteIds: ReadonlyArray<string>, expiresAt: Date) {
    super("quote_expired", `quote ${quoteIds} expired at ${expiresAt.toISOString()}: request a new one`)
    this.quoteIds = quoteIds
  }
}

/** The wallet refused to sign, or returned a signature that is not the owner's. */
export class SigningError extends SweepError<"signing_refused" | "wrong_signer" | "unsupported_wallet"> {
  override readonly name = "SigningError"
  declare readonly what: "order" | "authorization"

  constructor(code: SigningError["code"], what: SigningError["what"], detail: string, cause?: unknown) {
    super(code, `the ${what} is not signed: ${detail}`, cause)
    this.what = what
  }
}

/** The sweep ended without delivery. */
export class SweepFailedError extends SweepError<"sweep_failed"> {
  declare readonly intent: Intent
  /** Tells if the tokens moved: see the reference of errors. */
  declare readonly failureReason: FailureReason | undefined

  constructor(intent: Intent) {
    super("sweep_failed", failureMessage(intent))
    this.intent = intent
    this.failureReason = intent.failureReason
  }
}

/** Message for a sweep that failed. */
export const failureMessage = ({ failureReason, id }: Pick<Intent, "id" | "failureReason">): string =>
  `sweep ${id} failed${failureReason === undefined ? "" : `: ${failureReason}`}`

/** The intent or sweep did not end before the timeout. It may still end: wait for it again. */
export class WaitTimeoutError extends SweepError<"wait_timeout"> {
  override readonly retryable = true
  /** Last known state of the intent. Undefined if a sweep was waited for. */
  declare readonly intent: Intent | undefined
  /** Last known state of the sweep. Undefined if an intent was waited for. */
  declare readonly sweep: Sweep | undefined

  constructor(id: string, timeoutMillis: number, last: Intent | Sweep | undefined) {
    const states = last === undefined ? "unknown" : intentsOf(last).map(({ status }) => status)
    const kind = last !== undefined && "intents" in last ? "sweep" : "intent"
    super("wait_timeout", `${kind} ${id} is still ${states} after ${timeoutMillis / 1000} s`)
    Object.assign(this, { [kind]: last })
  }
}

/**
 * The wallet signed, and a later step of `sweep` or `sweepAll` failed or was aborted: see `cause`. The sweep may still be executed, so the
 * same call could sweep a second time. Wait for the first one by its `sweepId`, else by the ids of its quotes.
 */
export class SweepUnfinishedError extends SweepError<"sweep_unfinished"> {
  /** Ids of the signed quotes, which their intents have too. For `waitForIntent`. */
  declare readonly quoteIds: ReadonlyArray<string>
  /** Id of the accepted intent of `sweep`, or sweep of `sweepAll`. Undefined if the service did not say that it accepted it. */
  declare readonly sweepId: string | undefined

  constructor(quoteIds: ReadonlyArray<string>, sweepId: string | undefined, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    super("sweep_unfinished", `do not sign sweep ${sweepId ?? quoteIds} again: ${reason}`, cause)
    this.quoteIds = quoteIds
    this.sweepId = sweepId
  }
}

/** A node did not return an account's state, or the sender did not change it. */
export class NodeError extends SweepError<"node_error"> {
  override readonly retryable = true

  constructor(detail: string, cause?: unknown) {
    super("node_error", detail, cause)
  }
}

/** The call lacks an option that it needs, or an option is not valid. */
export class UsageError extends SweepError<"usage"> {
  constructor(detail: string) {
    super("usage", detail)
  }
}
