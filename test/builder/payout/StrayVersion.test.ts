/** A batch that was paid by a version which the backend does not have, as after a restore of its database, on a local chain. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Option, Schedule } from "effect"
import { parseTransaction } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type { DevChain } from "../../../src/devnet/DevChain.ts"
import { Chains } from "../../../src/ports/shared/Chains.ts"
import { backend, owing, run, said, VAULT } from "./PayoutScene.ts"

/** Waits until the vault's payment is mined. A busy node mines it some time after it was broadcast. */
const mined = ({ node }: DevChain) =>
  node
    .ask("the payment is mined", async (client) => {
      const [latest, pending] = await Promise.all(
        (["latest", "pending"] as const).map((blockTag) =>
          client.getTransactionCount({ address: VAULT.address, blockTag })
        )
      )
      return latest === pending
    })
    .pipe(Effect.repeat({ until: (isMined) => isMined, schedule: Schedule.spaced("20 millis") }))

layer(backend, { excludeTestServices: true })("a batch with a recorded payment", (it) => {
  it.effect("that another version paid is booked by that one, and is not waited for", () =>
    Effect.gen(function* () {
      const { balances, desk, dev, id } = yield* owing("USDC", [23n], 46n)
      yield* run(id, { dies: "recorded" })
      const [recorded] = (yield* desk.get(id)).payments ?? []
      const {
        data,
        gas = 0n,
        maxFeePerGas = 0n,
        maxPriorityFeePerGas = 0n,
        nonce = 0,
        to
      } = parseTransaction(recorded?.raw ?? "0x")
      const raw = yield* Effect.promise(() =>
        privateKeyToAccount(VAULT.privateKey).signTransaction({
          type: "eip1559",
          chainId: dev.chain.id,
          to: to ?? null,
          data: data ?? "0x",
          gas,
          maxFeePerGas: maxFeePerGas + 1n,
          maxPriorityFeePerGas,
          nonce
        })
      )
      const client = yield* Effect.flatMap(Chains, (chains) => chains.get(dev.chain.id))
      const forgotten = yield* client.send(raw)
      yield* dev.node.ask("mine", (node) => node.mine({ blocks: dev.chain.confirmations }))
      assert.deepStrictEqual(yield* balances, [23n])

      assert.include(said((yield* run(id)).exit), "a transaction that is not recorded spent the batch's Permit2 nonce")
      assert.strictEqual((yield* Effect.flip(desk.fail(id, "not paid", "test")))._tag, "PaymentInFlight")
      assert.deepInclude(yield* desk.markPaid(id, forgotten, "test"), { status: "paid", txHash: forgotten })
    })
  )

  it.effect("that is mined between two requests of a look is booked by it", () =>
    Effect.gen(function* () {
      const { balances, desk, id } = yield* owing("USDC", [29n], 58n)
      assert.include(said((yield* run(id, { dies: "mined" })).exit), "the power is gone")
      let receipts = 0
      const { exit } = yield* run(id, {
        client: (client) => ({
          receipt: (txHash) => (receipts++ === 0 ? Effect.succeed(Option.none()) : client.receipt(txHash))
        })
      })
      assert.isTrue(Exit.isSuccess(exit), said(exit))
      assert.deepStrictEqual(yield* balances, [29n])
      assert.strictEqual((yield* desk.get(id)).status, "paid")
    })
  )

  it.effect("is waited for while the node does not have its receipt yet, and is booked by it", () =>
    Effect.gen(function* () {
      const { balances, desk, dev, id } = yield* owing("USDC", [31n], 62n)
      assert.include(said((yield* run(id, { dies: "broadcast" })).exit), "the power is gone")
      yield* mined(dev)
      assert.deepStrictEqual(yield* balances, [31n])
      const confirmations = 3
      let receipts = 0
      const { exit } = yield* run(id, {
        client: (client) => ({
          chain: { ...client.chain, confirmations },
          receipt: (txHash) => {
            receipts += 1
            if (receipts < 7) return Effect.succeedNone
            const confirm = dev.node.ask("mine", (node) => node.mine({ blocks: confirmations - 1 }))
            return Effect.andThen(receipts === 7 ? Effect.orDie(confirm) : Effect.void, client.receipt(txHash))
          }
        })
      })
      assert.isTrue(Exit.isSuccess(exit), said(exit))
      assert.strictEqual((yield* desk.get(id)).status, "paid")
    })
  )

  it.effect("that another version paid is waited for until its spent nonce is confirmed", () =>
    Effect.gen(function* () {
      const { desk, dev, id } = yield* owing("USDC", [37n], 74n)
      assert.include(said((yield* run(id, { dies: "broadcast" })).exit), "the power is gone")
      yield* mined(dev)
      const confirmations = 3
      let receipts = 0
      const { exit } = yield* run(id, {
        client: (client) => ({
          chain: { ...client.chain, confirmations },
          // The recorded version stands for one that the backend does not know: no look finds its receipt.
          receipt: () => {
            receipts += 1
            const confirm = dev.node.ask("mine", (node) => node.mine({ blocks: 1 }))
            return Effect.as(receipts % 2 === 0 ? Effect.orDie(confirm) : Effect.void, Option.none())
          }
        })
      })
      assert.include(said(exit), "a transaction that is not recorded spent the batch's Permit2 nonce")
      assert.strictEqual(receipts, 4, "two looks in each of two steps")
      assert.strictEqual((yield* desk.get(id)).status, "open")
    })
  )
})
