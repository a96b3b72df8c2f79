import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SigningKey, Signature as EthersSignature, Wallet } from "ethers"
import { concatHex, numberToHex, sliceHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as NativeSignatures from "../../../../src/adapters/evm/keys/NativeSignatures.ts"
import * as ViemSignatures from "../../../../src/adapters/evm/keys/ViemSignatures.ts"
import * as Address from "../../../../src/domain/Address.ts"
import { type Authorization, authorizationHash } from "../../../../src/domain/Delegation.ts"
import type { Hash, Hex } from "../../../../src/domain/Hex.ts"
import { typedData } from "../../../../src/domain/SweepOrder.ts"
import { Signatures } from "../../../../src/ports/orchestrator/Signatures.ts"
import { order, signaturesSuite } from "../../../ports/orchestrator/Signatures.suite.ts"

const privateKey = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"
const account = privateKeyToAccount(privateKey)
const signer = Address.of(account.address)
/** The order of secp256k1. */
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const authorize = (authorization: Pick<Authorization, "address" | "chainId" | "nonce">) =>
  Effect.promise(async (): Promise<Authorization> => {
    const { r, s, yParity } = await account.signAuthorization({ ...authorization, nonce: Number(authorization.nonce) })
    return { ...authorization, r, s, yParity: yParity === 1 ? 1 : 0 }
  })

const adapters = {
  ViemSignatures: ViemSignatures.layer,
  NativeSignatures: NativeSignatures.layerNative.pipe(Layer.orDie)
}

const hash: Hash = "0x6c3ee2f9b0b9d0f24b0a3fdd1d1c8ca9f33d1ddbe3c1b2e0d3b8f3c7d1a2b3c4"

/** The other signature of the same key over the same hash: s mirrored, parity flipped. */
const mirrored = (signature: Hex): Hex =>
  concatHex([
    sliceHex(signature, 0, 32),
    numberToHex(N - BigInt(sliceHex(signature, 32, 64)), { size: 32 }),
    signature.endsWith("1b") ? "0x1c" : "0x1b"
  ])

for (const [name, adapter] of Object.entries(adapters)) {
  signaturesSuite(name, {
    layer: adapter,
    signer,
    sign: (hash) => Effect.promise(() => account.sign({ hash })),
    authorize
  })

  layer(adapter)(`${name}, against ethers`, (it) => {
    it.effect("recovers orders that ethers signed", () =>
      Effect.gen(function* () {
        const { domain, message, types } = typedData(order, { name: "Service", chainId: 8453 })
        const signature = yield* Effect.promise(() =>
          new Wallet(privateKey).signTypedData(domain, { SweepOrder: [...types.SweepOrder] }, message)
        )
        const signatures = yield* Signatures
        const digest = yield* signatures.orderDigest(order, { name: "Service", chainId: 8453 })
        assert.deepStrictEqual(yield* signatures.recover(digest, signature as Hex), Option.some(signer))
      })
    )

    it.effect("recovers compact signatures (EIP-2098)", () =>
      Effect.gen(function* () {
        const signatures = yield* Signatures
        for (let index = 0; index < 8; index++) {
          const digest = numberToHex(index + 1, { size: 32 })
          const compact = new SigningKey(privateKey).sign(digest).compactSerialized as Hex
          assert.deepStrictEqual(yield* signatures.recover(digest, compact), Option.some(signer))
        }
      })
    )

    it.effect("recovers authorizations that ethers signed", () =>
      Effect.gen(function* () {
        const signatures = yield* Signatures
        const plain = { address: order.swapTarget, chainId: 8453, nonce: 0n }
        const signed = yield* Effect.promise(() => new Wallet(privateKey).authorize(plain))
        const { r, s, yParity } = EthersSignature.from(signed.signature)
        const authorization: Authorization = { ...plain, r: r as Hex, s: s as Hex, yParity }
        assert.deepStrictEqual(yield* signatures.recoverAuthority(authorization), Option.some(signer))
      })
    )
  })

  layer(adapter)(`${name}, high s`, (it) => {
    it.effect("recovers an order's signature with a high s, as ecrecover does", () =>
      Effect.gen(function* () {
        const signatures = yield* Signatures
        const signature = yield* Effect.promise(() => account.sign({ hash }))
        assert.deepStrictEqual(yield* signatures.recover(hash, mirrored(signature)), Option.some(signer))
      })
    )

    it.effect("refuses an authorization with a high s, as EIP-7702 does", () =>
      Effect.gen(function* () {
        const signatures = yield* Signatures
        const authorization = yield* authorize({ address: order.swapTarget, chainId: 8453, nonce: 3n })
        const high: Authorization = {
          ...authorization,
          s: numberToHex(N - BigInt(authorization.s), { size: 32 }),
          yParity: authorization.yParity === 0 ? 1 : 0
        }
        // It is a signature of the same key: only its form is refused.
        const signature = concatHex([high.r, high.s, high.yParity === 0 ? "0x1b" : "0x1c"])
        assert.deepStrictEqual(yield* signatures.recover(authorizationHash(high), signature), Option.some(signer))
        assert.deepStrictEqual(yield* signatures.recoverAuthority(high), Option.none())
      })
    )

    it.effect("refuses scalars that are none", () =>
      Effect.gen(function* () {
        const signatures = yield* Signatures
        const zero = numberToHex(0, { size: 32 })
        const { r } = yield* authorize({ address: order.swapTarget, chainId: 1, nonce: 0n })
        for (const signature of [concatHex([zero, r, "0x1b"]), concatHex([r, zero, "0x1b"])]) {
          assert.deepStrictEqual(yield* signatures.recover(hash, signature), Option.none())
        }
        const above = numberToHex(N, { size: 32 })
        assert.deepStrictEqual(yield* signatures.recover(hash, concatHex([above, r, "0x1b"])), Option.none())
      })
    )
  })
}

it("has a signer of the well-known key", () =>
  assert.strictEqual(signer, Address.of("0x70997970C51812dc3A010C7d01b50e0d17dc79C8")))
