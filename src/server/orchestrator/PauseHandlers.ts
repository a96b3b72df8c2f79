/** The operator's routes about pauses. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { OrchestratorApi } from "../../api/orchestrator/OrchestratorApi.ts"
import { NotFound, Unavailable } from "../../api/shared/Errors.ts"
import { PauseDesk } from "../../orchestrator/operate/PauseDesk.ts"
import { mask } from "../shared/Masked.ts"
import { ACTOR } from "./Operator.ts"

const unavailable = mask(() => new Unavailable())

export const pauses = HttpApiBuilder.group(
  OrchestratorApi,
  "pauses",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* PauseDesk
    return handlers
      .handle(
        "pauses",
        Effect.fn("GET /admin/pauses")(() => desk.list, Effect.catchTag("StoreUnavailable", unavailable))
      )
      .handle(
        "changePause",
        Effect.fn("POST /admin/pauses")(
          ({ payload: { reason = "", state, subject } }) => desk.change(subject, state, { actor: ACTOR, reason }),
          Effect.catchTags({
            UnsupportedChain: () => Effect.fail(new NotFound()),
            StoreUnavailable: unavailable
          })
        )
      )
  })
)
