/** The operator's routes about the orchestrator's rate limit. */
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { OrchestratorApi } from "../../api/orchestrator/OrchestratorApi.ts"
import { Unavailable } from "../../api/shared/Errors.ts"
import { mask } from "../shared/Masked.ts"
import { RateLimitDesk } from "../shared/RateLimitDesk.ts"
import { ACTOR } from "./Operator.ts"

const unavailable = mask(() => new Unavailable())

const group = HttpApiBuilder.group(
  OrchestratorApi,
  "rateLimits",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* RateLimitDesk
    return handlers
      .handle(
        "rateLimits",
        Effect.fn("GET /admin/rate-limits")(() => desk.list, Effect.catchTag("StoreUnavailable", unavailable))
      )
      .handle(
        "changeRateLimit",
        Effect.fn("POST /admin/rate-limits")(
          ({ payload: { policy, reason = "", requests } }) => desk.change(policy, requests, { actor: ACTOR, reason }),
          Effect.catchTag("StoreUnavailable", unavailable)
        )
      )
  })
)

export const rateLimits = group.pipe(Layer.provide(RateLimitDesk.layer(["orchestrator"])))
