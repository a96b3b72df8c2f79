/** What the single sign-on gateway in front of the admin console says about who is asking. */
import { Context, type Effect, Schema } from "effect"

/** Absent, malformed, expired, for another service, or signed by somebody else; or the gateway's keys are unreachable. */
export class AssertionRejected extends Schema.TaggedError<AssertionRejected>()("AssertionRejected", {
  detail: Schema.String
}) {
  override get message(): string {
    return `gateway assertion rejected: ${this.detail}`
  }
}

export class OperatorAssertions extends Context.Service<
  OperatorAssertions,
  {
    /** The operator that a signed assertion names. */
    readonly verify: (assertion: string) => Effect.Effect<{ readonly operator: string }, AssertionRejected>
  }
>()("sweep/ports/OperatorAssertions") {}
