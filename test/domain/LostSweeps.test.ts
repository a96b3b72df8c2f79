import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { numberToHex } from "viem"
import type { Hash } from "../../src/domain/Hex.ts"
import { type BookedLine, plan, type SettledSweep, withoutBooked } from "../../src/domain/LostSweeps.ts"
import * as Arbitraries from "./Arbitraries.ts"

const VAULT = Arbitraries.address(1n)
const BUILDER = { builderId: "acme", payoutAddress: Arbitraries.address(2n) }
const STRANGER = Arbitraries.address(3n)

const hash = (number: number): Hash => numberToHex(number, { size: 32 })

const sweep = (changes: Partial<SettledSweep> = {}): SettledSweep => ({
  sweepId: `${hash(1)}_3`,
  chainId: 1,
  feeToken: Arbitraries.address(4n),
  feeAmount: 7n,
  builderFee: 5n,
  txHash: hash(1),
  settledAtMs: 1_000,
  orderHash: hash(2),
  recipient: VAULT,
  ...changes
})

const books = { vault: VAULT, payees: [BUILDER], intents: new Map() }

const only = (attributions: Parameters<typeof plan>[0], settled: SettledSweep) => plan(attributions, [settled])[0]

describe("the plan of settlements", () => {
  it("books the fee that a sweep paid to a builder's address as paid", () => {
    const found = only(books, sweep({ recipient: BUILDER.payoutAddress }))
    assert.deepInclude(found?.accrual, { builderId: "acme", amount: 5n, paidTxHash: hash(1) })
    assert.isUndefined(found?.unassigned)
  })

  it("keeps a fee in the vault for the operator, since the chain does not show its builder", () => {
    const found = only(books, sweep())
    assert.isUndefined(found?.accrual)
    assert.deepInclude(found?.unassigned, { amount: 5n, recipient: VAULT, paid: false })
  })

  it("keeps a fee that was paid to an address which no builder has", () => {
    assert.deepInclude(only(books, sweep({ recipient: STRANGER }))?.unassigned, { recipient: STRANGER, paid: true })
  })

  it("takes the builder of an intent that the database still has, and its payout mode", () => {
    const intents = new Map([[hash(2), { builderId: "other", payoutMode: "ledger" as const }]])
    const { accrual } = only({ ...books, intents }, sweep()) ?? {}
    assert.deepInclude(accrual, { builderId: "other", amount: 5n })
    assert.isFalse("paidTxHash" in (accrual ?? {}))
  })

  it("books what the books lost of equal sweeps that settled again", () => {
    const again = [0, 1].map((position) => sweep({ sweepId: `${hash(9)}_${position}`, txHash: hash(9) }))
    const line = { book: "revenue", sweepId: `${hash(1)}_3`, token: Arbitraries.address(4n), amount: 7n } as const
    const former = new Map([[hash(2), [hash(1)]]])
    const left = (...lines: ReadonlyArray<BookedLine>) =>
      withoutBooked(plan(books, again), former, lines).map(({ revenue }) => revenue?.sweepId)
    const [first, second] = again.map(({ sweepId }) => sweepId)
    assert.deepStrictEqual(left(), [first, second])
    assert.deepStrictEqual(left(line), [undefined, second])
    // The same line from the books and from a message.
    assert.deepStrictEqual(left(line, line), [undefined, second])
    assert.deepStrictEqual(left(line, { ...line, sweepId: `${hash(1)}_4` }), [undefined, undefined])
    assert.deepStrictEqual(left({ ...line, amount: 8n }, { ...line, token: STRANGER }), [first, second])
    assert.deepStrictEqual(left({ ...line, sweepId: `${hash(8)}_3` }), [first, second])
  })

  it("keeps an unassigned fee once when its sweep settles again", () => {
    const again = sweep({ sweepId: `${hash(9)}_0`, txHash: hash(9) })
    const line = { book: "unassigned", sweepId: `${hash(1)}_3`, token: Arbitraries.address(4n), amount: 5n } as const
    const [found] = withoutBooked(plan(books, [again]), new Map([[hash(2), [hash(1)]]]), [line])
    assert.deepStrictEqual(Object.keys(found ?? {}).toSorted(), ["revenue", "sweep"])
  })

  it("books a settlement in the transaction that its intent names, whatever else is booked there", () => {
    const planned = plan(books, [sweep()])
    const line = { book: "revenue", sweepId: `${hash(1)}_4`, token: Arbitraries.address(4n), amount: 7n } as const
    assert.deepStrictEqual(withoutBooked(planned, new Map([[hash(2), [hash(1)]]]), [line]), planned)
  })

  it("books revenue alone for a sweep without a builder", () => {
    const found = only(books, sweep({ builderFee: 0n, recipient: Arbitraries.address(0n) }))
    assert.deepStrictEqual(Object.keys(found ?? {}).toSorted(), ["revenue", "sweep"])
    assert.strictEqual(found?.revenue.amount, 7n)
  })

  const Fee = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 9n }))
  it.effect.prop(
    "loses no fee and books none twice",
    [
      Schema.Array(
        Schema.Struct({
          fee: Fee,
          builderFee: Fee,
          recipient: Schema.Literals([VAULT, BUILDER.payoutAddress, STRANGER])
        })
      ),
      Schema.Boolean
    ],
    ([settled, isKnown]) =>
      Effect.sync(() => {
        const intents = isKnown ? new Map([[hash(2), undefined]]) : new Map()
        const sweeps = settled.map(({ builderFee, fee, recipient }, index) =>
          sweep({ sweepId: String(index), feeAmount: fee, builderFee, recipient })
        )
        const found = plan({ ...books, intents }, sweeps)
        assert.deepStrictEqual(
          found.map(({ revenue }) => [revenue.sweepId, revenue.amount]),
          sweeps.map(({ feeAmount, sweepId }) => [sweepId, feeAmount])
        )
        for (const { accrual, sweep: own, unassigned } of found) {
          assert.strictEqual((accrual?.amount ?? 0n) + (unassigned?.amount ?? 0n), own.builderFee)
          assert.isFalse(accrual !== undefined && unassigned !== undefined)
        }
      })
  )
})
