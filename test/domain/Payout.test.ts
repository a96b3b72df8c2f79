import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { encodeEventTopics, erc20Abi, type Hex, toHex } from "viem"
import type * as Address from "../../src/domain/Address.ts"
import type { Hash } from "../../src/domain/Hex.ts"
import { paysExactly, toCsv, total, type TransferLog, unpaidLines } from "../../src/domain/Payout.ts"
import * as Arbitraries from "./Arbitraries.ts"

const [vault, token, alice, bob] = [1n, 2n, 3n, 4n].map(Arbitraries.address) as [
  Address.Address,
  Address.Address,
  Address.Address,
  Address.Address
]
const line = (builderId: string, payoutAddress: Address.Address, amount: bigint) => ({
  builderId,
  payoutAddress,
  amount,
  entries: 1
})
const Amount = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 3n }))
const lines = [line("alice", alice, 100n), line("bob", bob, 50n)]
const batch = { token, lines }

const transfer = (from: Address.Address, to: Address.Address, amount: bigint, of = token): TransferLog => ({
  address: of,
  topics: encodeEventTopics({ abi: erc20Abi, eventName: "Transfer", args: { from, to } }) as ReadonlyArray<Hash>,
  data: toHex(amount, { size: 32 })
})

const unpaid = (logs: ReadonlyArray<TransferLog>) => unpaidLines(batch, vault, logs).map(({ builderId }) => builderId)

describe("unpaidLines", () => {
  it("finds every line paid by a transfer of its amount or more", () => {
    assert.deepStrictEqual(unpaid([transfer(vault, alice, 100n), transfer(vault, bob, 51n)]), [])
  })

  it("adds up several transfers to one address", () => {
    assert.deepStrictEqual(unpaid([transfer(vault, alice, 60n), transfer(vault, alice, 40n)]), ["bob"])
  })

  it("finds a line unpaid that lacks one unit", () => {
    assert.deepStrictEqual(unpaid([transfer(vault, alice, 99n), transfer(vault, bob, 50n)]), ["alice"])
  })

  it("proves two lines of one address by the sum of both, not twice by one transfer", () => {
    const shared = { token, lines: [line("alice", alice, 10n), line("carol", alice, 10n), line("bob", bob, 50n)] }
    const lacking = (...amounts: ReadonlyArray<bigint>) =>
      unpaidLines(shared, vault, [
        ...amounts.map((amount) => transfer(vault, alice, amount)),
        transfer(vault, bob, 50n)
      ]).map(({ builderId }) => builderId)
    assert.deepStrictEqual(lacking(10n), ["alice", "carol"])
    assert.deepStrictEqual(lacking(10n, 9n), ["alice", "carol"])
    assert.deepStrictEqual(lacking(10n, 10n), [])
    assert.deepStrictEqual(lacking(20n), [])
  })

  it.effect.prop(
    "finds nothing unpaid exactly if every address received the sum of its lines",
    [
      Schema.Array(Schema.Tuple([Schema.Literals([alice, bob, vault]), Amount])).check(Schema.isMaxLength(6)),
      Schema.Array(Schema.Tuple([Schema.Literals([alice, bob, vault]), Amount])).check(Schema.isMaxLength(6))
    ],
    ([owed, sent]) =>
      Effect.sync(() => {
        const sum = (rows: typeof owed, to: Address.Address) =>
          rows.reduce((total, [address, amount]) => (address === to ? total + amount : total), 0n)
        const unpaidOf = unpaidLines(
          { token, lines: owed.map(([address, amount], index) => line(String(index), address, amount)) },
          vault,
          sent.map(([address, amount]) => transfer(vault, address, amount))
        ).map(({ builderId }) => builderId)
        const expected = owed.flatMap(([address], index) =>
          sum(sent, address) < sum(owed, address) ? [String(index)] : []
        )
        assert.deepStrictEqual(unpaidOf, expected)
      })
  )

  it("counts transfers of the batch's token out of the vault, and nothing else", () => {
    const other: ReadonlyArray<TransferLog> = [
      transfer(bob, alice, 100n),
      transfer(vault, alice, 100n, bob),
      { ...transfer(vault, alice, 100n), topics: [`0x${"11".repeat(32)}`] },
      { ...transfer(vault, alice, 100n), data: `${toHex(100n, { size: 32 })}00` as Hex }
    ]
    assert.deepStrictEqual(unpaid([...other, transfer(vault, bob, 50n)]), ["alice"])
  })
})

describe("paysExactly", () => {
  const pays = (...logs: ReadonlyArray<TransferLog>) => paysExactly(batch, vault, logs)

  it("holds for the transfers of every line by the vault, and nothing else of it", () => {
    assert.isTrue(pays(transfer(vault, alice, 100n), transfer(vault, bob, 50n)))
    assert.isTrue(pays(transfer(vault, alice, 100n), transfer(vault, bob, 50n), transfer(alice, bob, 7n)))
    assert.isTrue(pays(transfer(vault, alice, 100n), transfer(vault, bob, 50n), transfer(vault, bob, 7n, alice)))
    assert.isFalse(pays(transfer(vault, alice, 100n), transfer(vault, bob, 51n)))
    assert.isFalse(pays(transfer(vault, alice, 100n), transfer(vault, bob, 50n), transfer(vault, token, 1n)))
    assert.isFalse(pays(transfer(vault, alice, 150n)))
  })
})

describe("a batch", () => {
  it("sums its lines beyond a uint256", () => {
    const most = 2n ** 256n - 1n
    assert.strictEqual(total([line("alice", alice, most), line("bob", bob, most)]), 2n * most)
  })

  it("is a CSV file with a record for each line", () => {
    const whole = {
      ...batch,
      id: "batch",
      chainId: 8453,
      status: "open" as const,
      minAmount: 1n,
      total: 150n,
      createdAtMs: 0
    }
    assert.strictEqual(
      toCsv(whole),
      "batch_id,chain_id,token,builder_id,payout_address,amount\r\n" +
        `batch,8453,${token},alice,${alice},100\r\nbatch,8453,${token},bob,${bob},50\r\n`
    )
  })
})
