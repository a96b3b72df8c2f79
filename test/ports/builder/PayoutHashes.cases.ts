/** Cases of the contract of payouts and ledgers: hashes of transactions in upper case, as a person may type them. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Hash } from "../../../src/domain/Hex.ts"
import type { Builders } from "../../../src/ports/builder/Builders.ts"
import { Ledger } from "../../../src/ports/builder/Ledger.ts"
import { Payouts } from "../../../src/ports/builder/Payouts.ts"
import { register } from "../../support/BuilderFixtures.ts"
import { address } from "../../support/IntentFixtures.ts"

const TOKEN = address(0x11)
const PAID: Hash = `0x${"a1".repeat(32)}`
const PAYMENT: Hash = `0x${"a2".repeat(32)}`

const upper = (hash: Hash): Hash => `0x${hash.slice(2).toUpperCase()}`

const accrual = (sweepId: string) => ({ builderId: "alpha", sweepId, token: TOKEN, amount: 5n, chainId: 1 })

const open = (id: string) =>
  Effect.flatMap(Payouts, (payouts) => payouts.open({ id, chainId: 1, token: TOKEN, minAmount: 0n }))

const accruals = Effect.gen(function* () {
  const ledger = yield* Ledger
  yield* register
  const paid = accrual(`${PAID}_0`)
  assert.strictEqual(yield* ledger.accrue({ ...paid, paidTxHash: PAID }), "added")
  assert.strictEqual(yield* ledger.accrue({ ...paid, paidTxHash: upper(PAID) }), "already_booked")
  assert.lengthOf(yield* ledger.ofTransaction("alpha", upper(PAID)), 1)
  assert.lengthOf(yield* ledger.activity("alpha", { limit: 2, settlement: upper(PAID) }), 1)
})

const payments = Effect.gen(function* () {
  const ledger = yield* Ledger
  const payouts = yield* Payouts
  yield* register
  yield* ledger.accrue(accrual("first"))
  yield* open("batch")
  const payment = { raw: "0x01", deadline: 9 } as const
  yield* payouts.record("batch", { ...payment, txHash: upper(PAYMENT) }, 0)
  assert.lengthOf((yield* payouts.record("batch", { ...payment, txHash: PAYMENT }, 0)).payments ?? [], 1)
  // It is the recorded payment, so the number of payments that the caller has seen does not matter.
  const paid = yield* payouts.markPaid("batch", upper(PAYMENT), 0)
  assert.strictEqual(paid.txHash, PAYMENT)
  assert.deepStrictEqual(yield* payouts.markPaid("batch", upper(PAYMENT), 0), paid)
  yield* ledger.accrue(accrual("next"))
  yield* open("next")
  assert.strictEqual((yield* Effect.flip(payouts.markPaid("next", upper(PAYMENT))))._tag, "PaymentTaken")
})

export const hashCases = <E>(stores: () => Layer.Layer<Builders | Ledger | Payouts, E>) => {
  it.effect("know the transaction of an accrual in any letter case", () =>
    Effect.provide(accruals, Layer.fresh(stores()))
  )
  it.effect("know a payment in any letter case", () => Effect.provide(payments, Layer.fresh(stores())))
}
