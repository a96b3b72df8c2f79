/** `TreasuryKey` with a private key in this process. */
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import * as Address from "../../../domain/Address.ts"
import type { Hex } from "../../../domain/Hex.ts"
import { TreasuryKey, TreasurySigningFailed } from "../../../ports/orchestrator/TreasuryKey.ts"

/** The key is not a secp256k1 private key. The message never contains it. */
export class BadTreasuryKey extends Schema.TaggedError<BadTreasuryKey>()("BadTreasuryKey", {}) {
  override get message(): string {
    return "the fee recipient's key is not a private key (32 bytes as 0x-prefixed hex)"
  }
}

/** A cause may quote the key, so only its name is kept. */
const signing = <A>(sign: () => Promise<A>): Effect.Effect<A, TreasurySigningFailed> =>
  Effect.tryPromise({
    try: sign,
    catch: (cause) => new TreasurySigningFailed({ detail: cause instanceof Error ? cause.name : "unknown cause" })
  })

export const layer = (key: Redacted.Redacted<Hex>): Layer.Layer<TreasuryKey, BadTreasuryKey> =>
  Layer.effect(
    TreasuryKey,
    Effect.gen(function* () {
      const account = yield* Effect.try({
        try: () => privateKeyToAccount(Redacted.value(key)),
        catch: () => new BadTreasuryKey()
      })
      return Option.some({
        address: Address.of(account.address),
        signOrder: Effect.fn("TreasuryKey.signOrder")((order) => signing(() => account.signTypedData(order))),
        signAuthorization: Effect.fn("TreasuryKey.signAuthorization")((authorization) =>
          Effect.map(
            signing(() => account.signAuthorization({ ...authorization, nonce: Number(authorization.nonce) })),
            ({ r, s, yParity }) => ({ ...authorization, r, s, yParity: yParity === 1 ? (1 as const) : (0 as const) })
          )
        )
      })
    })
  )

/** For a service without the key. */
export const none = Layer.succeed(TreasuryKey, Option.none())
