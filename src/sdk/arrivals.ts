/**
 * Review of tokens that the bridge does not carry and that are bought on arrival, for the `arrivals` of a review. It needs only the peer
 * `viem`.
 *
 * @example
 * import { createSweepClient } from "token-sweep"
 * import { swapOnArrival } from "token-sweep/arrivals"
 *
 * const client = createSweepClient({ orchestratorUrl: "https://sweep.example", review: { arrivals: swapOnArrival() } })
 */
export type { Arrival, ArrivalFacts, ArrivalReview } from "./review/Arrival.ts"
export {
  KNOWN_HANDLERS,
  type PurchaseCall,
  readPurchase,
  swapOnArrival,
  type SwapOnArrivalOptions
} from "./review/PurchaseCall.ts"
