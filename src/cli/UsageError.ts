/** The arguments or settings of the command are wrong. The message says what to change. */
import { Schema } from "effect"

export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}
