/** `TreasuryKey` over an account. */
import { Effect, Layer, Option, Schema } from "effect"
import { hashTypedData } from "viem"
import { type Signer, TreasuryKey, TreasurySigningFailed } from "../../../ports/orchestrator/TreasuryKey.ts"
import * as KeyAccount from "./KeyAccount.ts"

/** The key of the fee recipient cannot be used. The message has no secret. */
export class TreasuryKeyUnusable extends Schema.TaggedError<TreasuryKeyUnusable>()("TreasuryKeyUnusable", {
  detail: Schema.String
}) {
  override get message(): string {
    return `the fee recipient's key cannot be used: ${this.detail}. Check FEE_RECIPIENT_KEY and the permissions on the key`
  }
}

const signing = <A>(signed: Effect.Effect<A, KeyAccount.KeyFailed>): Effect.Effect<A, TreasurySigningFailed> =>
  Effect.mapError(signed, ({ detail }) => new TreasurySigningFailed({ detail }))

/** The port's signer over the account. */
const signer = ({ address, signAuthorization, signTypedData }: KeyAccount.KeyAccount): Option.Option<Signer> =>
  Option.some({
    address,
    signOrder: Effect.fn("TreasuryKey.signOrder")((order) =>
      Effect.map(
        signing(
          signTypedData({
            chainId: order.domain.chainId,
            digest: hashTypedData(order),
            json: () => KeyAccount.typedDataJson(order)
          })
        ),
        KeyAccount.serialized
      )
    ),
    signAuthorization: Effect.fn("TreasuryKey.signAuthorization")((authorization) =>
      signing(signAuthorization(authorization))
    )
  })

/** The port over the account of a key. A service is asked for the account when the layer is built, if the setting does not name it. */
export const layer = <E extends { readonly message: string }, R>(account: Effect.Effect<KeyAccount.KeyAccount, E, R>) =>
  Layer.effect(
    TreasuryKey,
    account.pipe(
      Effect.mapError(({ message }) => new TreasuryKeyUnusable({ detail: message })),
      Effect.map(signer)
    )
  )

/** For a service without the key. */
export const none = Layer.succeed(TreasuryKey, Option.none())
