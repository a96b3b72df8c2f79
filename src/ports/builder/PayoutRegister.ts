/** The builder backend's payout batches, as whoever pays them sees them from outside. */
import { Context, type Effect, Schema } from "effect"
import type { Hash, Hex } from "../../domain/Hex.ts"
import type { PayoutBatch } from "../../domain/Payout.ts"
import type { PaymentInFlight, PaymentTaken, PaymentUnproven, PayoutClosed, PayoutNotFound } from "./Payouts.ts"

/** The backend did not answer, or refused for a reason that is not the batch's. What was asked may have happened. */
export class RegisterUnavailable extends Schema.TaggedError<RegisterUnavailable>()("RegisterUnavailable", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

export class PayoutRegister extends Context.Service<
  PayoutRegister,
  {
    readonly get: (id: string) => Effect.Effect<PayoutBatch, PayoutNotFound | RegisterUnavailable>
    /** Keeps a signed payment as the one after `known` others; durable when it returns. */
    readonly record: (
      id: string,
      raw: Hex,
      known: number
    ) => Effect.Effect<PayoutBatch, PayoutNotFound | PayoutClosed | PaymentInFlight | RegisterUnavailable>
    /** Books the payment, which the backend proves by the chain. */
    readonly markPaid: (
      id: string,
      txHash: Hash
    ) => Effect.Effect<
      PayoutBatch,
      PayoutNotFound | PayoutClosed | PaymentInFlight | PaymentTaken | PaymentUnproven | RegisterUnavailable
    >
  }
>()("sweep/ports/PayoutRegister") {}
