/** The operator's routes about RPC endpoints. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { EndpointsNotChanged } from "../../api/orchestrator/EndpointsApi.ts"
import { OrchestratorApi } from "../../api/orchestrator/OrchestratorApi.ts"
import { NotFound, Unavailable } from "../../api/shared/Errors.ts"
import { EndpointDesk } from "../../orchestrator/operate/EndpointDesk.ts"
import { mask } from "../shared/Masked.ts"
import { ACTOR } from "./Operator.ts"

const unavailable = mask(() => new Unavailable())

export const endpoints = HttpApiBuilder.group(
  OrchestratorApi,
  "endpoints",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* EndpointDesk
    return handlers
      .handle(
        "endpoints",
        Effect.fn("GET /admin/endpoints")(() => desk.list, Effect.catchTag("StoreUnavailable", unavailable))
      )
      .handle(
        "changeEndpoints",
        Effect.fn("POST /admin/endpoints")(
          ({ payload }) => desk.change(payload, ACTOR),
          Effect.catchTags({
            EndpointsRefused: ({ detail, reason }) => Effect.fail(new EndpointsNotChanged({ detail, reason })),
            UnsupportedChain: () => Effect.fail(new NotFound()),
            StoreUnavailable: unavailable
          })
        )
      )
  })
)
