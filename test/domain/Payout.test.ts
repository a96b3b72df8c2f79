import { assert, describe, it } from "@effect/vitest"
import { encodeEventTopics, erc20Abi, type Hex, toHex } from "viem"
import type * as Address from "../../src/domain/Address.ts"
import type { Hash } from "../../src/domain/Hex.ts"
import { toCsv, total, type TransferLog, unpaidLines } from "../../src/domain/Payout.ts"
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
