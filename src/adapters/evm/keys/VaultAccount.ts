/** `VaultKey` over an account. */
import { Effect, Layer, Schema } from "effect"
import { hashTypedData } from "viem"
import { VaultKey, VaultSigningFailed } from "../../../ports/builder/VaultKey.ts"
import * as KeyAccount from "./KeyAccount.ts"

/** The key of the vault cannot be used. The message has no secret. */
export class VaultKeyUnusable extends Schema.TaggedError<VaultKeyUnusable>()("VaultKeyUnusable", {
  detail: Schema.String
}) {
  override get message(): string {
    return `the vault's key cannot be used: ${this.detail}. Check VAULT_KEY and the permissions on the key`
  }
}

const signing = <A>(signed: Effect.Effect<A, KeyAccount.KeyFailed>): Effect.Effect<A, VaultSigningFailed> =>
  Effect.mapError(signed, ({ detail }) => new VaultSigningFailed({ detail }))

/** The port over the account. */
const vaultKey = ({ address, signTransaction, signTypedData }: KeyAccount.KeyAccount) =>
  VaultKey.of({
    address,
    signTransaction: Effect.fn("VaultKey.signTransaction")((transaction) =>
      signing(signTransaction({ ...transaction, authorizationList: [] }))
    ),
    signPermit: Effect.fn("VaultKey.signPermit")((permit) =>
      Effect.map(
        signing(
          signTypedData({
            chainId: permit.domain.chainId,
            digest: hashTypedData(permit),
            json: () => KeyAccount.typedDataJson(permit)
          })
        ),
        KeyAccount.serialized
      )
    )
  })

/** The port over the account of a key. */
export const layer = <E extends { readonly message: string }, R>(account: Effect.Effect<KeyAccount.KeyAccount, E, R>) =>
  Layer.effect(
    VaultKey,
    account.pipe(
      Effect.mapError(({ message }) => new VaultKeyUnusable({ detail: message })),
      Effect.map(vaultKey)
    )
  )
