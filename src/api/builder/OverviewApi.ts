/** Totals of a builder's sweeps. Separate from the sweeps to keep the dashboard's first page small. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import * as Address from "../../domain/Address.ts"
import { Sum } from "../../domain/Amount.ts"
import { ChainId } from "../../domain/ChainId.ts"
import { InternalError, Unavailable } from "../shared/Errors.ts"
import { RateLimited, Validated } from "../shared/Middleware.ts"
import { SessionOnly } from "./Middleware.ts"
import * as Docs from "./SweepsDocs.ts"
import { described } from "../../domain/Described.ts"

export const OverviewView = Schema.Struct({
  fromMs: described(Schema.Int, "Start of the period, UNIX time in milliseconds."),
  toMs: described(Schema.Int, "End of the period, UNIX time in milliseconds."),
  sweeps: described(Schema.Int, "Number of sweeps submitted in the period."),
  inFlight: described(Schema.Int, "Number of those that are submitted or on the bridge."),
  delivered: described(Schema.Int, "Number of those that were delivered."),
  failed: described(Schema.Int, "Number of those that failed."),
  successRateBps: described(
    Schema.NullOr(Schema.Int),
    "Share of ended sweeps that were delivered, in basis points. Null if none has ended."
  ),
  volume: described(
    Schema.Array(
      Schema.Struct({
        chainId: described(ChainId, "Source chain."),
        token: described(Address.Address, "Token that was swept."),
        amount: described(Sum, "Amount swept, in the smallest unit of the token."),
        sweeps: described(Schema.Int, "Number of sweeps.")
      })
    ),
    "Volume of delivered sweeps per token and source chain."
  ),
  byDay: described(
    Schema.Array(
      Schema.Struct({
        day: described(Schema.String, "UTC day, YYYY-MM-DD."),
        sweeps: described(Schema.Int, "Number of sweeps submitted on the day."),
        delivered: described(Schema.Int, "Number of those that were delivered."),
        failed: described(Schema.Int, "Number of those that failed.")
      })
    ),
    "Every UTC day of the period, oldest first."
  )
}).annotate({ identifier: "Overview" })

const Days = Schema.Int.check(
  Schema.isBetween({ minimum: 1, maximum: 366 }, { message: "expected an integer from 1 to 366" })
)

export const overview = HttpApiEndpoint.get("overview", "/me/overview", {
  query: { days: described(Schema.optionalKey(Days), "UTC days of the period, including today. Default: 30.") },
  success: OverviewView,
  error: [Unavailable, InternalError]
}).annotateMerge(Docs.overview)

/** The endpoint alone, for clients that use nothing else of sweeps. */
export const MyOverview = HttpApiGroup.make("sweeps")
  .add(overview)
  .middleware(Validated)
  .middleware(SessionOnly)
  .middleware(RateLimited)
