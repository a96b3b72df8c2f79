/** Contract of every register of payouts, on a backend with these stores and the chain that it gives them. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, type Layer, Option } from "effect"
import { encodeAbiParameters, encodeEventTopics, erc20Abi, keccak256, stringToHex, toHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as Accounts from "../../../src/devnet/Accounts.ts"
import type { Hash } from "../../../src/domain/Hex.ts"
import type { PayoutBatch } from "../../../src/domain/Payout.ts"
import { paymentData, permitTypedData } from "../../../src/domain/PayoutPayment.ts"
import { Builders } from "../../../src/ports/builder/Builders.ts"
import { Ledger } from "../../../src/ports/builder/Ledger.ts"
import { PayoutRegister } from "../../../src/ports/builder/PayoutRegister.ts"
import { Payouts } from "../../../src/ports/builder/Payouts.ts"
import type { ChainClient, Receipt } from "../../../src/ports/shared/Chains.ts"
import * as FakeChain from "../../support/FakeChain.ts"

const VAULT = Accounts.builderVault()
const TOKEN = FakeChain.address(0xd1)
const BLOCK: Hash = keccak256(stringToHex("block"))

const chain = { ...FakeChain.chain, builderVault: VAULT.address }

/**
 * A chain whose newest block is long before any deadline. It has no receipt at first: the payments of two tests are the same
 * transaction when they are signed within one second.
 */
const emptyChain = () => {
  const receipts = new Map<Hash, Receipt>()
  const client: ChainClient = {
    ...FakeChain.client({
      // Permit2 has spent no nonce.
      call: () => Effect.succeed(toHex(0n, { size: 32 })),
      receipt: (hash) => Effect.sync(() => Option.fromUndefinedOr(receipts.get(hash))),
      block: () =>
        Effect.succeed(
          Option.some({
            number: 100n,
            hash: BLOCK,
            parentHash: BLOCK,
            timestamp: 0n,
            baseFeePerGas: 0n,
            gasLimit: 0n
          })
        )
    }),
    chain
  }
  /** Mines a transaction that pays every line of the batch. */
  const mine = (batch: PayoutBatch, hash: Hash) => receipts.set(hash, receiptOf(batch, hash))
  return { client, mine }
}

const receiptOf = (batch: PayoutBatch, transactionHash: Hash): Receipt => ({
  transactionHash,
  blockNumber: 90n,
  blockHash: BLOCK,
  status: "success",
  gasUsed: 1n,
  effectiveGasPrice: 1n,
  logs: batch.lines.map(({ amount, payoutAddress }, logIndex) => ({
    address: batch.token,
    topics: encodeEventTopics({
      abi: erc20Abi,
      eventName: "Transfer",
      args: { from: VAULT.address, to: payoutAddress }
    }).flatMap((topic) => (typeof topic === "string" ? [topic] : [])),
    data: encodeAbiParameters([{ type: "uint256" }], [amount]),
    blockNumber: 90n,
    blockHash: BLOCK,
    transactionHash,
    logIndex
  }))
})

/** Opens a batch that owes one builder. */
const opened = Effect.fnUntraced(function* (id: string) {
  const payoutAddress = FakeChain.address(0x80)
  yield* (yield* Builders).create({
    id: "alpha",
    name: "Alpha",
    builderBps: 0,
    maxBuilderBps: 0,
    payoutAddress,
    payoutMode: "ledger",
    createdAtMs: 0
  })
  yield* (yield* Ledger).accrue({ builderId: "alpha", sweepId: id, token: TOKEN, amount: 5n, chainId: chain.id })
  return yield* (yield* Payouts).open({ id, chainId: chain.id, token: TOKEN, minAmount: 0n })
})

/** A payment of the batch that the vault signed, valid for `seconds`. */
const signed = Effect.fnUntraced(function* (batch: PayoutBatch, seconds: bigint) {
  const deadline = BigInt(Math.floor((yield* Clock.currentTimeMillis) / 1000)) + seconds
  const account = privateKeyToAccount(VAULT.privateKey)
  const payer = { vault: VAULT.address, permit2: chain.permit2 }
  const raw = yield* Effect.promise(async () =>
    account.signTransaction({
      type: "eip1559",
      chainId: chain.id,
      to: payer.permit2,
      data: paymentData(
        batch,
        payer.vault,
        deadline,
        await account.signTypedData(permitTypedData(batch, payer, deadline))
      ),
      gas: 100_000n,
      maxFeePerGas: 1n,
      maxPriorityFeePerGas: 1n,
      nonce: 0
    })
  )
  return { raw, txHash: keccak256(raw) }
})

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

