/** What a builder's sweeps add up to. Apart from the sweeps themselves, so that the dashboard's first page loads no more. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import * as Address from "../../domain/Address.ts"
import { Sum } from "../../domain/Amount.ts"
import { ChainId } from "../../domain/ChainId.ts"
import { InternalError, Unavailable } from "../shared/Errors.ts"
import { RateLimited, Validated } from "../shared/Middleware.ts"
import { SessionOnly } from "./Middleware.ts"
import * as Docs from "./SweepsDocs.ts"

export const OverviewView = Schema.Struct({
  fromMs: Schema.Int,
  toMs: Schema.Int,
  sweeps: Schema.Int,
  inFlight: Schema.Int.annotate({ description: "submitted or on their way across the bridge" }),
  delivered: Schema.Int,
  failed: Schema.Int,
  successRateBps: Schema.NullOr(Schema.Int).annotate({
    description: "of those that ended, how many were delivered, in basis points; null while none has ended"
  }),
  volume: Schema.Array(
    Schema.Struct({ chainId: ChainId, token: Address.Address, amount: Sum, sweeps: Schema.Int })
  ).annotate({ description: "what delivered sweeps sent, per token and source chain" }),
  byDay: Schema.Array(
    Schema.Struct({ day: Schema.String, sweeps: Schema.Int, delivered: Schema.Int, failed: Schema.Int })
  ).annotate({ description: "every UTC day of the period, oldest first" })
}).annotate({ identifier: "Overview" })

const Days = Schema.Int.check(
  Schema.isBetween({ minimum: 1, maximum: 366 }, { message: "expected an integer from 1 to 366" })
)

export const overview = HttpApiEndpoint.get("overview", "/me/overview", {
  query: { days: Schema.optionalKey(Days) },
  success: OverviewView,
  error: [Unavailable, InternalError]
}).annotateMerge(Docs.overview)

/** The endpoint alone, for clients that ask for nothing else of sweeps. */
export const MyOverview = HttpApiGroup.make("sweeps")
  .add(overview)
  .middleware(Validated)
  .middleware(SessionOnly)
  .middleware(RateLimited)
