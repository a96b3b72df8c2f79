/** A builder's sweeps: the orchestrator's reports, and the builder's view. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Activity } from "../../domain/LedgerEntry.ts"
import { Sweep } from "../../domain/Sweep.ts"
import { eventId, SweepEvent, SweepStatus } from "../../domain/SweepEvent.ts"
import { InternalError, NotFound, Unavailable } from "../shared/Errors.ts"
import { CountedIn, RateLimited, Validated } from "../shared/Middleware.ts"
import { SessionOnly } from "./Middleware.ts"
import { cursor, Millis, ofToken, page, period, search } from "./AccountSchemas.ts"
import { overview } from "./OverviewApi.ts"
import * as Docs from "./SweepsDocs.ts"
import { described } from "../../domain/Described.ts"
import { DeliveryView } from "./DeliveryView.ts"

/** Identifier of an intent. A dot would be ambiguous in the signed content of webhooks. */
const IntentId = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_-]{1,128}$/, { message: "expected 1 to 128 letters, digits, _ or -" })
)

/** An event as the orchestrator reports it. */
export const SweepEventRequest = Schema.Struct({
  ...SweepEvent.fields,
  builderId: described(Schema.NonEmptyString, "Builder to which the sweep is attributed."),
  intentId: described(IntentId, "Intent of the sweep."),
  occurredAtMs: described(Millis, "UNIX time in milliseconds when the status was reached.")
})
  .check(
    Schema.makeFilter(
      ({ id, intentId, status }: { id: string; intentId: string; status: SweepStatus }) =>
        id === eventId(intentId, status) || { path: ["id"], issue: "expected <intentId>:<status>" }
    )
  )
  .annotate({ identifier: "SweepEventRequest" })

export const SweepsPage = Schema.Struct({
  sweeps: described(Schema.Array(Sweep), "Sweeps, newest first."),
  nextCursor: cursor
}).annotate({ identifier: "SweepsPage" })

export const SweepTimeline = Schema.Struct({
  sweep: described(Sweep, "Current state of the sweep."),
  events: described(
    Schema.Array(SweepEvent),
    "One event for each status that the sweep reached, in order. Empty for a sweep whose events were deleted for their age."
  ),
  earnings: described(
    Schema.Array(Activity),
    "Accruals of the settlement. Another sweep with the same markup in the same transaction has the same ones."
  ),
  deliveries: described(Schema.Array(DeliveryView), "Messages to the builder's webhooks. Deleted for their age.")
}).annotate({ identifier: "SweepTimeline" })

const failures = [Unavailable, InternalError] as const

/** Query parameters of a builder's list of sweeps. */
export const sweepsQuery = {
  ...page,
  status: described(Schema.optionalKey(SweepStatus), "Only sweeps in this status."),
  chainId: described(ofToken.chainId, "Only sweeps from or to this chain."),
  token: described(ofToken.token, "Only sweeps of or to this token. With `chainId`, on that chain."),
  ...period,
  ...search("Only sweeps of this owner or transaction, or with this id.")
}

export const MySweeps = HttpApiGroup.make("sweeps")
  .add(
    HttpApiEndpoint.get("sweeps", "/me/sweeps", {
      query: sweepsQuery,
      success: SweepsPage,
      error: failures
    }).annotateMerge(Docs.sweeps),
    HttpApiEndpoint.get("sweep", "/me/sweeps/:id", {
      params: { id: described(Schema.String, "Identifier of the intent.") },
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
