/** The one expected failure of every durable store. */
import { Schema } from "effect"

/** The database cannot be reached or refused to work: nothing was changed, or (after a lost commit) it is unknown. */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()(
  "StoreUnavailable",
  { operation: Schema.String, detail: Schema.String },
  { httpApiStatus: 503 }
) {
  override get message(): string {
    return `store unavailable during ${this.operation}: ${this.detail}`
  }
}
