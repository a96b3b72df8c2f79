/** Sign-in nonces. A nonce is issued, then consumed once or expired. In between it may be kept for one message. */
import { Context, type Effect } from "effect"
import type { Hash } from "../../domain/Hex.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

export class Nonces extends Context.Service<
  Nonces,
  {
    /** Stores a nonce that can be consumed before `expiresAtMs` (UNIX milliseconds). */
    readonly issue: (nonce: string, expiresAtMs: number) => Effect.Effect<void, StoreUnavailable>
    /** True if the nonce can be consumed: by any message, or with `message`, by that one too if the nonce is kept for it. */
    readonly isFresh: (nonce: string, message?: Hash) => Effect.Effect<boolean, StoreUnavailable>
    /**
     * Consumes a fresh nonce; with `message`, also one that is kept for that message. Of any number of concurrent callers, one gets
     * true, and only before the nonce expires.
     */
    readonly consume: (nonce: string, message?: Hash) => Effect.Effect<boolean, StoreUnavailable>
    /**
     * Keeps a fresh nonce for one message, until it expires: no other message can consume it. Of any number of concurrent callers
     * of this and of `consume`, one gets true.
     */
    readonly keepFor: (nonce: string, message: Hash) => Effect.Effect<boolean, StoreUnavailable>
  }
>()("sweep/ports/Nonces") {}
