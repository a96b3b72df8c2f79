/** A builder's sweeps: what the orchestrator reports of them, and what the builder sees. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Sweep } from "../../domain/Sweep.ts"
import { eventId, SweepEvent, SweepStatus } from "../../domain/SweepEvent.ts"
import { InternalError, NotFound, Unavailable } from "../shared/Errors.ts"
import { CountedIn, RateLimited, Validated } from "../shared/Middleware.ts"
import { SessionOnly } from "./Middleware.ts"
import { Millis, page } from "./AccountSchemas.ts"
import { overview } from "./OverviewApi.ts"
import * as Docs from "./SweepsDocs.ts"

/** Names an intent in urls, logs and the headers of webhooks; a dot would be ambiguous in what is signed. */
const IntentId = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_-]{1,128}$/, { message: "expected 1 to 128 letters, digits, _ or -" })
)

/** What the orchestrator reports. */
export const SweepEventRequest = Schema.Struct({
  ...SweepEvent.fields,
  builderId: Schema.NonEmptyString,
  intentId: IntentId,
  occurredAtMs: Millis
})
  .check(
    Schema.makeFilter(
      ({ id, intentId, status }: { id: string; intentId: string; status: SweepStatus }) =>
        id === eventId(intentId, status) || { path: ["id"], issue: "expected <intentId>:<status>" }
    )
  )
  .annotate({ identifier: "SweepEventRequest" })

export const SweepsPage = Schema.Struct({
  sweeps: Schema.Array(Sweep),
  nextCursor: Schema.optionalKey(Schema.String).annotate({ description: "absent on the last page" })
}).annotate({ identifier: "SweepsPage" })

export const SweepTimeline = Schema.Struct({
  sweep: Sweep,
  events: Schema.Array(SweepEvent).annotate({ description: "one for each status that it reached, in order" })
}).annotate({ identifier: "SweepTimeline" })

/** In a query a number travels as text, so this must not be the schema that bodies refer to. */
const ChainIdParameter = Schema.Int.check(
  Schema.isBetween(
    { minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    { message: "expected a positive integer chain id" }
  )
)

const failures = [Unavailable, InternalError] as const

export const MySweeps = HttpApiGroup.make("sweeps")
  .add(
    HttpApiEndpoint.get("sweeps", "/me/sweeps", {
      query: { ...page, status: Schema.optionalKey(SweepStatus), chainId: Schema.optionalKey(ChainIdParameter) },
      success: SweepsPage,
      error: failures
    }).annotateMerge(Docs.sweeps),
    HttpApiEndpoint.get("sweep", "/me/sweeps/:id", {
      params: { id: Schema.String },
      success: SweepTimeline,
      error: [NotFound, ...failures]
    }).annotateMerge(Docs.sweep),
    overview
  )
  .middleware(Validated)
  .middleware(SessionOnly)
  .middleware(RateLimited)
  .annotate(CountedIn, "builder")
  .annotateMerge(OpenApi.annotations({ description: "A signed-in builder's sweeps." }))
