/** The builders' API keys: one each, known by its hash alone. */
import { Context, type Effect, type Option } from "effect"
import type { BuilderAccount } from "../../domain/Builder.ts"
import type { Hash } from "../../domain/Hex.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

export interface StoredApiKey {
  readonly hash: Hash
  /** The readable beginning of the key. */
  readonly prefix: string
  readonly createdAtMs: number
  /** Exact to about a minute; absent until the first use. */
  readonly lastUsedAtMs?: number
}

export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** Gives a builder its key. The previous one is worth nothing as soon as this is durable. */
    readonly replace: (
      builderId: string,
      key: Pick<StoredApiKey, "hash" | "prefix">
    ) => Effect.Effect<void, StoreUnavailable>
    /** Whose key it is; notes that it was used. */
    readonly resolve: (hash: Hash) => Effect.Effect<Option.Option<BuilderAccount>, StoreUnavailable>
    readonly of: (builderId: string) => Effect.Effect<Option.Option<StoredApiKey>, StoreUnavailable>
  }
>()("sweep/ports/ApiKeys") {}
