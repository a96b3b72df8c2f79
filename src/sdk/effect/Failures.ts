/** Failures of the Effect client that the contract does not have, as tagged errors. */
import { Effect, Schema } from "effect"
import {
  failureMessage,
  NothingToSweepError,
  OrderMismatchError,
  QuoteExpiredError,
  SigningError
} from "../model/Errors.ts"
import type { LastFailure, TaggedFailure } from "./Retrying.ts"

const Mismatches = Schema.Array(
  Schema.Struct({ field: Schema.String, detail: Schema.String, limit: Schema.optionalKey(Schema.Literal(true)) })
)

/** The order differs from the request. Nothing was signed. */
export class OrderMismatch extends Schema.TaggedError<OrderMismatch>()("OrderMismatch", {
  mismatches: Mismatches,
  message: Schema.String
}) {}

/** No token is left to sweep. Nothing was signed. */
export class NothingToSweep extends Schema.TaggedError<NothingToSweep>()("NothingToSweep", {
  leftOut: Schema.Array(
    Schema.Struct({ chainId: Schema.Int, token: Schema.String, reason: Schema.String, mismatches: Mismatches })
  ),
  message: Schema.String
}) {}

/** The quote expired before the wallet was asked. Nothing was signed. */
export class QuoteExpired extends Schema.TaggedError<QuoteExpired>()("QuoteExpired", {
  quoteIds: Schema.Array(Schema.String),
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

/**
 * The wallet signed, and a later step of `sweep` failed with `cause`. The sweep may still be executed, so the same call could sweep a second
 * time. Wait for the first one, by the id of its quote.
 */
export class SweepUnfinished extends Schema.TaggedError<SweepUnfinished>()("SweepUnfinished", {
  quoteIds: Schema.Array(Schema.String),
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `do not sign sweep ${this.quoteIds} again: ${this.cause}`
  }
}

/** Failures of a submission of which the service stored nothing. */
const REFUSALS = ["BodyTooLarge", "InvalidJsonBody", "RateLimitExceeded", "ValidationFailed"] as const

type Refusal<E> = Extract<E, { readonly _tag: (typeof REFUSALS)[number] }>

const isRefusal = <E extends TaggedFailure>(error: E): error is Refusal<E> =>
  REFUSALS.some((refusal) => refusal === error._tag)

/** Keeps a refusal of the submission. Every other failure, or an earlier attempt with an unknown outcome, is {@link SweepUnfinished}. */
export const asUnfinishedUnlessRefused =
  (quoteId: string) =>
  <A, E extends TaggedFailure, R>(
    submission: Effect.Effect<A, LastFailure<E>, R>
  ): Effect.Effect<A, SweepUnfinished | Refusal<E>, R> =>
    Effect.mapError(submission, ({ error, wasUnknown }) =>
      !wasUnknown && isRefusal(error) ? error : new SweepUnfinished({ quoteIds: [quoteId], cause: error })
    )

/** Replaces every failure of the steps after an accepted submission by {@link SweepUnfinished}. */
export const asUnfinished =
  (quoteId: string) =>
  <A, E, R>(steps: Effect.Effect<A, E, R>): Effect.Effect<A, SweepUnfinished, R> =>
    Effect.mapError(steps, (cause) => new SweepUnfinished({ quoteIds: [quoteId], cause }))

/** Fails with {@link OrderMismatch} where the review throws, and dies of any other error. */
export const asOrderMismatch = (error: unknown): Effect.Effect<never, OrderMismatch> =>
  error instanceof OrderMismatchError
    ? Effect.fail(new OrderMismatch({ mismatches: error.mismatches, message: error.message }))
    : Effect.die(error)

/** Fails with {@link OrderMismatch} or {@link NothingToSweep} where the review of a batch throws, and dies of any other error. */
export const asBatchRefused = (error: unknown): Effect.Effect<never, OrderMismatch | NothingToSweep> =>
  error instanceof NothingToSweepError
    ? Effect.fail(new NothingToSweep({ leftOut: error.leftOut, message: error.message }))
    : asOrderMismatch(error)

/** Fails with {@link QuoteExpired} or {@link SigningFailed} where signing rejects, and dies of any other error. */
export const asNotSigned = (error: unknown): Effect.Effect<never, QuoteExpired | SigningFailed> => {
  if (error instanceof QuoteExpiredError) {
    return Effect.fail(new QuoteExpired({ quoteIds: error.quoteIds, message: error.message }))
  }
  return error instanceof SigningError
    ? Effect.fail(new SigningFailed({ code: error.code, message: error.message }))
    : Effect.die(error)
}
