/** Errors of payout batches. */
import { Schema } from "effect"
import { code } from "../shared/Errors.ts"
import { described } from "../../domain/Described.ts"
import { LeftOut } from "../../domain/Payout.ts"

export class NothingOwed extends Schema.Error<NothingOwed>("NothingOwed")(
  {
    error: code("nothing_owed"),
    leftOut: described(
      Schema.Array(LeftOut).annotate({ examples: [[]] }),
      "Builders who are owed the minimum amount, but cannot be paid, by builder id."
    )
  },
  {
    httpApiStatus: 409,
    description: "No builder who can be paid is owed the minimum amount in this token on this chain"
  }
) {
  readonly _tag = "NothingOwed"
}

export class RestoreUnreconciled extends Schema.Error<RestoreUnreconciled>("RestoreUnreconciled")(
  { error: code("restore_unreconciled") },
  {
    httpApiStatus: 409,
    description:
      "The database was restored and may not know payments that the chain has. Nothing is paid before `./sweep reconcile`"
  }
) {
  readonly _tag = "RestoreUnreconciled"
}

export class PayoutClosed extends Schema.Error<PayoutClosed>("PayoutClosed")(
  { error: code("payout_closed") },
  { httpApiStatus: 409, description: "The batch is no longer open" }
) {
  readonly _tag = "PayoutClosed"
}

export class PaymentTaken extends Schema.Error<PaymentTaken>("PaymentTaken")(
  {
    error: code("payment_taken"),
    batchId: described(
      Schema.optionalKey(Schema.String),
      "Open batch that the transaction pays exactly. Absent if it pays one that is not open."
    )
  },
  { httpApiStatus: 409, description: "The transaction pays another batch of the same token" }
) {
  readonly _tag = "PaymentTaken"
}

export class PaymentInFlight extends Schema.Error<PaymentInFlight>("PaymentInFlight")(
  { error: code("payment_in_flight") },
  { httpApiStatus: 409, description: "A recorded payment of the batch was mined, or may still be" }
) {
  readonly _tag = "PaymentInFlight"
}

export class PaymentUnproven extends Schema.Error<PaymentUnproven>("PaymentUnproven")(
  {
    error: code("payment_unproven"),
    reason: described(
      Schema.Literals(["not_mined", "reverted", "not_confirmed", "not_paid"]),
      "Reason why the chain does not prove the payment."
    ),
    builderIds: described(
      Schema.Array(Schema.String).annotate({ examples: [["acme"]] }),
      "Builders whose transfers are missing."
    )
  },
  {
    httpApiStatus: 409,
    description: "The chain does not prove that the transaction paid the batch. Nothing was changed"
  }
) {
  readonly _tag = "PaymentUnproven"
}
