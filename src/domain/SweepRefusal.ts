/** Reasons for which a sweep of many tokens is not accepted. The lists are closed: clients may match on them. */
import { Schema } from "effect"

/** Reasons that persist, each with its meaning. The client needs new quotes, and signs again. */
export const LASTING = {
  unknown_quote: "A quote is not known.",
  expired_quote: "A quote has expired.",
  already_submitted: "A quote was submitted before.",
  different_owners: "The quotes are not all of one owner.",
  outdated_contracts: "A quote is for contracts that do not run batches: the chain was upgraded since.",
  screening_blocked: "A party is blocked by sanctions screening.",
  wrong_authorization_chain: "An authorization is for a chain that no quote has, or a chain has two.",
  wrong_delegate: "An authorization is not for the chain's delegate.",
  missing_authorization: "The account does not run the delegate on a chain, and there is no authorization for it.",
  no_set_code_support: "A chain does not support EIP-7702.",
  chain_paused: "The operator has paused a chain, a token or a builder of the sweep, or all sweeps.",
  bad_signature: "The owner did not sign this batch: these quotes in this order.",
  bad_authorization: "The owner did not sign an authorization."
} as const

/** Reasons that pass, each with its meaning. The same request may be repeated. */
export const PASSING = {
  screening_unavailable: "Sanctions screening does not answer.",
  budget_spent: "The service has no budget for a sweep of the batch at the moment.",
  chain_unavailable: "A chain does not answer.",
  busy: "Too many requests wait for their turn."
} as const

const lasting = Object.keys(LASTING) as ReadonlyArray<keyof typeof LASTING>
const passing = Object.keys(PASSING) as ReadonlyArray<keyof typeof PASSING>

export const LastingReason = Schema.Literals(lasting)
export type LastingReason = typeof LastingReason.Type

export const PassingReason = Schema.Literals(passing)
export type PassingReason = typeof PassingReason.Type

export const isPassing = (reason: LastingReason | PassingReason): reason is PassingReason => reason in PASSING
