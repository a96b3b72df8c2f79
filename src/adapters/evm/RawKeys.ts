/** `RelayerKeys` whose private keys are in this process. Every key is a lane on every chain: nonces are per chain. */
import { type Array, Effect, Layer, Redacted, Schema } from "effect"
import { keccak256 } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as Address from "../../domain/Address.ts"
import type { Authorization } from "../../domain/Delegation.ts"
import type { Hex } from "../../domain/Hex.ts"
import { RelayerKeys, SigningFailed, type UnsignedTransaction } from "../../ports/RelayerKeys.ts"

/** A configured key is no secp256k1 private key, or is configured twice. Says which one, never what it is. */
export class BadRelayerKey extends Schema.TaggedError<BadRelayerKey>()("BadRelayerKey", {
  /** Position in the configuration, from 0. */
  index: Schema.Number,
  detail: Schema.String
}) {
  override get message(): string {
    return `relayer key ${this.index}: ${this.detail}`
  }
}

/** viem counts account nonces in doubles; a greater nonce does not occur, but must not be rounded into another one. */
const signable = ({ address, chainId, nonce, r, s, yParity }: Authorization) =>
  nonce > BigInt(Number.MAX_SAFE_INTEGER)
    ? Effect.fail("an authorization's nonce is beyond 2^53")
    : Effect.succeed({ address, chainId, nonce: Number(nonce), r, s, yParity })

const serializable = Effect.fnUntraced(function* (transaction: UnsignedTransaction) {
  const { authorizationList: authorizations, nonce, ...rest } = transaction
  const common = { ...rest, nonce: Number(nonce), value: 0n }
  if (authorizations.length === 0) return { ...common, type: "eip1559" as const }
  const authorizationList = yield* Effect.forEach(authorizations, signable)
  return { ...common, type: "eip7702" as const, authorizationList }
})

const lane = (key: Redacted.Redacted<Hex>, index: number) =>
  Effect.try({
    try: () => privateKeyToAccount(Redacted.value(key)),
    // The cause may quote the key.
    catch: () => new BadRelayerKey({ index, detail: "is not a private key (32 bytes as 0x-prefixed hex)" })
  }).pipe(Effect.map((account) => ({ address: Address.of(account.address), account })))

/** The lanes of private keys (32 bytes, 0x-prefixed hex), in their order. */
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

      const sign = Effect.fn("RelayerKeys.sign")(
        function* (address: Address.Address, transaction: UnsignedTransaction) {
          const account = accounts.get(address)
          if (account === undefined) return yield* Effect.fail("no such lane")
          const unsigned = yield* serializable(transaction)
          const raw = yield* Effect.tryPromise({
            try: () => account.signTransaction(unsigned),
            catch: (cause) => (cause instanceof Error ? cause.name : "unknown cause")
          })
          return { raw, hash: keccak256(raw) }
        },
        (effect, address) => Effect.mapError(effect, (detail) => new SigningFailed({ lane: address, detail }))
      )

      return RelayerKeys.of({ lanes: () => addresses, sign })
    })
  )
