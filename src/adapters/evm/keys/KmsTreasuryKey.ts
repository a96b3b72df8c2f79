/** `TreasuryKey` with a key of a key management service (KMS). */
import { Effect, Layer, Option, Schema } from "effect"
import { hashTypedData, serializeSignature } from "viem"
import { authorizationHash } from "../../../domain/Delegation.ts"
import { TreasuryKey, TreasurySigningFailed } from "../../../ports/orchestrator/TreasuryKey.ts"
import * as RemoteKey from "./RemoteKey.ts"

/** The account of the key is not known, because the service did not return the public key of a secp256k1 key. */
export class TreasuryKeyUnavailable extends Schema.TaggedError<TreasuryKeyUnavailable>()("TreasuryKeyUnavailable", {
  detail: Schema.String
}) {
  override get message(): string {
    return `the public key of the fee recipient's key could not be read: ${this.detail}. Check FEE_RECIPIENT_KMS_KEY and the permissions on the key`
  }
}

const signing = <A>(signed: Effect.Effect<A, { readonly message: string }>): Effect.Effect<A, TreasurySigningFailed> =>
  Effect.mapError(signed, ({ message }) => new TreasurySigningFailed({ detail: message }))

/** Reads the public key when it is built. */
export const layer = <R>(key: Effect.Effect<RemoteKey.RemoteKey, RemoteKey.KmsFailed, R>) =>
  Layer.effect(
    TreasuryKey,
    Effect.gen(function* () {
      const account = yield* Effect.mapError(
        Effect.flatMap(key, RemoteKey.account),
        ({ message }) => new TreasuryKeyUnavailable({ detail: message })
      )
      return Option.some({
        address: account.address,
        signOrder: Effect.fn("TreasuryKey.signOrder")((order) =>
          Effect.map(signing(account.sign(hashTypedData(order))), serializeSignature)
        ),
        signAuthorization: Effect.fn("TreasuryKey.signAuthorization")((authorization) =>
          Effect.map(signing(account.sign(authorizationHash(authorization))), (signature) => ({
            ...authorization,
            ...signature
          }))
        )
      })
    })
  )
