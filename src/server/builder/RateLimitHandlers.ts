/** The operator's routes about the backend's rate limits. */
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { BuilderApi } from "../../api/builder/BuilderApi.ts"
import { CurrentOperator } from "../../api/builder/Middleware.ts"
import { BUILDER_POLICIES } from "../../domain/RateLimit.ts"
import { RateLimitDesk } from "../shared/RateLimitDesk.ts"
import * as Failures from "./Failures.ts"

const group = HttpApiBuilder.group(
  BuilderApi,
  "rateLimits",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* RateLimitDesk
    return handlers
      .handle(
        "rateLimits",
        Effect.fn("GET /admin/rate-limits")(() => desk.list, Effect.catchTags(Failures.store))
      )
      .handle(
        "changeRateLimit",
        Effect.fn("POST /admin/rate-limits")(function* ({ payload: { policy, reason = "", requests } }) {
          const { name } = yield* CurrentOperator
          return yield* desk.change(policy, requests, { actor: name, reason })
        }, Effect.catchTags(Failures.store))
      )
  })
)

export const rateLimits = group.pipe(Layer.provide(RateLimitDesk.layer(BUILDER_POLICIES)))
