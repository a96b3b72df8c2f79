/** The expected failure of every durable store. */
import { Context, Effect, Schema } from "effect"

/**
 * The database cannot be reached, or it refused to work. Nothing was changed, except after a lost commit, when the
 * outcome is unknown. Retry operations that are idempotent.
 */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()(
  "StoreUnavailable",
  { operation: Schema.String, detail: Schema.String },
  { httpApiStatus: 503 }
) {
  override get message(): string {
    return `store unavailable during ${this.operation}: ${this.detail}`
  }
}

/** Writes to the store, which shows that it is reachable and writable. Default: succeeds. */
export const StoreProbe = Context.Reference<Effect.Effect<void, StoreUnavailable>>("sweep/ports/StoreProbe", {
  defaultValue: () => Effect.void
})

/** Reads the time of the store's server, in UNIX milliseconds. Undefined without a server. Default: there is none. */
export const DatabaseTime = Context.Reference<Effect.Effect<number | undefined, StoreUnavailable>>(
  "sweep/ports/DatabaseTime",
  { defaultValue: () => Effect.undefined }
)
