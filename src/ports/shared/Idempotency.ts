/** Stores the response to a request with an idempotency key, so that a repeated request gets the same response. */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "./Store.ts"

/** Response to a keyed request. Other headers are not stored; they are generated again for each replay. */
export interface StoredAnswer {
  /** HTTP status. */
  readonly status: number
  readonly body: string
  /** Header `Sweep-Reason`. Absent if the response has none. */
  readonly sweepReason?: string
}

/** One execution of a keyed request. */
export interface KeyedAttempt {
  /** Hash of the route and the client's key. */
  readonly id: string
  /** Unique id of this execution. */
  readonly attempt: string
}

/** Result of a claim. */
export type KeyClaim =
  /**
   * The caller must execute the request. `resumed` is true when an earlier attempt may have executed it without storing
   * a response.
   */
  | { readonly _tag: "Claimed"; readonly resumed: boolean }
  | { readonly _tag: "Answered"; readonly answer: StoredAnswer }
  /** Another attempt holds the lease. */
  | { readonly _tag: "InProgress" }
  /** The key was used with another request body. */
  | { readonly _tag: "Mismatched" }

export class Idempotency extends Context.Service<
  Idempotency,
  {
    /**
     * Claims the key for an attempt. Of any number of concurrent attempts, one gets `Claimed`. The key can be claimed
     * again by the same request when its lease ends without a response, and by any request after its lifetime.
     */
    readonly claim: (
      request: KeyedAttempt & {
        /** Hash of the request body. The key is bound to it. */
        readonly fingerprint: string
        /** Milliseconds during which no other attempt can claim the key. */
        readonly leaseMillis: number
        /** Milliseconds for which the key is stored, from now on. */
        readonly lifetimeMillis: number
      }
    ) => Effect.Effect<KeyClaim, StoreUnavailable>
    /** Fingerprints of those of the keys that are stored, by id. Claims nothing. */
    readonly fingerprints: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, string>, StoreUnavailable>
    /** Sets the lease to end `leaseMillis` from now. Does nothing if the attempt no longer holds the lease. */
    readonly extend: (attempt: KeyedAttempt, leaseMillis: number) => Effect.Effect<void, StoreUnavailable>
    /** Stores the response until the key's lifetime ends. Does nothing if another attempt has taken over. */
    readonly complete: (attempt: KeyedAttempt, answer: StoredAnswer) => Effect.Effect<void, StoreUnavailable>
    /**
     * Ends the lease without a response, so that the request can be tried again at once. Does nothing if the attempt no
     * longer holds the lease.
     */
    readonly release: (attempt: KeyedAttempt) => Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/ports/Idempotency") {}
