/** Dashboard sessions. Only the hash of a session's token is stored. */
import { Context, type Effect, type Option } from "effect"
import type { BuilderAccount } from "../../domain/Builder.ts"
import type { Hash } from "../../domain/Hex.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

export class Sessions extends Context.Service<
  Sessions,
  {
    /** Stores a session that ends at `expiresAtMs` (UNIX milliseconds). The builder must exist. */
    readonly create: (session: {
      readonly tokenHash: Hash
      readonly builderId: string
      readonly expiresAtMs: number
    }) => Effect.Effect<void, StoreUnavailable>
    /** The signed-in builder; none for an unknown, ended or expired session. */
    readonly find: (tokenHash: Hash) => Effect.Effect<Option.Option<BuilderAccount>, StoreUnavailable>
    /** Ends a session. Does nothing if there is none. */
    readonly end: (tokenHash: Hash) => Effect.Effect<void, StoreUnavailable>
    /** Ends every session of a builder. */
    readonly endAll: (builderId: string) => Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/ports/Sessions") {}
