/** Token risk tiers. A caller suggests a tier; the service raises it by lists and screens, and never lowers it. */
import { Schema } from "effect"

export const Tier = Schema.Literals(["tier1", "tier2", "tier3"]).annotate({
  identifier: "Tier",
  description: "token risk tier"
})
export type Tier = typeof Tier.Type

/** The riskier of two tiers. */
export const riskier = (a: Tier, b: Tier): Tier => (a > b ? a : b)
