/** Verifies assertions of the single sign-on gateway in front of the admin console. */
import { Context, type Effect, Schema } from "effect"

/**
 * The assertion is absent, malformed, expired, issued for another service or signed by another key, or the gateway's
 * keys cannot be fetched.
 */
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
    /** Checks the assertion (a JWT) and returns the operator that it names. */
    readonly verify: (assertion: string) => Effect.Effect<{ readonly operator: string }, AssertionRejected>
  }
>()("sweep/ports/OperatorAssertions") {}
