/** Sweeps of a signed-in builder. */
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { BuilderApi } from "../../api/builder/BuilderApi.ts"
import { CurrentSession } from "../../api/builder/Middleware.ts"
import { everyDay, startOfDay, successRateBps } from "../../domain/Sweep.ts"
import { Sweeps } from "../../ports/builder/Sweeps.ts"
import * as Failures from "./Failures.ts"
import * as OwnData from "./OwnData.ts"

const DEFAULT_DAYS = 30

export const sweeps = HttpApiBuilder.group(
  BuilderApi,
  "sweeps",
  Effect.fnUntraced(function* (handlers) {
    const data = yield* OwnData.make
    const store = yield* Sweeps
    const builderId = Effect.map(CurrentSession, (session) => session.builder.id)
    return handlers
      .handle(
        "sweeps",
        Effect.fn("GET /me/sweeps")(function* ({ query }) {
          return yield* data.sweeps(yield* builderId, query)
        }, Effect.catchTags(Failures.store))
      )
      .handle(
        "sweep",
        Effect.fn("GET /me/sweeps/:id")(function* ({ params }) {
          return yield* data.sweep(yield* builderId, params.id)
        }, Effect.catchTags(Failures.store))
      )
      .handle(
        "overview",
        Effect.fn("GET /me/overview")(function* ({ query: { days = DEFAULT_DAYS } }) {
          const toMs = yield* Clock.currentTimeMillis
          const fromMs = startOfDay(toMs, days - 1)
          const totals = yield* store.totals(yield* builderId, { fromMs, toMs })
          const { delivered, failed, settled_source, submitted } = totals.counts
          const inFlight = submitted + settled_source
          return {
            fromMs,
            toMs,
            sweeps: inFlight + delivered + failed,
            inFlight,
            delivered,
            failed,
            successRateBps: successRateBps(totals.counts) ?? null,
            volume: totals.volume,
            byDay: everyDay(totals.days, fromMs, toMs)
          }
        }, Effect.catchTags(Failures.store))
      )
  })
)
