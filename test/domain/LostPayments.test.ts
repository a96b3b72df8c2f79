/** Payments that a restored database may have forgotten, against histories of which the truth is known. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { encodeEventTopics, erc20Abi, numberToHex, toHex } from "viem"
import type * as Address from "../../src/domain/Address.ts"
import type { Hash } from "../../src/domain/Hex.ts"
import { type Books, type OwedEntry, payments, plan, type VaultPayment } from "../../src/domain/LostPayments.ts"
import { type PayoutBatch, total } from "../../src/domain/Payout.ts"
import * as Arbitraries from "./Arbitraries.ts"

const VAULT = Arbitraries.address(1n)
const TOKEN = Arbitraries.address(2n)
const STRANGER = Arbitraries.address(99n)
const payees = [10n, 11n, 12n].map((each) => ({
  builderId: `builder ${each}`,
  payoutAddress: Arbitraries.address(each)
}))

const hash = (number: number): Hash => numberToHex(number + 1, { size: 32 })

const transfer = (txHash: Hash, to: Address.Address, amount: bigint, from = VAULT, token = TOKEN) => ({
  transactionHash: txHash,
  address: token,
  topics: encodeEventTopics({ abi: erc20Abi, eventName: "Transfer", args: { from, to } }) as ReadonlyArray<Hash>,
  data: toHex(amount, { size: 32 })
})

const paying = (txHash: Hash, lines: ReadonlyArray<{ readonly to: Address.Address; readonly amount: bigint }>) =>
  payments(
    [VAULT],
    lines.map(({ amount, to }) => transfer(txHash, to, amount))
  )

const batchOf = (
  id: string,
  lines: ReadonlyArray<{ readonly payee: number; readonly amount: bigint }>
): PayoutBatch => {
  const own = lines.flatMap(({ amount, payee }) => {
    const found = payees[payee]
    return found === undefined ? [] : [{ ...found, amount, entries: 1 }]
  })
  return {
    id,
    chainId: 1,
    token: TOKEN,
    status: "open",
    minAmount: 0n,
    total: total(own),
    lines: own,
    createdAtMs: 0
  }
}

const entry = (id: number, payee: number, amount: bigint): OwedEntry => ({
  id: String(id),
  builderId: payees[payee]?.builderId ?? "",
  token: TOKEN,
  amount
})

const none: Books = { vaults: [VAULT], batches: [], owed: [], payees, explained: [] }

const tags = (books: Books, found: ReadonlyArray<VaultPayment>) => plan(books, found).map(({ _tag }) => _tag)

const [alice, bob] = payees
const A = alice?.payoutAddress ?? STRANGER
const B = bob?.payoutAddress ?? STRANGER

const Payee = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 }))
const Amount = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 4n }))
const Entries = Schema.Array(Schema.Tuple([Payee, Amount])).check(Schema.isMaxLength(8))

describe("payments of a vault", () => {
  it("are grouped by transaction and token, and leave out transfers of others", () => {
    const other = Arbitraries.address(3n)
    const found = payments(
      [VAULT],
      [
        transfer(hash(0), A, 5n),
        transfer(hash(0), A, 2n),
        transfer(hash(0), B, 1n, STRANGER),
        transfer(hash(0), B, 3n, VAULT, other),
        transfer(hash(1), B, 4n)
      ]
    )
    assert.deepStrictEqual(
      found.map(({ recipients, token, txHash }) => ({ recipients, token, txHash })),
      [
        { txHash: hash(0), token: TOKEN, recipients: [{ address: A, amount: 7n }] },
        { txHash: hash(0), token: other, recipients: [{ address: B, amount: 3n }] },
        { txHash: hash(1), token: TOKEN, recipients: [{ address: B, amount: 4n }] }
      ]
    )
  })
})

describe("payments of a vault and its predecessor", () => {
  const [FORMER, vaults] = [STRANGER, [VAULT, STRANGER]]
  const books = { ...none, vaults }

  it("are apart in one transaction", () => {
    const found = payments(vaults, [transfer(hash(0), A, 5n), transfer(hash(0), A, 2n, FORMER)])
    assert.deepStrictEqual(
      found.map(({ recipients, vault }) => [vault, recipients]),
      [
        [VAULT, [{ address: A, amount: 5n }]],
        [FORMER, [{ address: A, amount: 2n }]]
      ]
    )
    const open = { ...books, batches: [batchOf("open", [{ payee: 0, amount: 7n }])] }
    assert.deepStrictEqual(tags(open, found), ["Unknown", "Unknown"], "neither of them paid the batch")
  })

  it("are known apart from a booked one of the same token and transaction", () => {
    const found = payments(vaults, [transfer(hash(0), A, 5n), transfer(hash(0), B, 3n, FORMER)])
    const paid = { ...batchOf("paid", [{ payee: 0, amount: 5n }]), status: "paid" as const, txHash: hash(0) }
    const after = (changes: Partial<Books>) => tags({ ...books, batches: [paid], ...changes }, found)
    assert.deepStrictEqual(after({}), ["Booked", "Unknown"])
    assert.deepStrictEqual(after({ batches: [paid, batchOf("open", [{ payee: 1, amount: 3n }])] }), [
      "Booked",
      "PaysOpen"
    ])
    assert.deepStrictEqual(after({ owed: [entry(1, 1, 3n)] }), ["Booked", "PaysLost"])
    const other = { ...paid, ...batchOf("other", [{ payee: 1, amount: 3n }]), status: "paid" as const }
    assert.deepStrictEqual(
      plan({ ...books, batches: [paid, other] }, found).map((each) => "batchId" in each && each.batchId),
      ["paid", "other"]
    )
  })

  it("pay open and forgotten batches alike", () => {
    const found = payments(vaults, [transfer(hash(0), A, 5n, FORMER), transfer(hash(1), B, 3n, FORMER)])
    const batches = [batchOf("open", [{ payee: 0, amount: 5n }])]
    assert.deepStrictEqual(tags({ ...books, batches, owed: [entry(1, 1, 3n)] }, found), ["PaysOpen", "PaysLost"])
  })

  it("are moves if they go to a vault alone, which is no builder's account", () => {
    const moved = payments(vaults, [transfer(hash(0), VAULT, 5n, FORMER)])
    assert.deepStrictEqual(tags(books, moved), ["Moved"])
    const own = { ...books, payees: [{ builderId: "own", payoutAddress: VAULT }] }
    assert.deepStrictEqual(tags(own, moved), ["Unknown"])
    const both = payments(vaults, [transfer(hash(0), VAULT, 5n, FORMER), transfer(hash(0), A, 5n, FORMER)])
    assert.deepStrictEqual(tags(books, both), ["Unknown"])
    assert.deepStrictEqual(tags(none, payments([VAULT], [transfer(hash(0), FORMER, 5n)])), ["Unknown"], "not named")
  })
})

describe("the plan of payments", () => {
  it("finds forgotten batches of a builder whose reversals fill a batch", () => {
    const [payee] = payees
    const to = payee?.payoutAddress ?? STRANGER
    const wrong = [1, 2, 3].map((id): OwedEntry => ({ ...entry(id, 0, 20n), sweepId: `wrong ${id}` }))
    const taken = wrong.map((each): OwedEntry => ({ ...each, id: `${each.id} reversed`, amount: -each.amount }))
    const right = [entry(4, 0, 8n), entry(5, 0, 15n)]
    const owed = [...wrong, ...taken, ...right]
    const paidBy = (amount: bigint) => {
      const [found] = plan(
        { vaults: [VAULT], batches: [], owed, payees, explained: [] },
        paying(hash(1), [{ to, amount }])
      )
      return found?._tag === "PaysLost" ? found.lines.flatMap(({ entries }) => entries) : found?._tag
    }
    assert.deepStrictEqual(paidBy(15n), ["5"])
    assert.strictEqual(paidBy(7n), "Unknown")
  })

  it("knows what is booked or explained", () => {
    const paid = { ...batchOf("paid", [{ payee: 0, amount: 5n }]), status: "paid" as const, txHash: hash(0) }
    const books = { ...none, batches: [paid], explained: [{ txHash: hash(1), token: TOKEN }] }
    assert.deepStrictEqual(
      tags(books, [...paying(hash(0), [{ to: A, amount: 5n }]), ...paying(hash(1), [{ to: STRANGER, amount: 1n }])]),
      ["Booked", "Explained"]
    )
  })

  it("gives a payment to the open batch that recorded it, among batches that are alike", () => {
    const lines = [{ payee: 0, amount: 5n }]
    const recorded = {
      ...batchOf("second", lines),
      payments: [{ txHash: hash(0), raw: "0x" as const, deadline: 1, recordedAtMs: 0 }]
    }
    const found = plan(
      { ...none, batches: [batchOf("first", lines), recorded] },
      paying(hash(0), [{ to: A, amount: 5n }])
    )
    assert.deepStrictEqual(
      found.map((each) => ("batchId" in each ? each.batchId : each._tag)),
      ["second"]
    )
  })

  it("does not take a payment of more, or to somebody else as well, for that of a batch", () => {
    const books = { ...none, batches: [batchOf("open", [{ payee: 0, amount: 5n }])] }
    assert.deepStrictEqual(tags(books, paying(hash(0), [{ to: A, amount: 6n }])), ["Unknown"])
    const both = [
      { to: A, amount: 5n },
      { to: STRANGER, amount: 1n }
    ]
    assert.deepStrictEqual(tags(books, paying(hash(0), both)), ["Unknown"])
  })

  it("finds the part of what is owed that a full batch paid: what was taken back, and the first accruals", () => {
    const owed = [entry(1, 0, 5n), entry(2, 0, 4n), entry(3, 0, -3n), entry(4, 0, 9n)]
    const [found] = plan({ ...none, owed }, paying(hash(0), [{ to: A, amount: 2n }]))
    const lines = found?._tag === "PaysLost" ? found.lines : []
    assert.deepStrictEqual(
      lines.map(({ amount, entries }) => [amount, entries]),
      [[2n, ["3", "1"]]]
    )
  })

  it("says what the recipients of an unknown payment are owed", () => {
    const [found] = plan({ ...none, owed: [entry(1, 0, 3n)] }, paying(hash(0), [{ to: A, amount: 4n }]))
    assert.deepStrictEqual(found?._tag === "Unknown" ? found.recipients : found, [
      { address: A, amount: 4n, builderId: alice?.builderId ?? "", owed: 3n }
    ])
  })

  it.effect.prop(
    "finds every batch of a history, forgotten or open, and pays no entry and no batch twice",
    [Schema.Array(Schema.Struct({ forgotten: Schema.Boolean, entries: Entries })).check(Schema.isMaxLength(5))],
    ([history]) =>
      Effect.sync(() => {
        const owed: Array<OwedEntry> = []
        const batches: Array<PayoutBatch> = []
        const paid = history.flatMap(({ entries, forgotten }, index) => {
          const sums = new Map<number, bigint>()
          for (const [payee, amount] of entries) {
            sums.set(payee, (sums.get(payee) ?? 0n) + amount)
            if (forgotten) owed.push(entry(owed.length, payee, amount))
          }
          const lines = [...sums].map(([payee, amount]) => ({ payee, amount }))
          if (!forgotten && lines.length > 0) batches.push(batchOf(String(index), lines))
          const to = lines.map(({ amount, payee }) => ({ amount, to: payees[payee]?.payoutAddress ?? STRANGER }))
          return paying(hash(index), to)
        })
        // An open batch and a forgotten one may be alike. Either explains the payment.
        const found = plan({ ...none, batches, owed }, paid)
        const lost = found.flatMap((each) => (each._tag === "PaysLost" ? each.lines : []))
        const used = lost.flatMap(({ entries }) => entries)
        assert.strictEqual(new Set(used).size, used.length)
        const booked = found.flatMap((each) => (each._tag === "PaysOpen" ? [each.batchId] : []))
        assert.strictEqual(new Set(booked).size, booked.length)
        for (const { amount, entries } of lost) {
          const sum = owed.filter(({ id }) => entries.includes(id)).reduce((all, each) => all + each.amount, 0n)
          assert.strictEqual(sum, amount)
        }
        const shapes = paid.map(({ recipients }) =>
          recipients
            .map(({ address, amount }) => `${address}:${amount}`)
            .toSorted()
            .join()
        )
        const isAlike = new Set(shapes).size < shapes.length
        if (!isAlike) assert.isFalse(found.some(({ _tag }) => _tag === "Unknown"))
      })
  )

  it.effect.prop(
    "explains any payments without inventing money",
    [Entries, Entries, Schema.Array(Entries).check(Schema.isMaxLength(4))],
    ([owing, claimed, transfers]) =>
      Effect.sync(() => {
        const owed = owing.map(([payee, amount], index) => entry(index, payee, amount))
        const batches = claimed.map(([payee, amount], index) => batchOf(String(index), [{ payee, amount }]))
        const paid = transfers.flatMap((each, index) =>
          paying(
            hash(index),
            each.map(([payee, amount]) => ({ amount, to: payees[payee]?.payoutAddress ?? STRANGER }))
          )
        )
        const found = plan({ ...none, batches, owed }, paid)
        assert.deepStrictEqual(
          found.map(({ payment }) => payment),
          paid
        )
        const used = found.flatMap((each) =>
          each._tag === "PaysLost" ? each.lines.flatMap(({ entries }) => entries) : []
        )
        assert.strictEqual(new Set(used).size, used.length)
        for (const each of found) {
          const sent = each.payment.recipients.reduce((sum, { amount }) => sum + amount, 0n)
          if (each._tag === "PaysOpen") {
            assert.strictEqual(batches.find(({ id }) => id === each.batchId)?.total, sent)
          }
          if (each._tag === "PaysLost") {
            const ids = new Set(each.lines.flatMap(({ entries }) => entries))
            const settled = owed.filter(({ id }) => ids.has(id)).reduce((sum, { amount }) => sum + amount, 0n)
            assert.strictEqual(settled, sent)
          }
        }
      })
  )
})
