/** Remembers what a keyed request was answered, so that whoever sends it again gets the same answer. */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "./Store.ts"

/** What a request was answered. Headers are not kept: whoever replays it makes them anew. */
export interface StoredAnswer {
  readonly status: number
  readonly body: string
}

/** One execution of a keyed request. */
export interface Attempt {
  /** Stands for the route and the client's key. */
  readonly id: string
  /** Tells this execution from others of the same request. */
  readonly attempt: string
}

export type Claim =
  /** The caller executes the request. `resumed`: an earlier attempt may have done so, and left no answer. */
  | { readonly _tag: "Claimed"; readonly resumed: boolean }
  | { readonly _tag: "Answered"; readonly answer: StoredAnswer }
  /** Another attempt holds the lease. */
  | { readonly _tag: "InProgress" }
  /** The key stands for another request. */
  | { readonly _tag: "Mismatched" }

export class Idempotency extends Context.Service<
  Idempotency,
  {
    /**
     * Takes the key for an attempt, or tells why not. However many try at once, one gets it. A lease that ended without an
     * answer can be taken by the next attempt at the same request; a key past its lifetime is as good as new.
     */
    readonly claim: (
      request: Attempt & {
        /** Stands for the body: the key cannot be used with another one. */
        readonly fingerprint: string
        readonly leaseMillis: number
        /** How long the key is remembered from now on. */
        readonly lifetimeMillis: number
      }
    ) => Effect.Effect<Claim, StoreUnavailable>
    /** Lengthens the lease of an attempt that still holds it. */
    readonly extend: (attempt: Attempt, leaseMillis: number) => Effect.Effect<void, StoreUnavailable>
    /** Keeps the answer until the key's lifetime ends. Changes nothing when another attempt took over. */
    readonly complete: (attempt: Attempt, answer: StoredAnswer) => Effect.Effect<void, StoreUnavailable>
    /** Ends the lease without an answer: the same request may be tried again. */
    readonly release: (attempt: Attempt) => Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/ports/Idempotency") {}
