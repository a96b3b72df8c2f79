/** The operator's routes about RPC endpoints. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { described } from "../../domain/Described.ts"
import { ChangeOfEndpoints, EndpointRefusal, EndpointsView } from "../../domain/EndpointChoice.ts"
import { code, InternalError, NotFound, Unavailable } from "../shared/Errors.ts"
import { JsonBody, OperatorOnly } from "../shared/Middleware.ts"
import * as Docs from "./EndpointsDocs.ts"

/** 409: the endpoints cannot be changed as asked. */
export class EndpointsNotChanged extends Schema.Error<EndpointsNotChanged>("EndpointsNotChanged")(
  {
    error: code("endpoints_not_changed"),
    reason: described(EndpointRefusal, "Reason, as a code."),
    detail: Schema.String.annotate({
      description: "Reason, for people. Names endpoints by their hosts.",
      examples: ["rpc.example.org: it serves chain 1, not 8453"]
    })
  },
  { httpApiStatus: 409, description: "The endpoints cannot be changed as asked" }
) {
  readonly _tag = "EndpointsNotChanged"
}

export const Endpoints = HttpApiGroup.make("endpoints")
  .add(
    HttpApiEndpoint.get("endpoints", "/admin/endpoints", {
      success: Schema.Array(EndpointsView),
      error: [Unavailable, InternalError]
    }).annotateMerge(Docs.endpoints),
    HttpApiEndpoint.post("changeEndpoints", "/admin/endpoints", {
      payload: ChangeOfEndpoints,
      success: EndpointsView,
      error: [NotFound, EndpointsNotChanged, Unavailable, InternalError]
    })
      .middleware(JsonBody)
      .annotateMerge(Docs.change)
  )
  .middleware(OperatorOnly)
  .annotateMerge(
    OpenApi.annotations({
      description: "RPC endpoints of chains. For the operator, with `Authorization: Bearer <ORCH_ADMIN_TOKEN>`."
    })
  )
