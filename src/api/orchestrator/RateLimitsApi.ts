/** The operator's routes about the orchestrator's rate limit. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { changeOf, RateLimitView } from "../../domain/RateLimit.ts"
import { malformedBody } from "../shared/ErrorTable.ts"
import { InternalError, Unavailable } from "../shared/Errors.ts"
import { JsonBody, OperatorOnly } from "../shared/Middleware.ts"
import * as Docs from "../shared/RateLimitsDocs.ts"

const POLICY = "orchestrator"

export const RateLimits = HttpApiGroup.make("rateLimits")
  .add(
    HttpApiEndpoint.get("rateLimits", "/admin/rate-limits", {
      success: Schema.Array(RateLimitView),
      error: [Unavailable, InternalError]
    }).annotateMerge(Docs.list(POLICY)),
    HttpApiEndpoint.post("changeRateLimit", "/admin/rate-limits", {
      payload: changeOf(Schema.Literal(POLICY)),
      success: RateLimitView,
      error: [Unavailable, InternalError]
    })
      .middleware(JsonBody)
      .annotateMerge(Docs.change(POLICY, malformedBody))
  )
  .middleware(OperatorOnly)
  .annotateMerge(
    OpenApi.annotations({
      description:
        "Requests of each client in a window. For the operator, with `Authorization: Bearer <ORCH_ADMIN_TOKEN>`."
    })
  )
