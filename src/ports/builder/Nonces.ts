/** Sign-in nonces: issued, then consumed once or forgotten when they expire. */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../shared/Store.ts"

export class Nonces extends Context.Service<
  Nonces,
  {
    readonly issue: (nonce: string, expiresAtMs: number) => Effect.Effect<void, StoreUnavailable>
    /** Whether it can still be consumed. */
    readonly isFresh: (nonce: string) => Effect.Effect<boolean, StoreUnavailable>
    /** True for exactly one of however many callers, and only before it expires. */
    readonly consume: (nonce: string) => Effect.Effect<boolean, StoreUnavailable>
  }
>()("sweep/ports/Nonces") {}
