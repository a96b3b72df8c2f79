import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { Transaction, Wallet } from "ethers"
import { privateKeyToAccount } from "viem/accounts"
import * as RawKeys from "../../../../src/adapters/evm/keys/RawKeys.ts"
import * as Address from "../../../../src/domain/Address.ts"
import type { Authorization } from "../../../../src/domain/Delegation.ts"
import { RelayerKeys } from "../../../../src/ports/orchestrator/RelayerKeys.ts"
import { relayerKeysSuite, unsigned } from "../../../ports/orchestrator/RelayerKeys.suite.ts"

const keys = [
  "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
  "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a"
] as const
const lanes = keys.map((key) => Address.of(privateKeyToAccount(key).address))
const [lane = Address.zero] = lanes
const rawKeys = RawKeys.layer([Redacted.make(keys[0]), Redacted.make(keys[1])])

relayerKeysSuite("RawKeys", { layer: rawKeys, lanes })

/** A signature whose `r` starts with a zero byte must lose it in RLP. */
const authorization: Authorization = {
  address: unsigned.to,
  chainId: 8453,
  nonce: 5n,
  r: "0x00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
  s: "0x0000002233445566778899aabbccddeeff00112233445566778899aabbccddee",
  yParity: 1
}

layer(rawKeys)("RawKeys, read by ethers", (it) => {
  it.effect("signs type 2 without authorizations", () =>
    Effect.gen(function* () {
      const signed = yield* (yield* RelayerKeys).sign(lane, { ...unsigned, nonce: 9n })
      const read = Transaction.from(signed.raw)
      assert.strictEqual(read.type, 2)
      assert.strictEqual(read.hash, signed.hash)
      assert.strictEqual(read.from, lane)
      assert.strictEqual(read.nonce, 9)
      assert.strictEqual(read.chainId, 8453n)
      assert.strictEqual(read.to, unsigned.to)
      assert.strictEqual(read.data, unsigned.data)
      assert.strictEqual(read.value, 0n)
      assert.strictEqual(read.gasLimit, unsigned.gas)
      assert.strictEqual(read.maxFeePerGas, unsigned.maxFeePerGas)
      assert.strictEqual(read.maxPriorityFeePerGas, unsigned.maxPriorityFeePerGas)
    })
  )

  it.effect("signs type 4 with them", () =>
    Effect.gen(function* () {
      const transaction = { ...unsigned, authorizationList: [authorization, { ...authorization, nonce: 0n }] }
      const signed = yield* (yield* RelayerKeys).sign(lane, transaction)
      const read = Transaction.from(signed.raw)
      assert.strictEqual(read.type, 4)
      assert.strictEqual(read.hash, signed.hash)
      assert.strictEqual(read.from, lane)
      const [first, second] = read.authorizationList ?? []
      assert.strictEqual(first?.address, authorization.address)
      assert.strictEqual(first?.nonce, 5n)
      assert.strictEqual(first?.chainId, 8453n)
      assert.strictEqual(first?.signature.r, authorization.r)
      assert.strictEqual(first?.signature.s, authorization.s)
      assert.strictEqual(first?.signature.yParity, 1)
      assert.strictEqual(second?.nonce, 0n)
    })
  )

  it.effect("does not round an authorization's nonce", () =>
    Effect.gen(function* () {
      const nonce = 2n ** 60n + 1n
      const transaction = { ...unsigned, authorizationList: [{ ...authorization, nonce }] }
      const { raw } = yield* (yield* RelayerKeys).sign(lane, transaction)
      assert.strictEqual(Transaction.from(raw).authorizationList?.[0]?.nonce, nonce)
    })
  )
})

describe("RawKeys.layer", () => {
  it.effect("refuses what is no key, without telling what it was", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        Layer.build(RawKeys.layer([Redacted.make(keys[0]), Redacted.make("0xdeadbeefcafe")])).pipe(Effect.scoped)
      )
      assert.strictEqual(error._tag, "BadRelayerKey")
      assert.strictEqual(error.index, 1)
      assert.notInclude(JSON.stringify(error) + error.message, "deadbeef")
    })
  )

  it.effect("refuses the same key twice", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        Layer.build(RawKeys.layer([Redacted.make(keys[0]), Redacted.make(keys[0])])).pipe(Effect.scoped)
      )
      assert.strictEqual(error.detail, "is configured twice")
    })
  )

  it("has the addresses that ethers derives", () =>
    assert.deepStrictEqual(
      lanes,
      keys.map((key) => Address.of(new Wallet(key).address))
    ))
})
