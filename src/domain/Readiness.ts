/** Responses of `GET /readyz`. */
import { Schema } from "effect"
import { ChainId } from "./ChainId.ts"
import { described } from "./Described.ts"

export const ChainReadiness = Schema.Struct({
  id: described(ChainId, "Chain."),
  name: described(Schema.String, "Name of the chain."),
  ready: described(Schema.Boolean, "True if a node of the chain answers, and the contracts are there."),
  missingContracts: described(Schema.Array(Schema.String), "Contracts without code at their configured addresses.")
}).annotate({
  identifier: "ChainReadiness",
  examples: [{ id: 8453, name: "base", ready: false, missingContracts: ["guard"] }]
})
export type ChainReadiness = typeof ChainReadiness.Type

/** A part without which a service can serve nothing. `chains` stands for all of them. `stopping`: the process is about to stop. */
export const EssentialPart = Schema.Literals(["database", "chains", "stopping"])
export type EssentialPart = typeof EssentialPart.Type
