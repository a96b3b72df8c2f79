/** Accepts what an owner signed: every check of the spec, in its order, then durable before the answer. */
import { Context, type Effect, Schema } from "effect"
import type { IntentStatus } from "../domain/Intent.ts"
import type { Hash } from "../domain/Hex.ts"
import type { Submission } from "../ports/Intents.ts"
import type { StoreUnavailable } from "../ports/Store.ts"

/** The submission cannot be taken (400, masked): the remedy is a new quote and new signatures. */
export class SubmissionRefused extends Schema.TaggedError<SubmissionRefused>()("SubmissionRefused", {
  reason: Schema.Literals([
    "unknown_quote",
    "expired_quote",
    "already_submitted",
    "screening_blocked",
    "wrong_authorization_chain",
    "wrong_delegate",
    "no_set_code_support",
    "bad_signature",
    "bad_authorization"
  ]),
  detail: Schema.String
}) {
  override get message(): string {
    return `submission refused (${this.reason}): ${this.detail}`
  }
}

export interface Accepted {
  readonly id: string
  readonly status: IntentStatus
  readonly txHash?: Hash
}

export class Intake extends Context.Service<
  Intake,
  {
    readonly submit: (
      submission: Submission & { readonly quoteId: string }
    ) => Effect.Effect<Accepted, SubmissionRefused | StoreUnavailable>
  }
>()("sweep/orchestrator/Intake") {}
