/** Middleware in the contracts of both services. Servers implement it, and clients see only its errors. */
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import type { RateLimitPolicy } from "../../domain/RateLimit.ts"
import {
  BodyTooLarge,
  IdempotencyKeyInUse,
  IdempotencyKeyReused,
  InvalidJsonBody,
  RateLimitExceededResponse,
  Unauthorized,
  Unavailable,
  ValidationFailed
} from "./Errors.ts"

/** Annotates an endpoint or a group with its policy. */
export class CountedIn extends Context.Service<CountedIn, RateLimitPolicy>()("sweep/api/CountedIn") {}

/** Counts the request first. Needs {@link CountedIn} on the endpoint or its group. */
export class RateLimited extends HttpApiMiddleware.Service<RateLimited>()("sweep/api/RateLimited", {
  error: RateLimitExceededResponse
}) {}

/** Answers malformed path and query parameters with 422 and every problem found. */
export class Validated extends HttpApiMiddleware.Service<Validated>()("sweep/api/Validated", {
  error: ValidationFailed
}) {}

/** Annotates an endpoint with its body limit in bytes. Default: the service's `maxBodyBytes`. */
export class BodyLimit extends Context.Service<BodyLimit, number>()("sweep/api/BodyLimit") {}

/** Answers a malformed body with 422 and every problem found, as text. */
export class JsonBody extends HttpApiMiddleware.Service<JsonBody>()("sweep/api/JsonBody", {
  error: [InvalidJsonBody, ValidationFailed, BodyTooLarge]
}) {}

/** Attempt of a request with an `Idempotency-Key`. */
export class Attempt extends Context.Service<
  Attempt,
  {
    /** An earlier attempt at the same request may have succeeded without its client learning of it. */
    readonly resumed: boolean
  }
>()("sweep/api/Attempt") {}

/** Errors of the key and of its body. */
const keyErrors = [InvalidJsonBody, ValidationFailed, BodyTooLarge, IdempotencyKeyReused, IdempotencyKeyInUse] as const

/** Takes an `Idempotency-Key` for a quote. Must surround {@link JsonBody}: malformed bodies are replayed too. */
export class IdempotentQuote extends HttpApiMiddleware.Service<IdempotentQuote, { provides: Attempt }>()(
  "sweep/api/IdempotentQuote",
  { error: [...keyErrors, Unavailable] }
) {}

/** Takes an `Idempotency-Key` for a submission. Must surround {@link JsonBody}: malformed bodies are replayed too. */
export class IdempotentSubmission extends HttpApiMiddleware.Service<IdempotentSubmission, { provides: Attempt }>()(
  "sweep/api/IdempotentSubmission",
  { error: [...keyErrors, Unavailable] }
) {}

/** `Authorization: Bearer <token>` of the operator, compared in constant time (spec, "Authentication"). */
export class OperatorOnly extends HttpApiMiddleware.Service<OperatorOnly>()("sweep/api/OperatorOnly", {
  error: [Unauthorized, RateLimitExceededResponse],
  security: {
    operatorToken: HttpApiSecurity.bearer.pipe(
      HttpApiSecurity.annotateMerge(OpenApi.annotations({ description: "The service's admin token" }))
    )
  }
}) {}
