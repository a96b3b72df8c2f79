/** Payments from before the compared blocks pay batches that are open, and nothing else. */
import { assert, describe, it } from "@effect/vitest"
import * as EarlierPayments from "../../../src/cli/reconcile/EarlierPayments.ts"
import * as LostPayments from "../../../src/domain/LostPayments.ts"
import type { PayoutBatch } from "../../../src/domain/Payout.ts"
import { address, hash } from "../../support/IntentFixtures.ts"
import { source } from "../../support/RelayFixtures.ts"
import { minute, PAYEE, TOKEN, transfer } from "./scene.ts"

const STRANGER = address(0x99)

const batch = (id: string, amount: bigint, changes: Partial<PayoutBatch> = {}): PayoutBatch => ({
  id,
  chainId: source.id,
  token: TOKEN,
  status: "open",
  minAmount: 0n,
  total: amount,
  lines: [{ builderId: "alpha", payoutAddress: PAYEE, amount, entries: 1 }],
  createdAtMs: 0,
  ...changes
})

const booksWith = (...batches: ReadonlyArray<PayoutBatch>): LostPayments.Books => ({
  vaults: [source.builderVault],
  batches,
  owed: [{ id: "1", builderId: "alpha", token: TOKEN, amount: 5n }],
  payees: [{ builderId: "alpha", payoutAddress: PAYEE }],
  explained: []
})

/** A payment in the block with this number. */
const payment = (name: string, blockNumber: number, amount: bigint, to = PAYEE): EarlierPayments.MinedPayment => {
  const [only] = LostPayments.payments([source.builderVault], [transfer(name, minute(0, blockNumber), amount, { to })])
  assert.isDefined(only)
  return { ...only, blockNumber: BigInt(blockNumber) }
}

const found = (
  books: LostPayments.Books,
  openedAt: Readonly<Record<string, bigint>>,
  ...payments: ReadonlyArray<EarlierPayments.MinedPayment>
) =>
  EarlierPayments.plan(books, new Map(Object.entries(openedAt)), payments).map(
    ({ batchId, payment: { txHash } }) => `${batchId} by ${txHash}`
  )

describe("a payment from before the compared blocks", () => {
  it("pays an open batch, in the block of its opening at the earliest", () => {
    const books = booksWith(batch("open", 5n))
    assert.deepStrictEqual(found(books, { open: 10n }, payment("paid", 10, 5n)), [`open by ${hash("paid")}`])
    assert.deepStrictEqual(found(books, { open: 10n }, payment("before", 9, 5n)), [])
    assert.deepStrictEqual(found(books, {}, payment("paid", 10, 5n)), [], "the block of its opening is not known")
  })

  it("pays one batch, and a batch is paid once", () => {
    const books = booksWith(batch("later", 5n), batch("first", 5n))
    const openedAt = { first: 10n, later: 20n }
    const payments = [payment("a", 12, 5n), payment("b", 13, 5n), payment("c", 21, 5n), payment("d", 22, 5n)]
    assert.deepStrictEqual(found(books, openedAt, ...payments), [`first by ${hash("a")}`, `later by ${hash("c")}`])
  })

  it("is of no interest if it pays anything else", () => {
    const paid = batch("paid", 6n, { status: "paid", txHash: hash("booked") })
    const books = {
      ...booksWith(batch("open", 8n), paid, batch("failed", 9n, { status: "failed" })),
      explained: [{ txHash: hash("explained"), token: TOKEN }]
    }
    const payments = [
      payment("owed", 11, 5n),
      payment("booked", 12, 6n),
      payment("explained", 13, 8n),
      payment("moved", 14, 8n, STRANGER),
      payment("failed", 15, 9n)
    ]
    assert.deepStrictEqual(found(books, { open: 10n }, ...payments), [])
  })

  it("that a batch recorded pays no other one, also if that batch was opened later", () => {
    const recorded = { txHash: hash("recorded"), raw: "0x" as const, deadline: 1, recordedAtMs: 0 }
    const books = booksWith(batch("open", 5n), batch("recording", 5n, { payments: [recorded] }))
    assert.deepStrictEqual(found(books, { open: 10n, recording: 30n }, payment("recorded", 11, 5n)), [])
  })

  it("leaves its batch to no payment of the compared blocks", () => {
    const books = booksWith(batch("open", 7n))
    const earlier = EarlierPayments.plan(books, new Map([["open", 10n]]), [payment("earlier", 11, 7n)])
    const rest = { ...books, batches: EarlierPayments.paidBy(books.batches, earlier) }
    const [later] = LostPayments.plan(rest, [payment("later", 50, 7n)])
    assert.strictEqual(later?._tag, "Unknown")
  })
})
