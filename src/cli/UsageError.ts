/** The command cannot do what it was asked to with what it was given; the message says what to change. */
import { Schema } from "effect"

export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}