export const suite = <E>(
  adapter: string,
  layer: (client: ChainClient) => Layer.Layer<PayoutRegister | Builders | Ledger | Payouts, E>
) => {
  type Tested<A, F> = Effect.Effect<A, F, PayoutRegister | Builders | Ledger | Payouts>
  const rule = <A, F>(name: string, test: (mine: ReturnType<typeof emptyChain>["mine"]) => Tested<A, F>) =>
    it.live(name, () => {
      const { client, mine } = emptyChain()
      return Effect.provide(test(mine), layer(client))
    })

  describe(`PayoutRegister on ${adapter}`, () => {
    rule(
      "reads a batch, and tells one that does not exist",
      Effect.fnUntraced(function* () {
        const { get, markPaid, record } = yield* PayoutRegister
        const batch = yield* opened("read")
        assert.deepStrictEqual(yield* get("read"), batch)
        const { raw, txHash } = yield* signed(batch, 60n)
        for (const unknown of [get("nobody's/../x?y"), record("nobody's", raw, 0), markPaid("nobody's", txHash)]) {
          assert.strictEqual(yield* tagOf(unknown), "PayoutNotFound")
        }
      })
    )

    rule(
      "records each payment once, after those that the caller knows",
      Effect.fnUntraced(function* () {
        const { get, record } = yield* PayoutRegister
        const batch = yield* opened("recorded")
        const [first, second] = [yield* signed(batch, 60n), yield* signed(batch, 120n)]
        for (const _ of ["first", "repeated"]) {
          const after = yield* record(batch.id, first.raw, 0)
          assert.deepStrictEqual(
            after.payments?.map(({ txHash }) => txHash),
            [first.txHash]
          )
        }
        assert.strictEqual(yield* tagOf(record(batch.id, second.raw, 0)), "PaymentInFlight")
        assert.strictEqual((yield* record(batch.id, second.raw, 1)).payments?.length, 2)
        assert.strictEqual((yield* get(batch.id)).payments?.length, 2)
      })
    )

    rule(
      "refuses what is no payment of the batch, without saying anything about the batch",
      Effect.fnUntraced(function* () {
        const { get, record } = yield* PayoutRegister
        const batch = yield* opened("guarded")
        const { raw } = yield* signed({ ...batch, id: "another" }, 60n)
        for (const bytes of [raw, "0x1234"] as const) {
          assert.strictEqual(yield* tagOf(record(batch.id, bytes, 0)), "RegisterUnavailable")
        }
        assert.deepStrictEqual(yield* get(batch.id), batch)
      })
    )

    rule(
      "books a payment that the chain proves, once, and nothing after it",
      Effect.fnUntraced(function* (mine) {
        const { get, markPaid, record } = yield* PayoutRegister
        const batch = yield* opened("booked")
        const [payment, late] = [yield* signed(batch, 60n), yield* signed(batch, 120n)]
        yield* record(batch.id, payment.raw, 0)
        const unproven = yield* Effect.flip(markPaid(batch.id, payment.txHash))
        assert.deepInclude(unproven, { _tag: "PaymentUnproven", reason: "not_mined" })

        // While a recorded payment may be mined, another transaction is not booked.
        const foreign = keccak256(stringToHex("a foreign payment"))
        mine(batch, foreign)
        assert.strictEqual(yield* tagOf(markPaid(batch.id, foreign)), "PaymentInFlight")

        mine(batch, payment.txHash)
        // An operator may type the hash in upper case.
        const typed: Hash = `0x${payment.txHash.slice(2).toUpperCase()}`
        for (const hash of [typed, typed, payment.txHash]) {
          assert.deepInclude(yield* markPaid(batch.id, hash), { status: "paid", txHash: payment.txHash })
        }
        assert.strictEqual(yield* tagOf(markPaid(batch.id, foreign)), "PayoutClosed")
        assert.strictEqual(yield* tagOf(record(batch.id, late.raw, 1)), "PayoutClosed")
        assert.strictEqual((yield* get(batch.id)).status, "paid")
      })
    )
  })
}
