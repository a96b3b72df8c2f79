/**
 * Error bodies, all `{ "error": … }` (spec, "Errors"). Each class is one status and one body: handlers fail with a value, and
 * the contract encodes it. Reasons that clients must not see are sent as {@link MASKED}.
 */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { described } from "../../domain/Described.ts"
import { QuoteReason } from "../../domain/QuoteReason.ts"

/** Body of every failure whose reason is only logged. */
export const MASKED = "internal error"

/** The fixed text of an error. */
export const code = <const Text extends string>(text: Text) => described(Schema.tag(text), "Fixed text of this error.")

/** 401: the credential is missing or wrong. */
export class Unauthorized extends Schema.Error<Unauthorized>("Unauthorized")(
  { error: code("unauthorized") },
  { httpApiStatus: 401, description: "Missing or wrong credential" }
) {
  readonly _tag = "Unauthorized"
}

/** Value of the header `Sweep-Reason` if sanctions screening did not answer. */
export const SCREENING_UNAVAILABLE = "screening_unavailable"

/** Value of the header `Sweep-Reason` if the service cannot take such a sweep at the moment. */
export const UNAVAILABLE = "unavailable"

/** Meaning of the header `Sweep-Reason`. */
export const SWEEP_REASON =
  "Reason that passes, so that the request may be repeated. `screening_unavailable`: sanctions screening did not answer. `unavailable`: the service cannot take such a sweep at the moment, because a budget is spent, gas costs more than the chain's limit, too many requests wait, or a part of the service does not answer"

const SweepReason = Schema.Literals([SCREENING_UNAVAILABLE, UNAVAILABLE]).annotate({ description: SWEEP_REASON })

/** Headers of a submission or of parties that are refused. Present only if the request may be repeated. */
const refusalHeaders = Schema.Struct({
  "sweep-reason": Schema.optionalKey(SweepReason),
  "retry-after": Schema.optionalKey(
    Schema.Int.annotate({ description: "Seconds after which the request may be repeated" })
  )
})

const headersOf = (refusal: {
  readonly retryAfterSeconds?: number
  readonly isBudgetSpent?: boolean
}): typeof refusalHeaders.Type =>
  refusal.retryAfterSeconds === undefined
    ? {}
    : {
        "sweep-reason": refusal.isBudgetSpent === true ? UNAVAILABLE : SCREENING_UNAVAILABLE,
        "retry-after": refusal.retryAfterSeconds
      }

const refusalOf = ({ headers }: { readonly headers: typeof refusalHeaders.Type }) => {
  const retryAfterSeconds = headers["retry-after"]
  if (retryAfterSeconds === undefined) return {}
  return { retryAfterSeconds, ...(headers["sweep-reason"] === UNAVAILABLE ? { isBudgetSpent: true } : {}) }
}

/**
 * 403: owner or destination did not pass sanctions screening. Never names an address. Use {@link ScreeningRefusedResponse} in
 * contracts: it carries the headers.
 */
export class ScreeningRefused extends Schema.TaggedError<ScreeningRefused>()("ScreeningRefused", {
  /** Set only if screening did not answer: whole seconds after which the request may be repeated. */
  retryAfterSeconds: Schema.optionalKey(Schema.Int)
}) {}

const SCREENING_TEXT = "request blocked by sanctions screening"
const SCREENING_DESCRIPTION =
  "Owner or destination is blocked by sanctions screening. Do not retry without the header `Retry-After`"

export const ScreeningRefusedResponse = ScreeningRefused.pipe(
  HttpApiSchema.encodeToWithHeaders(
    {
      body: Schema.Struct({ error: described(Schema.Literal(SCREENING_TEXT), "Fixed text of this error.") }).annotate({
        identifier: "ScreeningRefused",
        description: SCREENING_DESCRIPTION,
        httpApiStatus: 403
      }),
      headers: refusalHeaders.fields
    },
    {
      decode: (response) => new ScreeningRefused(refusalOf(response)),
      encode: (error) => ({ body: { error: SCREENING_TEXT } as const, headers: headersOf(error) })
    }
  )
).annotate({ description: SCREENING_DESCRIPTION })

