/** API keys of builders. Only their hashes are stored. */
import { Context, type Effect, type Option, Schema } from "effect"
import type { KeyScope } from "../../domain/ApiKey.ts"
import type { BuilderAccount } from "../../domain/Builder.ts"
import type { Hash } from "../../domain/Hex.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

export interface StoredApiKey {
  /** Unique among the keys of its builder. */
  readonly id: string
  readonly name: string
  readonly scopes: ReadonlyArray<KeyScope>
  /** SHA-256 of the key. */
  readonly hash: Hash
  /** First characters of the key, for display. */
  readonly prefix: string
  readonly createdAtMs: number
  /** Accurate to about one minute. Absent until the first use. */
  readonly lastUsedAtMs?: number
}

/** The builder has the maximum number of keys. */
export class KeyLimit extends Schema.TaggedError<KeyLimit>()("KeyLimit", { limit: Schema.Int }) {
  override get message(): string {
    return `the builder has the maximum of ${this.limit} keys`
  }
}

export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** Sets the builder's default key. The previous one stops working as soon as this returns. The builder must exist. */
    readonly replace: (
      builderId: string,
      key: Pick<StoredApiKey, "hash" | "prefix">
    ) => Effect.Effect<void, StoreUnavailable>
    /** Adds a key beside the default one, up to `limit` of them. The builder must exist. */
    readonly add: (
      builderId: string,
      key: StoredApiKey,
      limit: number
    ) => Effect.Effect<void, KeyLimit | StoreUnavailable>
    /**
     * Revokes a key, also the default one, and returns it; none if the builder has no such key. It stops working as soon as this
     * returns. `unknown` is the hash of no key, which takes the place of the default key's.
     */
    readonly revoke: (
      builderId: string,
      id: string,
      unknown: Hash
    ) => Effect.Effect<Option.Option<StoredApiKey>, StoreUnavailable>
    /** The key and the builder that owns it, also if it is suspended; none for an unknown key. */
    readonly resolve: (
      hash: Hash
    ) => Effect.Effect<
      Option.Option<{ readonly builder: BuilderAccount; readonly key: StoredApiKey }>,
      StoreUnavailable
    >
    /** Notes a use at `atMs` (UNIX milliseconds), unless one of the minute before is noted. Ignores an unknown key. */
    readonly noteUse: (hash: Hash, atMs: number) => Effect.Effect<void, StoreUnavailable>
    /** The builder's default key; none if it has none. */
    readonly of: (builderId: string) => Effect.Effect<Option.Option<StoredApiKey>, StoreUnavailable>
    /** Every key of the builder: the default one first, then the oldest. */
    readonly list: (builderId: string) => Effect.Effect<ReadonlyArray<StoredApiKey>, StoreUnavailable>
  }
>()("sweep/ports/ApiKeys") {}
