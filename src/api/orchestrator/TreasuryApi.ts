/** The operator's routes about collected fees. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { described } from "../../domain/Described.ts"
import { MoneyView } from "../../domain/Money.ts"
import { LeftOutToken, RoundOutcome, TreasuryView } from "../../domain/Treasury.ts"
import { ChainNotAnswering, code, InternalError, NotFound, Unavailable } from "../shared/Errors.ts"
import { OperatorOnly, Validated } from "../shared/Middleware.ts"
import { moneyQuery } from "../shared/MoneyQuery.ts"
import { ChainIdText } from "./Schemas.ts"
import * as Docs from "./TreasuryDocs.ts"

/** 409: a setting of the treasury is missing. */
export class TreasuryNotConfigured extends Schema.Error<TreasuryNotConfigured>("TreasuryNotConfigured")(
  {
    error: code("treasury_not_configured"),
    missing: described(
      Schema.Array(Schema.String).annotate({ examples: [["FEE_RECIPIENT_KEY", "TREASURY_ASSETS"]] }),
      "Settings to set."
    )
  },
  { httpApiStatus: 409, description: "A setting of the treasury is missing" }
) {
  readonly _tag = "TreasuryNotConfigured"
}

export const SafePlanView = Schema.Struct({
  batch: described(
    Schema.Record(Schema.String, Schema.Json),
    "File for the Transaction Builder of the fee recipient's Safe."
  ),
  leftOut: described(Schema.Array(LeftOutToken), "Tokens that are to be sold and cannot be.")
}).annotate({ identifier: "TreasuryPlan" })

export const Treasury = HttpApiGroup.make("treasury")
  .add(
    HttpApiEndpoint.get("treasury", "/admin/treasury", {
      success: TreasuryView,
      error: [Unavailable, InternalError]
    }).annotateMerge(Docs.treasury),
    HttpApiEndpoint.get("plan", "/admin/treasury/plan", {
      query: { chainId: described(ChainIdText, "Chain of the sales.") },
      success: SafePlanView,
      error: [NotFound, TreasuryNotConfigured, ChainNotAnswering, Unavailable, InternalError]
    })
      .middleware(Validated)
      .annotateMerge(Docs.plan),
    HttpApiEndpoint.get("money", "/admin/money", {
      query: moneyQuery,
      success: MoneyView,
      error: [Unavailable, InternalError]
    })
      .middleware(Validated)
      .annotateMerge(Docs.money),
    HttpApiEndpoint.post("sell", "/admin/treasury/sales", {
      success: RoundOutcome,
      error: [TreasuryNotConfigured, Unavailable, InternalError]
    }).annotateMerge(Docs.sell)
  )
  .middleware(OperatorOnly)
  .annotateMerge(
    OpenApi.annotations({
      description: "Collected fees and their sales. For the operator, with `Authorization: Bearer <ORCH_ADMIN_TOKEN>`."
    })
  )
