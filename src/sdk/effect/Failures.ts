/** Failures of the Effect client that the contract does not have, as tagged errors. */
import { Effect, Schema } from "effect"
import { failureMessage, OrderMismatchError, SigningError } from "../model/Errors.ts"

/** The order differs from the request. Nothing was signed. */
export class OrderMismatch extends Schema.TaggedError<OrderMismatch>()("OrderMismatch", {
  mismatches: Schema.Array(Schema.Struct({ field: Schema.String, detail: Schema.String })),
  message: Schema.String
}) {}

/** The wallet refused to sign, or returned a signature that is not the owner's. */
export class SigningFailed extends Schema.TaggedError<SigningFailed>()("SigningFailed", {
  code: Schema.Literals(["signing_refused", "wrong_signer", "unsupported_wallet"]),
  message: Schema.String
}) {}

/** `confirm` returned false. Nothing was signed. */
export class Declined extends Schema.TaggedError<Declined>()("Declined", {}) {}

/** The sweep ended without delivery. */
export class SweepFailed extends Schema.TaggedError<SweepFailed>()("SweepFailed", {
  id: Schema.String,
  failureReason: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return failureMessage(this)
  }
}

/** Fails with {@link OrderMismatch} where the review throws, and dies of any other error. */
export const asOrderMismatch = (error: unknown): Effect.Effect<never, OrderMismatch> =>
  error instanceof OrderMismatchError
    ? Effect.fail(new OrderMismatch({ mismatches: error.mismatches, message: error.message }))
    : Effect.die(error)

/** Fails with {@link SigningFailed} where signing rejects, and dies of any other error. */
export const asSigningFailed = (error: unknown): Effect.Effect<never, SigningFailed> =>
  error instanceof SigningError
    ? Effect.fail(new SigningFailed({ code: error.code, message: error.message }))
    : Effect.die(error)