/** 404. */
export class NotFound extends Schema.Error<NotFound>("NotFound")(
  { error: code("not found") },
  { httpApiStatus: 404, description: "Unknown id" }
) {
  readonly _tag = "NotFound"
}

/** 409: the `Idempotency-Key` was used for a request with another body. */
export class IdempotencyKeyReused extends Schema.Error<IdempotencyKeyReused>("IdempotencyKeyReused")(
  { error: code("idempotency key was used with another request") },
  { httpApiStatus: 409, description: "The idempotency key was used for another request" }
) {
  readonly _tag = "IdempotencyKeyReused"
}

/** 409: the first request with the `Idempotency-Key` is in progress. Sent with `Retry-After`. */
export class IdempotencyKeyInUse extends Schema.Error<IdempotencyKeyInUse>("IdempotencyKeyInUse")(
  { error: code("a request with this idempotency key is in progress") },
  { httpApiStatus: 409, description: "The first request with the idempotency key is in progress" }
) {
  readonly _tag = "IdempotencyKeyInUse"
}

/** 413. */
export class BodyTooLarge extends Schema.Error<BodyTooLarge>("BodyTooLarge")(
  { error: code("request body too large") },
  { httpApiStatus: 413, description: "The body is longer than 64 KiB" }
) {
  readonly _tag = "BodyTooLarge"
}

/** 422: the body is not JSON. */
export class InvalidJsonBody extends Schema.Error<InvalidJsonBody>("InvalidJsonBody")(
  { error: code("invalid JSON body") },
  { httpApiStatus: 422, description: "The body is not valid JSON" }
) {
  readonly _tag = "InvalidJsonBody"
}

/** 422: the request does not match the contract. Not masked. */
export class ValidationFailed extends Schema.Error<ValidationFailed>("ValidationFailed")(
  {
    error: Schema.String.annotate({
      description: "Every problem found, each naming its field, joined with '; '",
      examples: [
        "owner: expected an address: 0x followed by 40 hex digits; amountIn: expected a non-negative integer as a decimal string"
      ]
    })
  },
  { httpApiStatus: 422, description: "Fields are missing or malformed" }
) {
  readonly _tag = "ValidationFailed"
}

const masked = { error: code(MASKED) }

/** 400, masked: a submission that is not accepted. Use {@link RefusedResponse} in contracts: it carries the headers. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  /** Set only if the same submission can be accepted later: whole seconds after which it may be repeated. */
  retryAfterSeconds: Schema.optionalKey(Schema.Int),
  /** True if a budget has no room for the sweep. Otherwise sanctions screening did not answer. */
  isBudgetSpent: Schema.optionalKey(Schema.Boolean)
}) {}

const REFUSED_DESCRIPTION =
  "The submission is not accepted. Without the header `Retry-After`, request a new quote and sign again"

export const RefusedResponse = Refused.pipe(
  HttpApiSchema.encodeToWithHeaders(
    {
      body: Schema.Struct({ error: described(Schema.Literal(MASKED), "Fixed text of this error.") }).annotate({
        identifier: "Refused",
        description: REFUSED_DESCRIPTION,
        httpApiStatus: 400
      }),
      headers: refusalHeaders.fields
    },
    {
      decode: (response) => new Refused(refusalOf(response)),
      encode: (error) => ({ body: { error: MASKED } as const, headers: headersOf(error) })
    }
  )
).annotate({ description: REFUSED_DESCRIPTION })

/** 422, masked: the request is well formed and cannot be served. Use {@link UnprocessableResponse} in contracts. */
export class Unprocessable extends Schema.TaggedError<Unprocessable>()("Unprocessable", {
  /** Absent in responses of releases that did not send it. */
  reason: Schema.optionalKey(QuoteReason),
  /** Set only if a budget has no room for the sweep: whole seconds after which the request may be repeated. */
  retryAfterSeconds: Schema.optionalKey(Schema.Int)
}) {}

