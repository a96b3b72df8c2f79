/** Dashboard sessions, known by the hash of their token. */
import { Context, type Effect, type Option } from "effect"
import type { BuilderAccount } from "../../domain/Builder.ts"
import type { Hash } from "../../domain/Hex.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

export class Sessions extends Context.Service<
  Sessions,
  {
    readonly create: (session: {
      readonly tokenHash: Hash
      readonly builderId: string
      readonly expiresAtMs: number
    }) => Effect.Effect<void, StoreUnavailable>
    /** The builder that is signed in; none for an unknown, ended or expired session. */
    readonly find: (tokenHash: Hash) => Effect.Effect<Option.Option<BuilderAccount>, StoreUnavailable>
    /** Ends a session, if there is one. */
    readonly end: (tokenHash: Hash) => Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/ports/Sessions") {}
