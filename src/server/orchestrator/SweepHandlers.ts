/** Handlers of the sweeps of many tokens. Their clients see the reason of a refusal. */
import { Duration, Effect, Option } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { OrchestratorApi } from "../../api/orchestrator/OrchestratorApi.ts"
import { PAGE, SweepPostponed, SweepRefused } from "../../api/orchestrator/SweepApi.ts"
import { NotFound, SCREENING_UNAVAILABLE, Unavailable, UNAVAILABLE } from "../../api/shared/Errors.ts"
import { isPassing } from "../../domain/SweepRefusal.ts"
import * as Uuid from "../../domain/Uuid.ts"
import { refuse, type SubmissionRefused } from "../../orchestrator/intake/SubmissionRefused.ts"
import { SweepIntake } from "../../orchestrator/intake/SweepIntake.ts"
import { Intents } from "../../ports/orchestrator/Intents.ts"
import type { StoredSweep } from "../../ports/orchestrator/Sweeps.ts"
import * as ClientNetwork from "../shared/ClientNetwork.ts"
import { mask } from "../shared/Masked.ts"
import { retryAfterSeconds } from "../shared/RetryAfter.ts"
import { ServerSettings } from "../shared/ServerSettings.ts"
import * as EventStream from "./EventStream.ts"
import * as IntentEvents from "./IntentEvents.ts"
import * as IntentStates from "./IntentStates.ts"
import { submitOnce } from "./Resuming.ts"

/** `Retry-After` if the reason does not tell one. */
const PAUSE_MILLIS = 2_000

const unavailable = mask(() => new Unavailable())

/** The contract cannot set `Retry-After`: of several failures with one status, none can have headers. */
const refused = Effect.fnUntraced(function* (refusal: SubmissionRefused) {
  const { reason, retryAfterMillis = PAUSE_MILLIS } = refusal
  if (!isPassing(reason)) return yield* mask(() => new SweepRefused({ error: reason }))(refusal)
  const headers = {
    "retry-after": String(retryAfterSeconds(Duration.millis(retryAfterMillis))),
    "sweep-reason": reason === SCREENING_UNAVAILABLE ? SCREENING_UNAVAILABLE : UNAVAILABLE
  }
  yield* HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, headers))
  )
  return yield* mask(() => new SweepPostponed({ error: reason }))(refusal)
})

export const sweeps = HttpApiBuilder.group(
  OrchestratorApi,
  "sweeps",
  Effect.fnUntraced(function* (handlers) {
    const intake = yield* SweepIntake
    const intents = yield* Intents
    const { trustedProxyHops } = yield* ServerSettings
    const states = yield* IntentStates.make(intents)
    const respond = yield* EventStream.make

    /** States of the intents, in signing order. Those whose month was detached are left out. */
    const shown = ({ id, intentIds }: StoredSweep) =>
      Effect.map(Effect.forEach(intentIds, states.find, { concurrency: "unbounded" }), (found) => ({
        id,
        intents: found.flatMap((each) => Option.toArray(each))
      }))

    const known = Effect.fnUntraced(function* (id: string) {
      const found = Uuid.isUuid(id) ? yield* intents.findSweep(Uuid.stored(id)) : Option.none()
      return yield* shown(yield* Effect.mapError(Effect.fromOption(found), () => new NotFound()))
    })

    return handlers
      .handle(
        "submit",
        Effect.fn("POST /sweeps")(
          function* ({ payload }) {
            const stray = payload.quoteIds.find((id) => !Uuid.isUuid(id))
            if (stray !== undefined) return yield* refuse("unknown_quote", "a quote id is not a UUID")
            const network = ClientNetwork.fromRequest(yield* HttpServerRequest.HttpServerRequest, trustedProxyHops)
            const submission = {
              ...payload,
              quoteIds: payload.quoteIds.map(Uuid.stored),
              network: Option.getOrUndefined(network)
            }
            return yield* submitOnce(intake.submit(submission), intake.accepted(submission))
          },
          Effect.catchTags({ SubmissionRefused: refused, StoreUnavailable: unavailable })
        )
      )
      .handle(
        "sweep",
        Effect.fn("GET /sweeps/:id")(({ params }) => known(params.id), Effect.catchTag("StoreUnavailable", unavailable))
      )
      .handle(
        "events",
        Effect.fn("GET /sweeps/:id/events")(
          ({ params }) =>
            Effect.flatMap(known(params.id), (sweep) =>
              respond(IntentEvents.ofSweep(sweep), IntentEvents.followSweep(states, sweep))
            ),
          Effect.catchTag("StoreUnavailable", unavailable)
        )
      )
      .handle(
        "list",
        Effect.fn("GET /owners/:owner/sweeps")(
          function* ({ params, query }) {
            const before = query.cursor === undefined ? undefined : BigInt(query.cursor)
            const found = yield* intents.sweepsOf(params.owner, { limit: PAGE + 1, before })
            const page = found.slice(0, PAGE)
            const last = page.at(-1)
            return {
              sweeps: yield* Effect.forEach(page, shown, { concurrency: "unbounded" }),
              ...(found.length <= PAGE || last === undefined ? {} : { next: String(last.number) })
            }
          },
          Effect.catchTag("StoreUnavailable", unavailable)
        )
      )
  })
)