const quoteHeaders = Schema.Struct({
  "sweep-reason": Schema.optionalKey(
    // Without the identifier: a reference to a component has no description.
    Schema.Literals(QuoteReason.literals).annotate({
      description: "Reason for which there is no quote, as `reason` of `POST /quotes`"
    })
  ),
  "retry-after": Schema.optionalKey(
    Schema.Int.annotate({
      description: "Seconds after which the request may be repeated. Absent if it would be refused again"
    })
  )
})

const UNPROCESSABLE_DESCRIPTION =
  "No quote can be made. The header `Sweep-Reason` has the reason. Do not repeat the request without the header `Retry-After`"

export const UnprocessableResponse = Unprocessable.pipe(
  HttpApiSchema.encodeToWithHeaders(
    {
      body: Schema.Struct({ error: described(Schema.Literal(MASKED), "Fixed text of this error.") }).annotate({
        identifier: "Unprocessable",
        description: UNPROCESSABLE_DESCRIPTION,
        httpApiStatus: 422
      }),
      headers: quoteHeaders.fields
    },
    {
      decode: ({ headers: { "retry-after": retryAfterSeconds, "sweep-reason": reason } }) =>
        new Unprocessable({
          ...(reason === undefined ? {} : { reason }),
          ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
        }),
      encode: ({ reason, retryAfterSeconds }) => ({
        body: { error: MASKED } as const,
        headers: {
          ...(reason === undefined ? {} : { "sweep-reason": reason }),
          ...(retryAfterSeconds === undefined ? {} : { "retry-after": retryAfterSeconds })
        }
      })
    }
  )
).annotate({ description: UNPROCESSABLE_DESCRIPTION })

/** 500, masked. */
export class InternalError extends Schema.Error<InternalError>("InternalError")(masked, {
  httpApiStatus: 500,
  description: "An unexpected failure"
}) {
  readonly _tag = "InternalError"
}

/** 502, masked: an upstream provider failed. */
export class UpstreamFailed extends Schema.Error<UpstreamFailed>("UpstreamFailed")(masked, {
  httpApiStatus: 502,
  description: "An upstream provider failed"
}) {
  readonly _tag = "UpstreamFailed"
}

/** 503, masked: the database does not answer, or the request waited or took too long. Sent with `Retry-After`. */
export class Unavailable extends Schema.Error<Unavailable>("Unavailable")(masked, {
  httpApiStatus: 503,
  description:
    "The database does not answer, or the request waited or took too long. Retry after the seconds in `Retry-After`"
}) {
  readonly _tag = "Unavailable"
}

/** 503: the nodes of a chain that the request needs do not answer, or its base fee is above the limit. Sent with `Retry-After`. */
export class ChainNotAnswering extends Schema.Error<ChainNotAnswering>("ChainNotAnswering")(
  { error: code("chain unavailable") },
  {
    httpApiStatus: 503,
    description:
      "A chain that the request needs does not answer, or its base fee is above the chain's limit. Retry later"
  }
) {
  readonly _tag = "ChainNotAnswering"
}

/** 429. Use {@link RateLimitExceededResponse} in contracts: it carries `Retry-After`. */
export class RateLimitExceeded extends Schema.TaggedError<RateLimitExceeded>()("RateLimitExceeded", {
  /** Whole seconds until the window resets. Minimum: 1. */
  retryAfterSeconds: Schema.Int
}) {}

export const RateLimitExceededBody = Schema.Struct({
  error: described(Schema.Literal("rate limit exceeded"), "Fixed text of this error.")
}).annotate({
  identifier: "RateLimitExceeded",
  description: "More requests than the window allows from one client",
  httpApiStatus: 429
})

export const RateLimitExceededResponse = RateLimitExceeded.pipe(
  HttpApiSchema.encodeToWithHeaders(
    {
      body: RateLimitExceededBody,
      headers: {
        "retry-after": Schema.Int.annotate({ description: "Seconds until the window resets" })
      }
    },
    {
      decode: ({ headers }) => new RateLimitExceeded({ retryAfterSeconds: headers["retry-after"] }),
      encode: ({ retryAfterSeconds }) => ({
        body: { error: "rate limit exceeded" as const },
        headers: { "retry-after": retryAfterSeconds }
      })
    }
  )
).annotate({ description: "More requests than the window allows from one client" })
