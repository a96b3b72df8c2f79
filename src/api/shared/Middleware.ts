/** Middleware that the contracts of both services name; servers implement it, clients only see its errors. */
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { RateLimitExceededResponse, Unauthorized, ValidationFailed } from "./Errors.ts"

/** The windows that requests are counted in. Endpoints of one policy share one window per client. */
export type RateLimitPolicy = "orchestrator" | "attribution" | "signup" | "builder"

/** Annotates an endpoint, or a group, with the window that it counts in. */
export class CountedIn extends Context.Service<CountedIn, RateLimitPolicy>()("sweep/api/CountedIn") {}

/** Counts the request before anything else is done with it. Needs {@link CountedIn} on the endpoint or its group. */
export class RateLimited extends HttpApiMiddleware.Service<RateLimited>()("sweep/api/RateLimited", {
  error: RateLimitExceededResponse
}) {}

/** Answers malformed path and query parameters with 422 and every problem found. */
export class Validated extends HttpApiMiddleware.Service<Validated>()("sweep/api/Validated", {
  error: ValidationFailed
}) {}

/** `Authorization: Bearer <token>` of the operator, compared in constant time (spec, "Authentication"). */
export class OperatorOnly extends HttpApiMiddleware.Service<OperatorOnly>()("sweep/api/OperatorOnly", {
  error: Unauthorized,
  security: {
    operatorToken: HttpApiSecurity.bearer.pipe(
      HttpApiSecurity.annotateMerge(OpenApi.annotations({ description: "The service's admin token" }))
    )
  }
}) {}
