/** Options and results of the promise client. */
import type { RetryOptions } from "../core/Retry.ts"
import type { Intent } from "../model/Intent.ts"
import type { SweepReview } from "../review/Review.ts"
import type { ReviewOptions } from "../review/ReviewOptions.ts"
import type { Node } from "./Delegation.ts"
import type { Fetch } from "./Http.ts"
import type { WaitOptions } from "./Waiting.ts"

export interface SweepClientOptions {
  /** Base URL of the orchestrator. */
  readonly orchestratorUrl: string
  /** API key of the builder to whom every sweep is attributed. Default: none. */
  readonly apiKey?: string
  /** Default: the platform's `fetch`. */
  readonly fetch?: Fetch
  /** Timeout of each attempt at a request, in milliseconds. Default: 30 seconds. */
  readonly timeoutMillis?: number
  /** Retries of quotes and submissions after a lost response, 429 or 5xx. */
  readonly retry?: RetryOptions
  /** Makes the idempotency key of each quote and submission. Default: a random key of 128 bits. */
  readonly newIdempotencyKey?: () => string
  /** Limits of the review. Set at least `delegates`, if the package was built without them. */
  readonly review?: Omit<ReviewOptions, "nowMs">
  /**
   * Nodes by chain id, for `delegation` and `revokeDelegation`. Before the wallet signs an authorization, the node of its chain is asked
   * for the account's next nonce. Default: none, so the nonce is the service's.
   */
  readonly nodes?: Readonly<Record<number, Node>>
}

export interface SweepOptions extends WaitOptions {
  /** Called with the review before the wallet signs. The sweep stops if it returns false. Default: sign without asking. */
  readonly confirm?: (review: SweepReview) => boolean | Promise<boolean>
}

/** A delivered sweep. */
export interface SweepResult {
  readonly intent: Intent
  readonly review: SweepReview
}
