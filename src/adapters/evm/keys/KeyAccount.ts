/** An account that signs, wherever its key is. */
import { Effect, Schema } from "effect"
import { getTypesForEIP712Domain, recoverAddress, serializeSignature } from "viem"
import type { TypedDataDomain, TypedDataParameter } from "viem"
import * as Address from "../../../domain/Address.ts"
import { type Authorization, authorizationHash } from "../../../domain/Delegation.ts"
import type { Hash, Hex } from "../../../domain/Hex.ts"
import type { SignedTransaction, UnsignedTransaction } from "../../../ports/shared/Transaction.ts"
import * as Keccak from "../codec/Keccak.ts"
import * as TransactionRlp from "../codec/TransactionRlp.ts"

/** The key could not sign. The detail has no secret and no text of a service. */
export class KeyFailed extends Schema.TaggedError<KeyFailed>()("KeyFailed", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

/** Signature whose `s` is low (EIP-2). `r` and `s` have 32 bytes. */
export type Parts = Pick<Authorization, "r" | "s" | "yParity">

/** Typed data (EIP-712). */
export interface TypedMessage {
  readonly chainId: number
  readonly digest: Hash
  /** The data as `eth_signTypedData` takes it. */
  readonly json: () => string
}

export interface KeyAccount {
  readonly address: Address.Address
  /** Signs a transaction of type 2 or 4. Two signatures of one transaction may differ. */
  readonly signTransaction: (transaction: UnsignedTransaction) => Effect.Effect<SignedTransaction, KeyFailed>
  /** Signs typed data. */
  readonly signTypedData: (message: TypedMessage) => Effect.Effect<Parts, KeyFailed>
  /** Signs an authorization (EIP-7702). */
  readonly signAuthorization: (
    authorization: Pick<Authorization, "address" | "chainId" | "nonce">
  ) => Effect.Effect<Authorization, KeyFailed>
}

/** An account with the state of its signer. */
export interface Account extends KeyAccount {
  /** False while its signer is left alone after failures. */
  readonly isAnswering: Effect.Effect<boolean>
  /** True if something outside this process signs. */
  readonly isOutside: boolean
}

/** An account whose key is in this process. */
export const inProcess = (account: KeyAccount): Account => ({
  ...account,
  isAnswering: Effect.succeed(true),
  isOutside: false
})

/** A signed transaction from its parts. */
export const signedTransaction = (transaction: UnsignedTransaction, signature: Parts): SignedTransaction => {
  const raw = TransactionRlp.serialize(transaction, signature)
  return { raw, hash: Keccak.hash(raw) }
}

/** Digest that the sender of a transaction signs. */
export const transactionDigest = (transaction: UnsignedTransaction): Hash =>
  Keccak.hash(TransactionRlp.serialize(transaction))

/** An account whose key signs digests. */
export const ofDigests = (
  address: Address.Address,
  sign: (digest: Hash) => Effect.Effect<Parts, KeyFailed>
): KeyAccount => ({
  address,
  signTransaction: (transaction) =>
    Effect.map(
      Effect.suspend(() => sign(transactionDigest(transaction))),
      (signature) => signedTransaction(transaction, signature)
    ),
  signTypedData: ({ digest }) => sign(digest),
  signAuthorization: (authorization) =>
    Effect.map(
      Effect.suspend(() => sign(authorizationHash(authorization))),
      (signature) => ({ ...authorization, ...signature })
    )
})

/** A 65-byte signature. */
export const serialized = (signature: Parts): Hex => serializeSignature(signature)

/** True if the signature of the digest is the account's. A signature of another message may have no signer at all. */
export const isBy = (account: Address.Address, digest: Hash, signature: Parts): Effect.Effect<boolean> =>
  Effect.tryPromise(() => recoverAddress({ hash: digest, signature })).pipe(
    Effect.map((signer) => Address.of(signer) === account),
    Effect.orElseSucceed(() => false)
  )

/** Typed data as `eth_signTypedData` takes it, in JSON. Integers are decimal strings. */
export const typedDataJson = ({ domain, message, primaryType, types }: TypedDataDefinition): string =>
  JSON.stringify(
    { domain, types: { EIP712Domain: getTypesForEIP712Domain({ domain }), ...types }, primaryType, message },
    (_key, value: unknown) => (typeof value === "bigint" ? value.toString() : value)
  )

interface TypedDataDefinition {
  readonly domain: TypedDataDomain
  readonly types: Readonly<Record<string, ReadonlyArray<TypedDataParameter>>>
  readonly primaryType: string
  readonly message: object
}
