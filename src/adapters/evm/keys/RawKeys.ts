/** `RelayerKeys` with private keys in this process. Every key is a lane on every chain, since nonces are per chain. */
import { type Array, Effect, Layer, Redacted, Schema } from "effect"
import { parseSignature } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as Address from "../../../domain/Address.ts"
import type { Hex } from "../../../domain/Hex.ts"
import { RelayerKeys, SigningFailed } from "../../../ports/orchestrator/RelayerKeys.ts"
import type { UnsignedTransaction } from "../../../ports/shared/Transaction.ts"
import * as Keccak from "../codec/Keccak.ts"
import * as TransactionRlp from "../codec/TransactionRlp.ts"

/** A configured key is not a secp256k1 private key, or is configured twice. The message never contains the key. */
export class BadRelayerKey extends Schema.TaggedError<BadRelayerKey>()("BadRelayerKey", {
  /** Position in the configuration, from 0. */
  index: Schema.Number,
  detail: Schema.String
}) {
  override get message(): string {
    return `relayer key ${this.index}: ${this.detail}`
  }
}

const signatureParts = (signature: Hex): TransactionRlp.TransactionSignature => {
  const { r, s, yParity } = parseSignature(signature)
  return { r, s, yParity }
}

const lane = (key: Redacted.Redacted<Hex>, index: number) =>
  Effect.try({
    try: () => privateKeyToAccount(Redacted.value(key)),
    // The cause may quote the key.
    catch: () => new BadRelayerKey({ index, detail: "is not a private key (32 bytes as 0x-prefixed hex)" })
  }).pipe(Effect.map((account) => ({ address: Address.of(account.address), account })))

/** Lanes of private keys (32 bytes, 0x-prefixed hex), in their order. */
export const layer = (
  keys: Array.NonEmptyReadonlyArray<Redacted.Redacted<Hex>>
): Layer.Layer<RelayerKeys, BadRelayerKey> =>
  Layer.effect(
    RelayerKeys,
    Effect.gen(function* () {
      const lanes = yield* Effect.forEach(keys, lane)
      const accounts = new Map(lanes.map(({ account, address }) => [address, account]))
      if (accounts.size !== lanes.length) {
        const index = lanes.findIndex(
          ({ address }, at) => lanes.findLastIndex((other) => other.address === address) !== at
        )
        return yield* new BadRelayerKey({ index, detail: "is configured twice" })
      }
      const addresses = lanes.map(({ address }) => address)

      const sign = Effect.fnUntraced(
        function* (address: Address.Address, transaction: UnsignedTransaction) {
          const account = accounts.get(address)
          if (account === undefined) return yield* Effect.fail("no such lane")
          const signature = yield* Effect.tryPromise({
            try: () => account.sign({ hash: Keccak.hash(TransactionRlp.serialize(transaction)) }),
            catch: (cause) => (cause instanceof Error ? cause.name : "unknown cause")
          })
          const raw = TransactionRlp.serialize(transaction, signatureParts(signature))
          return { raw, hash: Keccak.hash(raw) }
        },
        (effect, address) => Effect.mapError(effect, (detail) => new SigningFailed({ lane: address, detail }))
      )

      return RelayerKeys.of({ lanes: () => addresses, sign })
    })
  )
