/** `VaultKey` with a private key in this process. */
import { Effect, Layer, Redacted, Schema } from "effect"
import { keccak256 } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as Address from "../../../domain/Address.ts"
import type { Hex } from "../../../domain/Hex.ts"
import { VaultKey, VaultSigningFailed } from "../../../ports/builder/VaultKey.ts"

/** The key is not a secp256k1 private key. The message never contains it. */
export class BadVaultKey extends Schema.TaggedError<BadVaultKey>()("BadVaultKey", {}) {
  override get message(): string {
    return "the vault's key is not a private key (32 bytes as 0x-prefixed hex)"
  }
}

/** A cause may quote the key, so only its name is kept. */
const signing = <A>(sign: () => Promise<A>): Effect.Effect<A, VaultSigningFailed> =>
  Effect.tryPromise({
    try: sign,
    catch: (cause) => new VaultSigningFailed({ detail: cause instanceof Error ? cause.name : "unknown cause" })
  })

export const layer = (key: Redacted.Redacted<Hex>): Layer.Layer<VaultKey, BadVaultKey> =>
  Layer.effect(
    VaultKey,
    Effect.gen(function* () {
      const account = yield* Effect.try({
        try: () => privateKeyToAccount(Redacted.value(key)),
        catch: () => new BadVaultKey()
      })
      return VaultKey.of({
        address: Address.of(account.address),
        signTransaction: Effect.fn("VaultKey.signTransaction")(({ nonce, ...transaction }) =>
          Effect.map(
            signing(() => account.signTransaction({ ...transaction, nonce: Number(nonce), type: "eip1559" })),
            (raw) => ({ raw, hash: keccak256(raw) })
          )
        ),
        signPermit: Effect.fn("VaultKey.signPermit")((permit) => signing(() => account.signTypedData(permit)))
      })
    })
  )
