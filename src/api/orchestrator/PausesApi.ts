/** The operator's routes about pauses. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ChangeOfPause, PauseView } from "../../domain/Pause.ts"
import { InternalError, NotFound, Unavailable } from "../shared/Errors.ts"
import { JsonBody, OperatorOnly } from "../shared/Middleware.ts"
import * as Docs from "./PausesDocs.ts"

export const Pauses = HttpApiGroup.make("pauses")
  .add(
    HttpApiEndpoint.get("pauses", "/admin/pauses", {
      success: Schema.Array(PauseView),
      error: [Unavailable, InternalError]
    }).annotateMerge(Docs.pauses),
    HttpApiEndpoint.post("changePause", "/admin/pauses", {
      payload: ChangeOfPause,
      success: PauseView,
      error: [NotFound, Unavailable, InternalError]
    })
      .middleware(JsonBody)
      .annotateMerge(Docs.change)
  )
  .middleware(OperatorOnly)
  .annotateMerge(
    OpenApi.annotations({
      description:
        "Pauses of chains, tokens, builders or everything. For the operator, with `Authorization: Bearer <ORCH_ADMIN_TOKEN>`."
    })
  )
