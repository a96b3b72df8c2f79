import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { numberToHex } from "viem"
import { privateKeyToAccount, sign } from "viem/accounts"
import * as NativeSignatures from "../../../../src/adapters/evm/keys/NativeSignatures.ts"
import * as ViemSignatures from "../../../../src/adapters/evm/keys/ViemSignatures.ts"
import * as Address from "../../../../src/domain/Address.ts"
import { Authorization, authorizationHash } from "../../../../src/domain/Delegation.ts"
import type { Hex } from "../../../../src/domain/Hex.ts"
import { digest, SweepOrder } from "../../../../src/domain/SweepOrder.ts"
import { Signatures } from "../../../../src/ports/orchestrator/Signatures.ts"
import { Account, address, order, OrderParts, Uint256, Uint64 } from "../../../domain/Arbitraries.ts"
import authorizations from "../../../vectors/authorization.json"
import orders from "../../../vectors/sweep-order.json"

class Both extends Context.Service<
  Both,
  { readonly native: Signatures["Service"]; readonly viem: Signatures["Service"] }
>()("sweep/test/Both") {
  static readonly layer = Layer.effect(
    Both,
    Effect.gen(function* () {
      const built = (adapter: Layer.Layer<Signatures>) => Effect.map(Layer.build(adapter), Context.get(Signatures))
      return {
        native: yield* built(NativeSignatures.layerNative.pipe(Layer.orDie)),
        viem: yield* built(ViemSignatures.layer)
      }
    })
  )
}

const ChainId = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
const word = (value: bigint): Hex => numberToHex(value, { size: 32 })
const key = (seed: bigint): Hex => word((seed >> 1n) + 1n)

layer(Both.layer)("NativeSignatures, held to viem", (it) => {
  it.effect.prop("hash every order as viem does", [OrderParts, ChainId, Schema.String], ([parts, chainId, name]) =>
    Effect.gen(function* () {
      const { native } = yield* Both
      const domain = { name, chainId }
      assert.strictEqual(yield* native.orderDigest(order(parts), domain), digest(order(parts), domain))
    })
  )

  it.effect.prop("recover every signer that viem does", [Uint256, Uint256], ([seed, message]) =>
    Effect.gen(function* () {
      const { native } = yield* Both
      const account = privateKeyToAccount(key(seed))
      const signature = yield* Effect.promise(() => account.sign({ hash: word(message) }))
      assert.deepStrictEqual(yield* native.recover(word(message), signature), Option.some(Address.of(account.address)))
    })
  )

  it.effect.prop(
    "make of arbitrary bytes what viem makes of them",
    [Uint256, Uint256, Uint256, Schema.Literals(["0x1b", "0x1c", "0x00", "0x"])],
    ([message, r, s, v]) =>
      Effect.gen(function* () {
        const { native, viem } = yield* Both
        for (const [left, right] of [
          [r, s],
          [r % 8n, s],
          [r, s % 8n],
          [2n ** 256n - 1n - (r % 8n), s]
        ] as const) {
          const signature: Hex = `${word(left)}${word(right).slice(2)}${v.slice(2)}`
          assert.deepStrictEqual(
            yield* native.recover(word(message), signature),
            yield* viem.recover(word(message), signature)
          )
        }
      })
  )

  it.effect.prop(
    "recover every authority that viem does",
    [Uint256, ChainId, Uint64, Account],
    ([seed, chainId, nonce, delegate]) =>
      Effect.gen(function* () {
        const { native, viem } = yield* Both
        const account = privateKeyToAccount(key(seed))
        for (const [chain, count] of [
          [chainId, nonce],
          [chainId % 300, nonce % 300n],
          [0, 0n]
        ] as const) {
          const plain = { address: address(delegate), chainId: chain, nonce: count }
          const signed = yield* Effect.promise(() =>
            sign({ hash: authorizationHash(plain), privateKey: key(seed), to: "object" })
          )
          const authorization: Authorization = {
            ...plain,
            r: signed.r,
            s: signed.s,
            yParity: signed.yParity === 1 ? 1 : 0
          }
          const recovered = yield* native.recoverAuthority(authorization)
          assert.deepStrictEqual(recovered, Option.some(Address.of(account.address)))
          assert.deepStrictEqual(recovered, yield* viem.recoverAuthority(authorization))
        }
      })
  )

  it.effect("agree with the vectors", () =>
    Effect.gen(function* () {
      const { native } = yield* Both
      for (const vector of orders.orders) {
        const decoded = yield* Schema.decodeUnknownEffect(SweepOrder)(vector.order)
        const hash = yield* native.orderDigest(decoded, vector.domain)
        assert.strictEqual(hash, vector.digest)
        assert.deepStrictEqual(yield* native.recover(hash, vector.signature as Hex), Option.some(decoded.owner))
      }
      for (const vector of authorizations.authorizations) {
        const decoded = yield* Schema.decodeUnknownEffect(Authorization)(vector)
        assert.deepStrictEqual(yield* native.recoverAuthority(decoded), Option.some(Address.of(vector.authority)))
      }
    })
  )
})
