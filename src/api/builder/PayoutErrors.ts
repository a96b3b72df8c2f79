/** Why a payout batch is not opened, paid or given up. */
import { Schema } from "effect"

export class NothingOwed extends Schema.Error<NothingOwed>("NothingOwed")(
  { error: Schema.tag("nothing_owed") },
  { httpApiStatus: 409, description: "No builder is owed as much in this token on this chain" }
) {
  readonly _tag = "NothingOwed"
}

export class PayoutClosed extends Schema.Error<PayoutClosed>("PayoutClosed")(
  { error: Schema.tag("payout_closed") },
  { httpApiStatus: 409, description: "The batch is not open any more" }
) {
  readonly _tag = "PayoutClosed"
}

export class PaymentTaken extends Schema.Error<PaymentTaken>("PaymentTaken")(
  { error: Schema.tag("payment_taken") },
  { httpApiStatus: 409, description: "The transaction pays another batch of the same token" }
) {
  readonly _tag = "PaymentTaken"
}

export class PaymentInFlight extends Schema.Error<PaymentInFlight>("PaymentInFlight")(
  { error: Schema.tag("payment_in_flight") },
  { httpApiStatus: 409, description: "A signed payment of the batch is recorded that may still be mined, or was" }
) {
  readonly _tag = "PaymentInFlight"
}

export class PaymentUnproven extends Schema.Error<PaymentUnproven>("PaymentUnproven")(
  {
    error: Schema.tag("payment_unproven"),
    reason: Schema.Literals(["not_mined", "reverted", "not_confirmed", "not_paid"]),
    builderIds: Schema.Array(Schema.String).annotate({ description: "whose transfers are missing" })
  },
  {
    httpApiStatus: 409,
    description: "The chain does not prove that the transaction paid the batch; nothing was changed"
  }
) {
  readonly _tag = "PaymentUnproven"
}
