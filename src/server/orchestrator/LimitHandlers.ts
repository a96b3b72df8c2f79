/** The operator's routes about limits. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { OrchestratorApi } from "../../api/orchestrator/OrchestratorApi.ts"
import { NotFound, Unavailable } from "../../api/shared/Errors.ts"
import { LimitDesk } from "../../orchestrator/operate/LimitDesk.ts"
import { mask } from "../shared/Masked.ts"
import { ACTOR } from "./Operator.ts"

const unavailable = mask(() => new Unavailable())

export const limits = HttpApiBuilder.group(
  OrchestratorApi,
  "limits",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* LimitDesk
    return handlers
      .handle(
        "limits",
        Effect.fn("GET /admin/limits")(() => desk.list, Effect.catchTag("StoreUnavailable", unavailable))
      )
      .handle(
        "changeLimit",
        Effect.fn("POST /admin/limits")(
          ({ payload: { reason = "", subject, wei } }) => desk.change(subject, wei, { actor: ACTOR, reason }),
          Effect.catchTags({
            UnsupportedChain: () => Effect.fail(new NotFound()),
            StoreUnavailable: unavailable
          })
        )
      )
  })
)
