/** A reason not to pay a batch. */
import { Schema } from "effect"

/** The batch cannot be paid like this. `detail` says why and what to do. Nothing new was sent. */
export class PaymentRefused extends Schema.TaggedError<PaymentRefused>()("PaymentRefused", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

export const refused = (detail: string) => new PaymentRefused({ detail })
