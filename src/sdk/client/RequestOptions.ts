/** Options that every request of the client takes. */

export interface RequestOptions {
  /** Cancels the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

export interface KeyedRequestOptions extends RequestOptions {
  /**
   * Idempotency key: for 24 hours, the same request under the same key gets the first response. Keep a key of your own where a
   * request must survive a restart of your program. Default: a random key per call.
   */
  readonly idempotencyKey?: string
}

export interface PageOptions extends RequestOptions {
  /** `next` of an earlier page. Default: the first page. */
  readonly cursor?: string
}
