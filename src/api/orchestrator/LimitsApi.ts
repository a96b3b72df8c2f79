/** The operator's routes about limits. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ChangeOfLimit, LimitView } from "../../domain/Limit.ts"
import { InternalError, NotFound, Unavailable } from "../shared/Errors.ts"
import { JsonBody, OperatorOnly } from "../shared/Middleware.ts"
import * as Docs from "./LimitsDocs.ts"

export const Limits = HttpApiGroup.make("limits")
  .add(
    HttpApiEndpoint.get("limits", "/admin/limits", {
      success: Schema.Array(LimitView),
      error: [Unavailable, InternalError]
    }).annotateMerge(Docs.limits),
    HttpApiEndpoint.post("changeLimit", "/admin/limits", {
      payload: ChangeOfLimit,
      success: LimitView,
      error: [NotFound, Unavailable, InternalError]
    })
      .middleware(JsonBody)
      .annotateMerge(Docs.change)
  )
  .middleware(OperatorOnly)
  .annotateMerge(
    OpenApi.annotations({
      description:
        "Limits of chains for gas and losses. For the operator, with `Authorization: Bearer <ORCH_ADMIN_TOKEN>`."
    })
  )
