import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { numberToHex } from "viem"
import type { Hash } from "../../src/domain/Hex.ts"
import {
  type BookedLine,
  isStray,
  plan,
  type SettledSweep,
  unnamedVaults,
  withoutBooked
} from "../../src/domain/LostSweeps.ts"
import * as Arbitraries from "./Arbitraries.ts"

const VAULT = Arbitraries.address(1n)
const BUILDER = { builderId: "acme", payoutAddress: Arbitraries.address(2n) }
const STRANGER = Arbitraries.address(3n)

const hash = (number: number): Hash => numberToHex(number, { size: 32 })

const sweep = (changes: Partial<SettledSweep> = {}): SettledSweep => ({
  sweepId: `${hash(1)}_3`,
  chainId: 1,
  feeToken: Arbitraries.address(4n),
  amountIn: 100n,
  feeAmount: 7n,
  builderFee: 5n,
  txHash: hash(1),
  settledAtMs: 1_000,
  orderHash: hash(2),
  recipient: VAULT,
  ...changes
})

const books = { vaults: [VAULT], payees: [BUILDER], intents: new Map() }

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

  it("takes a former vault for a vault, also if a builder has its address", () => {
    const renewed = { ...books, vaults: [VAULT, STRANGER], payees: [{ builderId: "own", payoutAddress: STRANGER }] }
    const found = only(renewed, sweep({ recipient: STRANGER }))
    assert.deepInclude(found?.unassigned, { recipient: STRANGER, paid: false })
    assert.isUndefined(found?.accrual)
  })

  it("does not know the account of a fee that is no vault's and no builder's", () => {
    const isStrayAt = (recipient: SettledSweep["recipient"], vaults = [VAULT]) =>
      plan({ ...books, vaults }, [sweep({ recipient })]).map(isStray)
    assert.deepStrictEqual(isStrayAt(STRANGER), [true])
    assert.deepStrictEqual(isStrayAt(STRANGER, [VAULT, STRANGER]), [false])
    assert.deepStrictEqual(isStrayAt(VAULT), [false])
    assert.deepStrictEqual(isStrayAt(BUILDER.payoutAddress), [false])
  })

  it("finds the vaults that settled orders name and the settings do not", () => {
    const attributed = (payoutMode: "ledger" | "onchain") => new Map([[hash(2), { builderId: "other", payoutMode }]])
    const found = (intents: typeof books.intents, ...sweeps: ReadonlyArray<SettledSweep>) =>
      unnamedVaults({ ...books, intents }, sweeps)
    const foreign = sweep({ recipient: STRANGER })
    assert.deepStrictEqual(found(attributed("ledger"), foreign, foreign, sweep()), [STRANGER])
    assert.deepStrictEqual(found(attributed("ledger"), { ...foreign, builderFee: 0n }), [])
    assert.deepStrictEqual(found(attributed("onchain"), foreign), [])
    assert.deepStrictEqual(found(new Map(), foreign), [])
  })

  it("takes the builder of an intent that the database still has, and its payout mode", () => {
    const intents = new Map([[hash(2), { builderId: "other", payoutMode: "ledger" as const }]])
    const { accrual } = only({ ...books, intents }, sweep()) ?? {}
    assert.deepInclude(accrual, { builderId: "other", amount: 5n })
    assert.isFalse("paidTxHash" in (accrual ?? {}))
  })

  it("books no revenue of a sale of the fee recipient, and leaves a line that is booked already", () => {
    const sale = sweep({ builderFee: 0n, isOwnSale: true })
    assert.deepStrictEqual(plan(books, [sale]), [{ sweep: sale }])
    const line = { book: "revenue", sweepId: sale.sweepId, token: sale.feeToken, amount: 7n } as const
    const former = new Map([[hash(2), [hash(1)]]])
    assert.deepStrictEqual(withoutBooked(plan(books, [sale]), former, [line]), [{ sweep: sale }])
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

  it("books a settlement whatever is booked for the others of its transaction", () => {
    const planned = plan(books, [sweep(), sweep({ sweepId: `${hash(1)}_4`, orderHash: hash(3) })])
    const line = { book: "revenue", sweepId: `${hash(1)}_4`, token: Arbitraries.address(4n), amount: 7n } as const
    assert.deepStrictEqual(withoutBooked(planned, new Map([[hash(2), [hash(1)]]]), [line]), planned)
  })

  it("books nothing again that settled at another position of its first transaction", () => {
    const settled = sweep({ sweepId: `${hash(1)}_5`, recipient: BUILDER.payoutAddress })
    const place = { sweepId: `${hash(1)}_3`, token: settled.feeToken }
    const left = (...lines: ReadonlyArray<BookedLine>) =>
      withoutBooked(plan(books, [settled]), new Map([[hash(2), [hash(1)]]]), lines)
    const revenue = { ...place, book: "revenue", amount: 7n } as const
    const accrual = { ...place, book: "accrual", amount: 5n, builderId: "acme" } as const
    assert.deepStrictEqual(left(revenue, accrual), [{ sweep: settled }])
    for (const corrected of ["-corrected", "-corrected-corrected"]) {
      const line = { ...accrual, sweepId: `${hash(1)}_3${corrected}` }
      assert.deepStrictEqual(left(revenue, line), [{ sweep: settled }], corrected)
    }
    const present = { ...accrual, sweepId: `${settled.sweepId}-corrected-corrected` }
    assert.deepStrictEqual(Object.keys(left(revenue, present)[0] ?? {}), ["sweep", "accrual"])
    assert.deepStrictEqual(Object.keys(left(revenue, { ...accrual, builderId: "other" })[0] ?? {}), [
      "sweep",
      "accrual"
    ])
  })

  it("books nothing again when a settlement has the former position of another one", () => {
    const fees = [7n, 8n, 9n]
    const former = new Map(fees.map((fee) => [hash(Number(fee)), [hash(1)]]))
    const lines = fees.map((amount, index) => ({
      book: "revenue" as const,
      sweepId: `${hash(1)}_${index}`,
      token: Arbitraries.address(4n),
      amount
    }))
    // The first one failed, and settled later in another transaction.
    const places = [`${hash(9)}_0`, `${hash(1)}_0`, `${hash(1)}_1`]
    const again = fees.map((feeAmount, index) =>
      sweep({
        sweepId: places[index] ?? "",
        txHash: hash(index === 0 ? 9 : 1),
        orderHash: hash(Number(feeAmount)),
        feeAmount,
        builderFee: 0n
      })
    )
    assert.deepStrictEqual(
      withoutBooked(plan(books, again), former, lines),
      again.map((settled) => ({ sweep: settled }))
    )
  })

  const Placed = Schema.Struct({
    /** Fee of a sweep. Many are equal. */
    fee: Schema.Literals([1n, 2n]),
    builder: Schema.Literals(["acme", "other"]),
    /** Its first transaction, and true if it is in the same one now. */
    first: Schema.Literals([1, 2]),
    stays: Schema.Boolean,
    /** True if the books lost it. */
    isLost: Schema.Boolean,
    order: Schema.Int
  })
  it.effect.prop(
    "has each settlement once in the books after any reorganisation",
    [Schema.Array(Placed).check(Schema.isMaxLength(12))],
    ([placed]) =>
      Effect.sync(() => {
        // The order in which they settle again gives them other positions.
        const moved = placed.map((each, index) => ({ ...each, index })).toSorted((a, b) => a.order - b.order)
        const orderOf = (index: number) => hash(100 + index)
        const sweeps = moved.map(({ fee, first, index, stays }, position) =>
          sweep({
            sweepId: `${hash(stays ? first : 9)}_${position}`,
            txHash: hash(stays ? first : 9),
            orderHash: orderOf(index),
            feeAmount: fee,
            builderFee: fee
          })
        )
        const intents = new Map(
          placed.map(({ builder }, index) => [orderOf(index), { builderId: builder, payoutMode: "ledger" as const }])
        )
        const former = new Map(placed.map(({ first }, index) => [orderOf(index), [hash(first)]]))
        const lines = placed.flatMap(({ builder, fee, first, isLost }, index): ReadonlyArray<BookedLine> => {
          const line = { sweepId: `${hash(first)}_${index}`, token: Arbitraries.address(4n), amount: fee }
          if (isLost) return []
          return [
            { ...line, book: "revenue" },
            { ...line, book: "accrual", builderId: builder }
          ]
        })
        const left = withoutBooked(plan({ ...books, intents }, sweeps), former, lines)
        const written = ({ amount, book, builderId }: Omit<BookedLine, "sweepId" | "token">) =>
          `${book} ${amount} ${builderId}`
        const isKept = (line: Omit<BookedLine, "token">) =>
          lines.some((each) => each.sweepId === line.sweepId && written(each) === written(line))
        const added = left.flatMap(({ accrual, revenue }) => [
          ...(revenue === undefined ? [] : [{ ...revenue, book: "revenue" as const }]),
          ...(accrual === undefined ? [] : [{ ...accrual, book: "accrual" as const }])
        ])
        const after = [...lines, ...added.filter((line) => !isKept(line))].map(written)
        const expected = placed.flatMap(({ builder, fee }) => [
          written({ book: "revenue", amount: fee }),
          written({ book: "accrual", amount: fee, builderId: builder })
        ])
        assert.deepStrictEqual(after.toSorted(), expected.toSorted())
      })
  )

  it("books revenue alone for a sweep without a builder", () => {
    const found = only(books, sweep({ builderFee: 0n, recipient: Arbitraries.address(0n) }))
    assert.deepStrictEqual(Object.keys(found ?? {}).toSorted(), ["revenue", "sweep"])
    assert.strictEqual(found?.revenue?.amount, 7n)
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
          found.map(({ revenue }) => [revenue?.sweepId, revenue?.amount]),
          sweeps.map(({ feeAmount, sweepId }) => [sweepId, feeAmount])
        )
        for (const { accrual, sweep: own, unassigned } of found) {
          assert.strictEqual((accrual?.amount ?? 0n) + (unassigned?.amount ?? 0n), own.builderFee)
          assert.isFalse(accrual !== undefined && unassigned !== undefined)
        }
      })
  )
})
