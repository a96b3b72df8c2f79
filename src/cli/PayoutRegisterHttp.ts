/** {@link PayoutRegister} over the admin API. */
import { Effect, Layer } from "effect"
import { PayoutRegister, RegisterUnavailable } from "../ports/builder/PayoutRegister.ts"
import {
  PaymentInFlight,
  PaymentTaken,
  PaymentUnproven,
  PayoutClosed,
  PayoutNotFound
} from "../ports/builder/Payouts.ts"
import { type Connection, explain, type Failure } from "./BuilderClient.ts"

export const layer = ({ console, url }: Connection): Layer.Layer<PayoutRegister> => {
  const unavailable = (failure: Failure) => new RegisterUnavailable({ detail: explain(url, failure) })
  return Layer.succeed(PayoutRegister, {
    get: (id) =>
      Effect.mapError(console.payout({ params: { id } }), (failure) =>
        failure._tag === "NotFound" ? new PayoutNotFound({ id }) : unavailable(failure)
      ),
    record: (id, raw, known) =>
      Effect.mapError(console.recordPayment({ params: { id }, payload: { raw, known } }), (failure) => {
        switch (failure._tag) {
          case "NotFound":
            return new PayoutNotFound({ id })
          case "PayoutClosed":
            return new PayoutClosed({ id })
          case "PaymentInFlight":
            return new PaymentInFlight({ id })
          default:
            return unavailable(failure)
        }
      }),
    markPaid: (id, txHash) =>
      Effect.mapError(console.markPayoutPaid({ params: { id }, payload: { txHash } }), (failure) => {
        switch (failure._tag) {
          case "NotFound":
            return new PayoutNotFound({ id })
          case "PayoutClosed":
            return new PayoutClosed({ id })
          case "PaymentInFlight":
            return new PaymentInFlight({ id })
          case "PaymentTaken":
            return new PaymentTaken({ txHash })
          case "PaymentUnproven":
            return new PaymentUnproven({ reason: failure.reason, builderIds: failure.builderIds })
          default:
            return unavailable(failure)
        }
      })
  })
}
