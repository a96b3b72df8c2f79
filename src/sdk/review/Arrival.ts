/** The arrival of a bridged token whose deposit has a message: something happens to the token before the recipient gets it. */
import type { Address } from "../model/Address.ts"
import type { QuotedToken } from "../model/Batch.ts"
import type { BridgeCall } from "./BridgeCall.ts"
import type { IndependentPrice } from "./IndependentPrice.ts"
import type { KnownBridges } from "./KnownBridges.ts"
import type { Collector } from "./Mismatches.ts"

/** Output of a deposit as the recipient gets it. */
export interface Arrival {
  readonly recipient: Address
  /** The wrapped native token if the recipient gets native currency. */
  readonly outputToken: Address
  /** Least amount in the smallest unit of the token. */
  readonly outputAmount: bigint
}

/** Facts and limits of the review that an arrival is held to. */
export interface ArrivalFacts {
  readonly bridges?: KnownBridges
  readonly prices?: ReadonlyArray<IndependentPrice>
  readonly maxPriceDeviationBps?: number
}

/**
 * Reviews the message of a deposit, and returns what the recipient gets. Returns undefined for a message that it does not understand in
 * full.
 */
export type ArrivalReview = (
  check: Collector,
  offer: QuotedToken,
  call: BridgeCall,
  facts: ArrivalFacts
) => Arrival | undefined
