/** Query of earnings and costs, at the orchestrator and through the console. */
import { Schema } from "effect"
import { described } from "../../domain/Described.ts"
import { type Period, PERIODS } from "../../domain/Money.ts"

export const moneyQuery = {
  days: described(
    Schema.optionalKey(Schema.Literals(PERIODS.map((days) => `${days}` as const))),
    "Length of the period in UTC days, today included: 7, 30 or 90. Default: 30."
  )
}

const DEFAULT_DAYS = 30

/** Period that a query names. */
export const periodOf = ({ days }: { readonly days?: `${Period}` }): Period =>
  PERIODS.find((period) => `${period}` === days) ?? DEFAULT_DAYS
