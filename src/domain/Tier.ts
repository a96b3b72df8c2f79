/** Token risk tiers. A caller hints at one; the service raises it to what lists and screens say, and never lowers it. */
import { Schema } from "effect"

export const Tier = Schema.Literals(["tier1", "tier2", "tier3"]).annotate({
  identifier: "Tier",
  description: "token risk tier"
})
export type Tier = typeof Tier.Type

/** The riskier of two tiers. */
export const riskier = (a: Tier, b: Tier): Tier => (a > b ? a : b)
