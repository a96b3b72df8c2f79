/** The operator's routes about lanes. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { LaneNotChanged } from "../../api/orchestrator/LanesApi.ts"
import { OrchestratorApi } from "../../api/orchestrator/OrchestratorApi.ts"
import { ChainNotAnswering, NotFound, Unavailable } from "../../api/shared/Errors.ts"
import { LaneDesk, type LaneRefused } from "../../orchestrator/operate/LaneDesk.ts"
import { mask } from "../shared/Masked.ts"
import { ACTOR } from "./Operator.ts"

const notChanged = ({ detail, reason }: LaneRefused) =>
  Effect.fail(new LaneNotChanged({ reason, ...(detail === undefined ? {} : { detail }) }))

const unavailable = mask(() => new Unavailable())

export const lanes = HttpApiBuilder.group(
  OrchestratorApi,
  "lanes",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* LaneDesk
    return handlers
      .handle(
        "lanes",
        Effect.fn("GET /admin/lanes")(() => desk.list, Effect.catchTag("StoreUnavailable", unavailable))
      )
      .handle(
        "change",
        Effect.fn("POST /admin/lanes/:address/state")(
          ({ params: { address }, payload: { reason = "", state } }) =>
            desk.move(address, state, { actor: ACTOR, reason }),
          Effect.catchTags({
            LaneRefused: notChanged,
            UnknownLane: () => Effect.fail(new NotFound()),
            StoreUnavailable: unavailable
          })
        )
      )
      .handle(
        "empty",
        Effect.fn("POST /admin/lanes/:address/rest")(
          ({ params: { address }, payload: { chainId, reason = "", recipient } }) =>
            desk.empty(address, { chainId, recipient }, { actor: ACTOR, reason }),
          Effect.catchTags({
            LaneRefused: notChanged,
            UnknownLane: () => Effect.fail(new NotFound()),
            UnsupportedChain: () => Effect.fail(new NotFound()),
            ChainUnavailable: mask(() => new ChainNotAnswering()),
            StoreUnavailable: unavailable
          })
        )
      )
      .handle(
        "log",
        Effect.fn("GET /admin/log")(() => desk.log, Effect.catchTag("StoreUnavailable", unavailable))
      )
  })
)
