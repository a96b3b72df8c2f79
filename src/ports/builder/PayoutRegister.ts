/** Payout batches of the builder backend, for a client that pays them. */
import { Context, type Effect, Schema } from "effect"
import type { Hash, Hex } from "../../domain/Hex.ts"
import type { PayoutBatch } from "../../domain/Payout.ts"
import type { PaymentInFlight, PaymentTaken, PaymentUnproven, PayoutClosed, PayoutNotFound } from "./Payouts.ts"

/** The backend did not answer, or refused for a reason unrelated to the batch. The outcome is unknown; retry. */
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
    /** The batch. */
    readonly get: (id: string) => Effect.Effect<PayoutBatch, PayoutNotFound | RegisterUnavailable>
    /**
     * Stores a signed payment as the one after `known` others; durable when it returns. Idempotent. `PaymentInFlight`
     * if the batch has another number of payments.
     */
    readonly record: (
      id: string,
      raw: Hex,
      known: number
    ) => Effect.Effect<PayoutBatch, PayoutNotFound | PayoutClosed | PaymentInFlight | RegisterUnavailable>
    /**
     * Books the payment. The backend verifies it on chain and fails with `PaymentUnproven` if the transaction does not
     * prove it. Idempotent.
     */
    readonly markPaid: (
      id: string,
      txHash: Hash
    ) => Effect.Effect<
      PayoutBatch,
      PayoutNotFound | PayoutClosed | PaymentInFlight | PaymentTaken | PaymentUnproven | RegisterUnavailable
    >
  }
>()("sweep/ports/PayoutRegister") {}
