/** The operator's routes about lanes. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Address, NonZeroAddress } from "../../domain/Address.ts"
import { ChainId } from "../../domain/ChainId.ts"
import { described } from "../../domain/Described.ts"
import { LaneRefusal, LaneTransfer, LaneView, OperatorRecord } from "../../domain/LaneState.ts"
import { ChainNotAnswering, code, InternalError, NotFound, Unavailable } from "../shared/Errors.ts"
import { JsonBody, OperatorOnly, Validated } from "../shared/Middleware.ts"
import * as Docs from "./LanesDocs.ts"

/** 409: the lane cannot be changed as asked. */
export class LaneNotChanged extends Schema.Error<LaneNotChanged>("LaneNotChanged")(
  {
    error: code("lane_not_changed"),
    reason: described(LaneRefusal, "Reason, as a code."),
    detail: described(
      Schema.optionalKey(Schema.String),
      "What is in the way and what to do, for people. Absent if the code says it."
    )
  },
  { httpApiStatus: 409, description: "The lane cannot be changed as asked" }
) {
  readonly _tag = "LaneNotChanged"
}

const lane = { address: described(Address, "Account of the lane.") }

/** Text of an operator, for the record. */
const Reason = Schema.String.check(Schema.isMaxLength(200))

const ChangeOfLane = Schema.Struct({
  state: described(Schema.Literals(["active", "draining", "retired"]), "New state."),
  reason: described(Schema.optionalKey(Reason), "Reason of the change, for the record. Default: none.")
}).annotate({ identifier: "LaneChange" })

const RestOfLane = Schema.Struct({
  chainId: described(ChainId, "Chain."),
  recipient: described(
    NonZeroAddress,
    "Account that receives the rest: another active lane, or one of `LANE_REST_RECIPIENTS`."
  ),
  reason: described(Schema.optionalKey(Reason), "Reason of the transfer, for the record. Default: none.")
}).annotate({ identifier: "LaneRest" })

export const Lanes = HttpApiGroup.make("lanes")
  .add(
    HttpApiEndpoint.get("lanes", "/admin/lanes", {
      success: Schema.Array(LaneView),
      error: [Unavailable, InternalError]
    }).annotateMerge(Docs.lanes),
    HttpApiEndpoint.post("change", "/admin/lanes/:address/state", {
      params: lane,
      payload: ChangeOfLane,
      success: LaneView,
      error: [NotFound, LaneNotChanged, Unavailable, InternalError]
    })
      .middleware(JsonBody)
      .middleware(Validated)
      .annotateMerge(Docs.change),
    HttpApiEndpoint.post("empty", "/admin/lanes/:address/rest", {
      params: lane,
      payload: RestOfLane,
      success: LaneTransfer,
      error: [NotFound, LaneNotChanged, ChainNotAnswering, Unavailable, InternalError]
    })
      .middleware(JsonBody)
      .middleware(Validated)
      .annotateMerge(Docs.empty),
    HttpApiEndpoint.get("log", "/admin/log", {
      success: Schema.Array(OperatorRecord),
      error: [Unavailable, InternalError]
    }).annotateMerge(Docs.log)
  )
  .middleware(OperatorOnly)
  .annotateMerge(
    OpenApi.annotations({
      description: "Accounts of the relayer. For the operator, with `Authorization: Bearer <ORCH_ADMIN_TOKEN>`."
    })
  )
