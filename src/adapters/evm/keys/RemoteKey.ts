/** A key that never leaves a key management service (KMS), and the account that signs by it. */
import { Effect, Schema } from "effect"
import type * as Address from "../../../domain/Address.ts"
import * as Keccak from "../codec/Keccak.ts"
import { type KeyAccount, KeyFailed, ofDigests } from "./KeyAccount.ts"
import * as KmsAnswers from "./KmsAnswers.ts"

/** The service refused, failed or did not answer in time. The detail has no secret and no text of the service. */
export class KmsFailed extends Schema.TaggedError<KmsFailed>()("KmsFailed", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

/** A key of a KMS, as an adapter provides it. Each request has a timeout and a bounded number of attempts. */
export interface RemoteKey {
  /** SubjectPublicKeyInfo in DER (RFC 5480). */
  readonly publicKey: Effect.Effect<Uint8Array, KmsFailed>
  /** ECDSA signature of a digest of 32 bytes, in DER (RFC 3279, section 2.2.3). Two signatures of one digest may differ. */
  readonly sign: (digest: Uint8Array) => Effect.Effect<Uint8Array, KmsFailed>
}

/** Account of the key, which is asked for. */
export const addressOf = (key: RemoteKey): Effect.Effect<Address.Address, KmsFailed | KmsAnswers.UnusableAnswer> =>
  Effect.flatMap(key.publicKey, (spki) => Effect.fromResult(KmsAnswers.accountOfPublicKey(spki)))

/** An account that signs by the key. Each signature is checked against the address. */
export const accountAt = (address: Address.Address, key: RemoteKey): KeyAccount =>
  ofDigests(address, (digest) =>
    key.sign(Keccak.bytesOf(digest)).pipe(
      Effect.flatMap((der) => Effect.fromResult(KmsAnswers.signatureOf(der, { account: address, digest }))),
      Effect.mapError(({ message }) => new KeyFailed({ detail: message }))
    )
  )

/** Account of the key. Reads the public key once. */
export const account = (key: RemoteKey): Effect.Effect<KeyAccount, KmsFailed | KmsAnswers.UnusableAnswer> =>
  Effect.map(addressOf(key), (address) => accountAt(address, key))
