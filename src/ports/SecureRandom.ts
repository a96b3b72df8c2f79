/** Unpredictable randomness. Effect's own Random is a generator for simulations and tests, not for identifiers or keys. */
import { Context, type Effect } from "effect"

export class SecureRandom extends Context.Service<
  SecureRandom,
  {
    readonly bytes: (count: number) => Effect.Effect<Uint8Array>
    /** A random (version 4) UUID. */
    readonly uuid: Effect.Effect<string>
  }
>()("sweep/ports/SecureRandom") {}
