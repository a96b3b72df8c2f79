/**
 * Prices a sweep: screens its parties, classifies the token, attributes the builder, routes, takes the fees, simulates the
 * whole order on the pending state, and stores it before it is offered.
 */
import { Context, type Effect, Schema } from "effect"
import type { Authorization } from "../domain/Delegation.ts"
import type { Quote, QuoteRequest } from "../domain/Quote.ts"
import type { SweepOrder, typedData } from "../domain/SweepOrder.ts"
import type { ScreeningBlocked } from "../ports/Screening.ts"

/** Everything that an independent client signs, so that it needs no node of its own. */
export interface SigningPayload {
  /** EIP-712 typed data of the order. */
  readonly typedData: ReturnType<typeof typedData>
  /** The EIP-7702 authorization to sign: the account's next transaction nonce, for the chain's delegate. */
  readonly authorization: Pick<Authorization, "address" | "chainId" | "nonce">
}

export interface Offer {
  readonly quote: Quote
  readonly order: SweepOrder
  readonly signing: SigningPayload
}

/** No offer can be made (422, masked). `reason` and `detail` are for logs and the operator. */
export class QuoteFailed extends Schema.TaggedError<QuoteFailed>()("QuoteFailed", {
  reason: Schema.Literals([
    "unsupported_chain",
    "same_token",
    "token_declined",
    "fees_exceed_input",
    "no_route",
    "no_price",
    "simulation_failed",
    "upstream_unavailable",
    "store_unavailable"
  ]),
  detail: Schema.String
}) {
  override get message(): string {
    return `quote failed (${this.reason}): ${this.detail}`
  }
}

export class Quoter extends Context.Service<
  Quoter,
  {
    readonly quote: (request: QuoteRequest) => Effect.Effect<Offer, ScreeningBlocked | QuoteFailed>
  }
>()("sweep/orchestrator/Quoter") {}
