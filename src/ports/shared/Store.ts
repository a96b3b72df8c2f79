/** The expected failure of every durable store. */
import { Schema } from "effect"

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
