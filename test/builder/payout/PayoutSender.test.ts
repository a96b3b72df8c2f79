/** Payments from the vault on a local chain, with runs that die at any step. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Schedule } from "effect"
import { createPublicClient, createWalletClient, erc20Abi, http } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type { PayoutDesk } from "../../../src/builder/payout/PayoutDesk.ts"
import { Builders } from "../../../src/ports/builder/Builders.ts"
import { Ledger } from "../../../src/ports/builder/Ledger.ts"
import { Chains } from "../../../src/ports/shared/Chains.ts"
import { backend, balanceOf, owing, run, said, VAULT } from "./PayoutScene.ts"

layer(backend, { excludeTestServices: true })("paying a batch with the vault's key", (it) => {
  it.effect.each(["USDT", "USDC", "WETH"] as const)(
    "pays every line of %s in one transaction, once approved",
    (symbol) =>
      Effect.gen(function* () {
        const amounts = [1n, 2_500_000n, 7n]
        const first = yield* owing(symbol, amounts)
        const paid = yield* run(first.id)
        assert.deepStrictEqual(paid.tags, ["Approving", "Approved", "Recorded", "Broadcast", "Mined"], said(paid.exit))
        assert.deepStrictEqual(yield* first.balances, amounts)
        const batch = yield* first.desk.get(first.id)
        assert.strictEqual(batch.status, "paid")
        assert.strictEqual(batch.txHash, batch.payments?.[0]?.txHash)
        assert.strictEqual(batch.payments?.length, 1)
        assert.strictEqual(yield* Effect.promise(() => balanceOf(first.dev, first.token, VAULT.address)), 0n)

        // The approval lasts, and a paid batch stays paid.
        assert.deepStrictEqual((yield* run(first.id)).tags, [])
        const second = yield* owing(symbol, [40n])
        assert.deepStrictEqual((yield* run(second.id)).tags, ["Recorded", "Broadcast", "Mined"])
        assert.deepStrictEqual(yield* second.balances, [40n])
      })
  )

  it.effect("raises an approval that is too small, by way of zero", () =>
    Effect.gen(function* () {
      const { balances, dev, id, token } = yield* owing("DAI", [500n])
      yield* Effect.promise(async () => {
        const wallet = createWalletClient({
          account: privateKeyToAccount(VAULT.privateKey),
          transport: http(dev.rpcUrl)
        })
        const hash = await wallet.writeContract({
          address: token,
          abi: erc20Abi,
          functionName: "approve",
          args: [dev.chain.permit2, 3n],
          chain: null
        })
        await createPublicClient({ transport: http(dev.rpcUrl) }).waitForTransactionReceipt({ hash })
      })
      assert.deepStrictEqual((yield* run(id)).tags, [
        "Approving",
        "Approved",
        "Approved",
        "Recorded",
        "Broadcast",
        "Mined"
      ])
      assert.deepStrictEqual(yield* balances, [500n])
    })
  )

  it.effect.each(["signed", "recorded", "broadcast", "mined", "booked"] as const)(
    "pays once when a run dies when it has %s, and the next goes on",
    (dies) =>
      Effect.gen(function* () {
        const { balances, desk, id } = yield* owing("USDC", [11n, 22n], 66n)
        const dead = yield* run(id, { dies })
        assert.include(said(dead.exit), "the power is gone")
        const before = (yield* desk.get(id)).payments ?? []
        assert.strictEqual(before.length, dies === "signed" ? 0 : 1)
        const next = yield* run(id)
        assert.isTrue(Exit.isSuccess(next.exit), said(next.exit))
        assert.deepStrictEqual(yield* balances, [11n, 22n])
        const after = yield* desk.get(id)
        assert.strictEqual(after.status, "paid")
        assert.strictEqual(after.payments?.length, 1, "what was signed is what was sent")
        if (dies !== "signed") assert.strictEqual(after.txHash, before[0]?.txHash)
      })
  )

  it.effect("pays a builder that is suspended between two runs as the batch was opened", () =>
    Effect.gen(function* () {
      const { balances, builderIds, desk, id } = yield* owing("USDC", [5n, 6n])
      const builders = yield* Builders
      assert.include(said((yield* run(id, { dies: "recorded" })).exit), "the power is gone")
      yield* builders.modify(builderIds[0] ?? "", (account) => Effect.succeed({ ...account, suspendedAtMs: 1 }))
      const { lines } = yield* desk.get(id)
      const next = yield* run(id)
      assert.isTrue(Exit.isSuccess(next.exit), said(next.exit))
      assert.deepStrictEqual(yield* balances, [5n, 6n])
      const paid = yield* desk.get(id)
      assert.strictEqual(paid.status, "paid")
      assert.deepStrictEqual(paid.lines, lines)
    })
  )

  it.effect("a mined payment of one batch does not prove the lines of another to the same builder", () =>
    Effect.gen(function* () {
      const { builderIds, desk, dev, id, token } = yield* owing("USDC", [9n])
      assert.include(said((yield* run(id, { dies: "mined" })).exit), "the power is gone")
      const [payment] = (yield* desk.get(id)).payments ?? []
      const txHash = payment?.txHash ?? assert.fail("nothing was recorded")
      const accrual = { sweepId: `later_${id}`, token, amount: 9n, chainId: dev.chain.id }
      yield* (yield* Ledger).accrue({ ...accrual, builderId: builderIds[0] ?? "" })
      const later = yield* desk.open({ chainId: dev.chain.id, token, minAmount: 0n }, "test")
      assert.strictEqual((yield* Effect.flip(desk.markPaid(later.id, txHash, "test")))._tag, "PaymentTaken")
      assert.strictEqual((yield* desk.get(later.id)).status, "open")
      const next = yield* run(id)
      assert.isTrue(Exit.isSuccess(next.exit), said(next.exit))
      assert.strictEqual((yield* Effect.flip(desk.markPaid(later.id, txHash, "test")))._tag, "PaymentTaken")
      yield* desk.fail(later.id, "the end of a test", "test")
      // Nothing of it is left for the batches of other tests.
      yield* (yield* Ledger).reverse(accrual.sweepId)
    })
  )

  it.effect("pays once however many run at once", () =>
    Effect.gen(function* () {
      const { balances, desk, id } = yield* owing("USDC", [5n], 50n)
      const runs = yield* Effect.forEach([1, 2, 3, 4, 5], () => run(id), { concurrency: "unbounded" })
      for (const { exit } of runs) assert.isTrue(Exit.isSuccess(exit), said(exit))
      assert.deepStrictEqual(yield* balances, [5n])
      assert.strictEqual((yield* desk.get(id)).status, "paid")
    })
  )

  it.effect("goes on with the payment of a run that was faster, although its own would revert by then", () =>
    Effect.gen(function* () {
      const { balances, desk, id } = yield* owing("USDC", [5n], 50n)
      const faster = Effect.provideContext(run(id), yield* Effect.context<Chains | PayoutDesk>())
      const { exit } = yield* run(id, {
        client: (client) => ({
          simulate: (calls, overrides) => {
            const simulated = client.simulate(calls, overrides)
            return calls[0]?.to === client.chain.permit2 ? Effect.andThen(faster, simulated) : simulated
          }
        })
      })
      assert.isTrue(Exit.isSuccess(exit), said(exit))
      assert.deepStrictEqual(yield* balances, [5n])
      assert.strictEqual((yield* desk.get(id)).payments?.length, 1)
    })
  )

  it.effect("does not sign anew after a look in which the node mixed the states of two blocks", () =>
    Effect.gen(function* () {
      const { balances, desk, id } = yield* owing("USDC", [15n], 30n)
      assert.include(said((yield* run(id, { dies: "recorded" })).exit), "the power is gone")
      let looks = 0
      const { exit } = yield* run(id, {
        client: (client) => ({
          // The first look sees the vault's nonce spent, and nothing of the payment.
          transactionCount: (address, which) =>
            Effect.map(client.transactionCount(address, which), (count) =>
              typeof which === "object" && looks++ === 0 ? count + 1n : count
            )
        })
      })
      assert.isTrue(Exit.isSuccess(exit), said(exit))
      assert.deepStrictEqual(yield* balances, [15n])
      assert.strictEqual((yield* desk.get(id)).payments?.length, 1)
    })
  )

  it.effect("replaces a payment that no node mines, and only one of the versions pays", () =>
    Effect.gen(function* () {
      const { balances, desk, dev, id } = yield* owing("USDC", [9n], 90n)
      yield* dev.node.ask("stop mining", (node) => node.setAutomine(false))
      const stuck = yield* Effect.forkChild(run(id, { bumpMillis: 150 }))
      yield* desk
        .get(id)
        .pipe(
          Effect.repeat({ until: ({ payments = [] }) => payments.length >= 2, schedule: Schedule.spaced("20 millis") }),
          Effect.timeout("100 seconds")
        )
      yield* dev.node.ask("mine again", async (node) => {
        await node.mine({ blocks: 1 })
        await node.setAutomine(true)
      })
      const { exit } = yield* Fiber.join(stuck)
      assert.isTrue(Exit.isSuccess(exit), said(exit))
      assert.deepStrictEqual(yield* balances, [9n])
      // Whatever else was signed is sent too, and pays nothing.
      const { payments = [] } = yield* desk.get(id)
      const client = yield* Effect.flatMap(Chains, (chains) => chains.get(dev.chain.id))
      for (const { raw } of payments) yield* Effect.ignore(client.send(raw))
      yield* dev.node.ask("mine", (node) => node.mine({ blocks: 2 }))
      assert.deepStrictEqual(yield* balances, [9n])
    })
  )

  it.effect("a batch whose payment may be mined is not given up, nor booked by another transaction", () =>
    Effect.gen(function* () {
      const { balances, desk, dev, id, token } = yield* owing("USDC", [13n], 130n)
      yield* run(id, { dies: "recorded" })
      assert.strictEqual((yield* Effect.flip(desk.fail(id, "changed my mind", "test")))._tag, "PaymentInFlight")
      const [line] = (yield* desk.get(id)).lines
      const otherwise = yield* Effect.promise(async () => {
        const wallet = createWalletClient({
          account: privateKeyToAccount(VAULT.privateKey),
          transport: http(dev.rpcUrl)
        })
        const hash = await wallet.writeContract({
          address: token,
          abi: erc20Abi,
          functionName: "transfer",
          args: [line?.payoutAddress ?? VAULT.address, 13n],
          chain: null
        })
        await createPublicClient({ transport: http(dev.rpcUrl), pollingInterval: 20 }).waitForTransactionReceipt({
          hash
        })
        return hash
      })
      assert.strictEqual((yield* Effect.flip(desk.markPaid(id, otherwise, "test")))._tag, "PaymentInFlight")

      // Past its deadline it can do nothing, and the chain shows that it did not.
      yield* dev.node.ask("let the deadline pass", async (node) => {
        await node.increaseTime({ seconds: 3_700 })
        await node.mine({ blocks: 1 })
      })
      const [payment] = (yield* desk.get(id)).payments ?? []
      const client = yield* Effect.flatMap(Chains, (chains) => chains.get(dev.chain.id))
      yield* Effect.ignore(client.send(payment?.raw ?? "0x"))
      assert.deepStrictEqual(yield* balances, [13n])
      assert.strictEqual((yield* desk.markPaid(id, otherwise, "test")).status, "paid")
    })
  )

  it.effect("signs anew when the recorded payment ran out of time", () =>
    Effect.gen(function* () {
      const { balances, desk, dev, id } = yield* owing("USDC", [17n], 170n)
      yield* run(id, { dies: "recorded" })
      yield* dev.node.ask("let the deadline pass", async (node) => {
        await node.increaseTime({ seconds: 3_700 })
        await node.mine({ blocks: 1 })
      })
      const next = yield* run(id)
      assert.isTrue(Exit.isSuccess(next.exit), said(next.exit))
      assert.deepStrictEqual(yield* balances, [17n])
      const { payments = [], txHash } = yield* desk.get(id)
      assert.strictEqual(payments.length, 2)
      assert.strictEqual(txHash, payments[1]?.txHash)
    })
  )

  it.effect("a batch that was given up after its payment ran out is paid by its successor alone", () =>
    Effect.gen(function* () {
      const { balances, desk, dev, id, token } = yield* owing("USDC", [19n], 190n)
      yield* run(id, { dies: "recorded" })
      yield* dev.node.ask("let the deadline pass", async (node) => {
        await node.increaseTime({ seconds: 3_700 })
        await node.mine({ blocks: 1 })
      })
      assert.strictEqual((yield* desk.fail(id, "too old", "test")).status, "failed")
      const successor = yield* desk.open({ chainId: dev.chain.id, token, minAmount: 0n }, "test")
      const next = yield* run(successor.id)
      assert.isTrue(Exit.isSuccess(next.exit), said(next.exit))
      assert.deepStrictEqual(yield* balances, [19n])
      assert.include(said((yield* run(id)).exit), "is failed")
    })
  )
})
