/** The operator's routes about the backend's rate limits. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { BUILDER_POLICIES, changeOf, RateLimitView } from "../../domain/RateLimit.ts"
import { bodyTooLarge } from "../shared/ErrorTable.ts"
import { InternalError, Unavailable } from "../shared/Errors.ts"
import * as Docs from "../shared/RateLimitsDocs.ts"
import { InvalidRequest } from "./Errors.ts"
import { ConsoleOnly, DetailedBody, SameSiteOnly, StructurallyValidated } from "./Middleware.ts"

const POLICY = "builder"

const failures = [Unavailable, InternalError] as const

export const RateLimits = HttpApiGroup.make("rateLimits")
  .add(
    HttpApiEndpoint.get("rateLimits", "/admin/rate-limits", {
      success: Schema.Array(RateLimitView),
      error: failures
    }).annotateMerge(Docs.list(POLICY)),
    HttpApiEndpoint.post("changeRateLimit", "/admin/rate-limits", {
      payload: changeOf(Schema.Literals(BUILDER_POLICIES)),
      success: RateLimitView,
      error: [InvalidRequest, ...failures]
    })
      .middleware(DetailedBody)
      .annotateMerge(
        Docs.change(POLICY, [
          bodyTooLarge,
          [422, '{ "message", "issues": [{ "path", "message" }] }', "every problem of the request"]
        ])
      )
  )
  .middleware(StructurallyValidated)
  .middleware(SameSiteOnly)
  .middleware(ConsoleOnly)
  .annotateMerge(
    OpenApi.annotations({
      description:
        "Requests of each client in a window. For operators, as the admin console. Every change is in the audit log."
    })
  )
