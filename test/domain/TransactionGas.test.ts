import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { calldataGas, charged, required } from "../../src/domain/TransactionGas.ts"

const Gas = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 30_000_000n }))
const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 }))

/** Calldata of as many zero bytes and other bytes. */
const dataOf = (zeros: number, others: number) => `0x${"00".repeat(zeros)}${"a0".repeat(others)}` as const

describe("calldataGas", () => {
  it("is 4 for a zero byte and 16 for another", () => {
    assert.strictEqual(calldataGas("0x"), 0n)
    assert.strictEqual(calldataGas(dataOf(3, 2)), 3n * 4n + 2n * 16n)
  })
})

describe("charged", () => {
  const plain = { data: "0x", execution: 0n, refund: 0n, authorizations: 0 } as const

  it("is 21,000 for a transfer, and 25,000 more for each authorization", () => {
    assert.strictEqual(charged(plain), 21_000n)
    assert.strictEqual(charged({ ...plain, authorizations: 2 }), 71_000n)
  })

  it("takes off refunds, at most a fifth", () => {
    assert.strictEqual(charged({ ...plain, execution: 79_000n, refund: 19_900n }), 80_100n)
    assert.strictEqual(charged({ ...plain, execution: 79_000n, refund: 90_000n }), 80_000n)
  })

  it("is never below the floor of the calldata", () => {
    assert.strictEqual(charged({ ...plain, data: dataOf(0, 1_000) }), 21_000n + 40_000n)
  })

  it.prop(
    "is never more than the transaction must be granted, and never less than four fifths of it",
    [Gas, Gas, Count, Count, Count],
    ([execution, refund, zeros, others, authorizations]) => {
      const transaction = { data: dataOf(zeros, others), execution, refund, authorizations }
      const [net, gross] = [charged(transaction), required(transaction)]
      return net <= gross && net * 5n >= gross * 4n
    }
  )
})
