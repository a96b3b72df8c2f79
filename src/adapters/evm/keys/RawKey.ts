/** An account whose private key is in this process. */
import { Effect, Redacted, Schema } from "effect"
import { parseSignature } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as Address from "../../../domain/Address.ts"
import type { Hex } from "../../../domain/Hex.ts"
import { type KeyAccount, KeyFailed, ofDigests } from "./KeyAccount.ts"

/** The text is not a secp256k1 private key. The message never contains it. */
export class BadKey extends Schema.TaggedError<BadKey>()("BadKey", {}) {
  override get message(): string {
    return "is not a private key (32 bytes as 0x-prefixed hex)"
  }
}

/** Account of a private key (32 bytes, 0x-prefixed hex). Equal transactions get equal signatures (RFC 6979). */
export const account = (key: Redacted.Redacted<Hex>): Effect.Effect<KeyAccount, BadKey> =>
  Effect.try({
    try: () => privateKeyToAccount(Redacted.value(key)),
    // The cause may quote the key.
    catch: () => new BadKey()
  }).pipe(
    Effect.map((local) =>
      ofDigests(Address.of(local.address), (hash) =>
        Effect.tryPromise({
          try: () => local.sign({ hash }),
          // A cause may quote the key, so only its name is kept.
          catch: (cause) => new KeyFailed({ detail: cause instanceof Error ? cause.name : "unknown cause" })
        }).pipe(
          Effect.map((signature) => {
            const { r, s, yParity } = parseSignature(signature)
            return { r, s, yParity: yParity === 1 ? 1 : 0 } as const
          })
        )
      )
    )
  )
