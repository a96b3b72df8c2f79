/** API keys of builders. A builder has at most one; only its hash is stored. */
import { Context, type Effect, type Option } from "effect"
import type { BuilderAccount } from "../../domain/Builder.ts"
import type { Hash } from "../../domain/Hex.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

export interface StoredApiKey {
  /** SHA-256 of the key. */
  readonly hash: Hash
  /** First characters of the key, for display. */
  readonly prefix: string
  readonly createdAtMs: number
  /** Accurate to about one minute. Absent until the first use. */
  readonly lastUsedAtMs?: number
}

export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** Sets the builder's key. The previous key stops working as soon as this returns. The builder must exist. */
    readonly replace: (
      builderId: string,
      key: Pick<StoredApiKey, "hash" | "prefix">
    ) => Effect.Effect<void, StoreUnavailable>
    /** The builder that owns the key, also if it is suspended; none for an unknown key. Records the use. */
    readonly resolve: (hash: Hash) => Effect.Effect<Option.Option<BuilderAccount>, StoreUnavailable>
    /** The builder's key; none if it has none. */
    readonly of: (builderId: string) => Effect.Effect<Option.Option<StoredApiKey>, StoreUnavailable>
  }
>()("sweep/ports/ApiKeys") {}
