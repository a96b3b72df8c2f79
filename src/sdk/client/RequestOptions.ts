/** Options that every request of the client takes. */
import type { Address } from "../model/Address.ts"

export interface RequestOptions {
  /** Cancels the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

export interface KeyedRequestOptions extends RequestOptions {
  /**
   * Idempotency key: for 24 hours (quotes: one hour), the same request under the same key gets the first response. Keep a key of your
   * own where a request must survive a restart of your program. Default: a random key per call.
   */
  readonly idempotencyKey?: string
}

export interface PortfolioOptions extends RequestOptions {
  /** At most 20 tokens to look for on every chain, beside those of the lists. Default: none. */
  readonly tokens?: ReadonlyArray<Address>
}

export interface PageOptions extends RequestOptions {
  /** `next` of an earlier page. Default: the first page. */
  readonly cursor?: string
}
