/** Contract of every {@link VaultKey}. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { keccak256, parseTransaction, recoverTransactionAddress, size, verifyTypedData } from "viem"
import * as Address from "../../../src/domain/Address.ts"
import { permitTypedData } from "../../../src/domain/PayoutPayment.ts"
import { VaultKey } from "../../../src/ports/builder/VaultKey.ts"
import * as FakeChain from "../../support/FakeChain.ts"

const transaction = {
  chainId: 8453,
  nonce: 7n,
  to: FakeChain.address(0xc2),
  data: "0xabcdef",
  gas: 90_000n,
  maxFeePerGas: 3_000_000_000n,
  maxPriorityFeePerGas: 1_000_000n
} as const

const batch = {
  id: "batch",
  chainId: 8453,
  token: FakeChain.address(0xd1),
  lines: [{ payoutAddress: FakeChain.address(0x10), amount: 5n }]
}

export interface VaultKeyHarness {
  readonly layer: Layer.Layer<VaultKey, unknown>
  /** The account of the key that the layer was given. */
  readonly vault: Address.Address
}

export const vaultKeySuite = (name: string, { layer: environment, vault }: VaultKeyHarness): void =>
  layer(environment)(`VaultKey by ${name}`, (it) => {
    it.effect("is the vault's account", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* VaultKey).address, vault)
      })
    )

    it.effect("signs a transaction as it is, and knows its hash", () =>
      Effect.gen(function* () {
        const { signTransaction } = yield* VaultKey
        const signed = yield* signTransaction(transaction)
        assert.strictEqual(signed.hash, keccak256(signed.raw))
        const { nonce, to = "", ...read } = parseTransaction(signed.raw)
        assert.strictEqual(nonce, 7)
        assert.strictEqual(Address.of(to ?? ""), transaction.to)
        assert.include(read, {
          type: "eip1559",
          chainId: transaction.chainId,
          data: transaction.data,
          gas: transaction.gas,
          maxFeePerGas: transaction.maxFeePerGas,
          maxPriorityFeePerGas: transaction.maxPriorityFeePerGas
        })
        const serializedTransaction = signed.raw as `0x02${string}`
        const signer = yield* Effect.promise(() => recoverTransactionAddress({ serializedTransaction }))
        assert.strictEqual(Address.of(signer), vault)
      })
    )

    it.effect("signs a permit that Permit2 accepts from the vault, for this batch alone", () =>
      Effect.gen(function* () {
        const { signPermit } = yield* VaultKey
        const permitOf = (id: string) =>
          permitTypedData({ ...batch, id }, { vault, permit2: FakeChain.address(0xc2) }, 2n ** 40n)
        const signature = yield* signPermit(permitOf("batch"))
        assert.strictEqual(size(signature), 65)
        const isSignedBy = (id: string) =>
          Effect.promise(() => verifyTypedData({ ...permitOf(id), address: vault, signature }))
        assert.isTrue(yield* isSignedBy("batch"))
        assert.isFalse(yield* isSignedBy("another"))
      })
    )
  })
