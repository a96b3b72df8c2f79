/** A key that never leaves a key management service (KMS), and the account that signs by it. */
import { Effect, Schema } from "effect"
import type * as Address from "../../../domain/Address.ts"
import type { Hash } from "../../../domain/Hex.ts"
import * as Keccak from "../codec/Keccak.ts"
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

export interface Account {
  readonly address: Address.Address
  /** Signature of a digest by this account, which was checked against its address. */
  readonly sign: (digest: Hash) => Effect.Effect<KmsAnswers.KmsSignature, KmsFailed | KmsAnswers.UnusableAnswer>
}

/** Reads the public key once. */
export const account = Effect.fnUntraced(function* (key: RemoteKey) {
  const address = yield* Effect.fromResult(KmsAnswers.accountOfPublicKey(yield* key.publicKey))
  return {
    address,
    sign: Effect.fnUntraced(function* (digest) {
      const der = yield* key.sign(Keccak.bytesOf(digest))
      return yield* Effect.fromResult(KmsAnswers.signatureOf(der, { account: address, digest }))
    })
  } satisfies Account
})
