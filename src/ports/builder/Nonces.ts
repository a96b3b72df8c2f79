/** Sign-in nonces. A nonce is issued, then consumed once or expired. */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../shared/Store.ts"

export class Nonces extends Context.Service<
  Nonces,
  {
    /** Stores a nonce that can be consumed before `expiresAtMs` (UNIX milliseconds). */
    readonly issue: (nonce: string, expiresAtMs: number) => Effect.Effect<void, StoreUnavailable>
    /** True if the nonce can still be consumed. */
    readonly isFresh: (nonce: string) => Effect.Effect<boolean, StoreUnavailable>
    /** Consumes the nonce. Of any number of concurrent callers, one gets true, and only before the nonce expires. */
    readonly consume: (nonce: string) => Effect.Effect<boolean, StoreUnavailable>
  }
>()("sweep/ports/Nonces") {}
