/** Reasons for which a sweep cannot be quoted. The list is closed: clients may match on it. */
import { Schema } from "effect"

/** Each reason with its meaning. */
export const MEANINGS = {
  fees_exceed_amount: "The fees are not less than the amount.",
  network_fee_above_maximum: "The network fee is above `maxNetworkFee`.",
  no_route: "There is no route from the token to the output at the destination.",
  insufficient_balance: "The owner holds less than the amount, or nothing.",
  unavailable: "The token cannot be swept, or the service has no budget for such sweeps at the moment.",
  no_price: "The token or the chain's native currency has no price.",
  chain_unavailable: "The source or destination chain does not answer, or is paused.",
  same_token: "The token is the output, on the same chain.",
  unsupported_chain: "The source or destination chain is not served.",
  owner_is_a_contract: "The owner is a contract on the chain, which cannot be delegated.",
  would_revert: "The sweep would revert.",
  screening_unavailable: "Sanctions screening of the chain does not answer. Ask again.",
  busy: "A provider or the database does not answer, or the quote took too long. Ask again."
} as const

const REASONS = Object.keys(MEANINGS) as ReadonlyArray<keyof typeof MEANINGS>

export const QuoteReason = Schema.Literals(REASONS).annotate({
  identifier: "QuoteReason",
  description: "Reason for which there is no quote"
})
export type QuoteReason = typeof QuoteReason.Type
