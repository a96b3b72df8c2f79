/** Signed payments that the backend records. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import type { Hash } from "../../../src/domain/Hex.ts"
import { paymentData, permitTypedData } from "../../../src/domain/PayoutPayment.ts"
import { backend, owing, run, said, VAULT } from "./PayoutScene.ts"

layer(backend, { excludeTestServices: true })("recording a payment", (it) => {
  it.effect("takes only what the vault signed and what pays exactly the batch", () =>
    Effect.gen(function* () {
      const { desk, dev, id } = yield* owing("USDC", [3n])
      const other = yield* owing("USDC", [4n])
      const paid = yield* run(other.id)
      assert.isTrue(Exit.isSuccess(paid.exit), said(paid.exit))
      const [foreign] = (yield* desk.get(other.id)).payments ?? []
      const refused = (raw: `0x${string}`) => Effect.flip(desk.record(id, raw, 0, "test"))
      assert.include((yield* refused(foreign?.raw ?? "0x")).message, "no payment of this batch")
      assert.include((yield* refused("0x")).message, "no payment of this batch")

      const batch = yield* desk.get(id)
      const signedBy = (key: Hash, deadline: bigint) =>
        Effect.promise(async () => {
          const payer = { vault: VAULT.address, permit2: dev.chain.permit2 }
          const signer = privateKeyToAccount(key)
          const signature = await signer.signTypedData(permitTypedData(batch, payer, deadline))
          return signer.signTransaction({
            type: "eip1559",
            chainId: dev.chain.id,
            to: payer.permit2,
            data: paymentData(batch, payer.vault, deadline, signature),
            gas: 100_000n,
            maxFeePerGas: 1n,
            maxPriorityFeePerGas: 1n,
            nonce: 0
          })
        })
      const soon = BigInt(Math.floor(Date.now() / 1000) + 60)
      assert.include((yield* refused(yield* signedBy(generatePrivateKey(), soon))).message, "not signed by the vault")
      const late = yield* signedBy(VAULT.privateKey, soon + 90_000n)
      assert.include((yield* refused(late)).message, "more than a day away")
      const right = yield* signedBy(VAULT.privateKey, soon)
      assert.strictEqual((yield* desk.record(id, right, 0, "test")).payments?.length, 1)
      assert.strictEqual((yield* desk.record(id, right, 0, "test")).payments?.length, 1, "repeated")
      const another = yield* signedBy(VAULT.privateKey, soon + 1n)
      assert.strictEqual((yield* refused(another))._tag, "PaymentInFlight")
    })
  )
})
