/** Exposure of the relayer for its operator: the budgets of each chain, and the classes that lost most. */
import { Schema } from "effect"
import { Uint256 } from "./Amount.ts"
import { ChainId } from "./ChainId.ts"
import { described } from "./Described.ts"
import { KINDS } from "./Exposure.ts"

const Scope = Schema.Literals(["listed", "unlisted"])

const BudgetView = Schema.Struct({
  chainId: described(ChainId, "Chain."),
  name: described(Schema.String, "Name of the chain."),
  scope: described(Scope, "`unlisted` for sweeps with a token that is not on the lists, `listed` for all others."),
  budgetHour: described(Uint256, "Loss of an hour that the operator accepts, in wei."),
  budgetDay: described(Schema.optionalKey(Uint256), "Loss of 24 hours, in wei. Absent without such a budget."),
  lostHour: described(Uint256, "Wei lost in the last 60 minutes, in steps of 5 minutes."),
  lostDay: described(Uint256, "Wei lost in the last 24 hours."),
  reserved: described(
    Uint256,
    "Worst case of the sweeps under way, in wei. Sweeps of listed tokens are counted by `relaying` of `GET /admin/health`."
  )
})

const ClassView = Schema.Struct({
  chainId: described(ChainId, "Chain."),
  scope: described(Scope, "Scope of the class."),
  kind: described(Schema.Literals(KINDS), "Property that the sweeps of the class share."),
  value: described(
    Schema.String,
    "Value of the property: an address, a pool, a network or a builder. Empty for `all`."
  ),
  lostHour: described(Uint256, "Wei lost in the last 60 minutes, in steps of 5 minutes."),
  lostDay: described(Uint256, "Wei lost in the last 24 hours."),
  earnedDay: described(Uint256, "Worth of fees above their cost in the last 24 hours, in wei."),
  reserved: described(Uint256, "Worst case of the sweeps under way, in wei.")
})

export const ExposureReport = Schema.Struct({
  budgets: described(Schema.Array(BudgetView), "Budgets of each chain."),
  classes: described(
    Schema.Array(ClassView),
    "Classes with losses or reservations, the largest loss first. At most 100."
  )
}).annotate({ identifier: "ExposureReport", description: "Losses of the relayer and their budgets" })
export type ExposureReport = typeof ExposureReport.Type
