/** Builders: integrators that embed the sweep and earn a markup on it (spec, "Builder"). */
import { Schema } from "effect"
import * as Address from "./Address.ts"

/** How a builder's markup reaches it: skimmed to its address by the sweep itself, or owed by the ledger and paid in batches. */
export const PayoutMode = Schema.Literals(["onchain", "ledger"]).annotate({ identifier: "PayoutMode" })
export type PayoutMode = typeof PayoutMode.Type

const Bps = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** What an API key resolves to (spec, "Attribution result"; `payoutMode` is an addition, absent from older backends). */
export const Attribution = Schema.Struct({
  builderId: Schema.String,
  builderBps: Bps,
  maxBuilderBps: Bps,
  payoutAddress: Address.NonZeroAddress,
  payoutMode: Schema.optionalKey(PayoutMode)
}).annotate({ identifier: "Attribution" })
export type Attribution = typeof Attribution.Type

/** The markup that applies: what is set, and never more than the cap. */
export const effectiveBps = (attribution: Attribution): number =>
  Math.min(attribution.builderBps, attribution.maxBuilderBps)
