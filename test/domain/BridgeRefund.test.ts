import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { assign, type RefundLine, type Waiting } from "../../src/domain/BridgeRefund.ts"
import { address, hash } from "../support/IntentFixtures.ts"

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

const waiting = (id: string, amount: number, change: Partial<Waiting> = {}): Waiting => ({
  id,
  account: address(1),
  token: address(0xa),
  amount: BigInt(amount),
  notBefore: 100,
  fromBlock: 0n,
  ...change
})

const line = (logIndex: number, amount: number, change: Partial<RefundLine> = {}): RefundLine => ({
  txHash: hash("leaf"),
  blockNumber: 10n,
  logIndex,
  entry: 0,
  token: address(0xa),
  account: address(1),
  amount: BigInt(amount),
  ...change
})

const ids = (of: ReadonlyArray<Waiting>, lines: ReadonlyArray<RefundLine>) => assign(of, lines).map((each) => each.ids)

const Deposits = Schema.Array(
  Schema.Struct({ account: upTo(1), token: upTo(1), amount: upTo(4), from: upTo(3) })
).check(Schema.isMaxLength(8))
const Payments = Schema.Array(
  Schema.Struct({ account: upTo(1), token: upTo(1), amount: upTo(9), block: upTo(3) })
).check(Schema.isMaxLength(6))

describe("payments of a bridge", () => {
  it("return the deposit of the same amount, the oldest first, once", () => {
    const two = [waiting("b", 5, { notBefore: 90 }), waiting("a", 5)]
    expect(ids(two, [line(1, 5)])).toEqual([["b"]])
    expect(ids(two, [line(1, 5), line(2, 5)])).toEqual([["b"], ["a"]])
    expect(ids(two, [line(1, 5), line(2, 5), line(3, 5)])).toHaveLength(2)
    expect(ids([waiting("a", 5)], [line(1, 4)])).toEqual([])
  })

  it("return neighbouring deposits whose sum they are", () => {
    const three = [
      waiting("a", 5, { notBefore: 1 }),
      waiting("b", 6, { notBefore: 2 }),
      waiting("c", 7, { notBefore: 3 })
    ]
    expect(ids(three, [line(1, 11)])).toEqual([["a", "b"]])
    expect(ids(three, [line(1, 13), line(2, 5)])).toEqual([["b", "c"], ["a"]])
    expect(ids(three, [line(1, 18)])).toEqual([["a", "b", "c"]])
    expect(ids(three, [line(1, 12)])).toEqual([])
  })

  it("return nothing to another account, in another token, or before the deadline", () => {
    const one = [waiting("a", 5, { fromBlock: 10n })]
    expect(ids(one, [line(1, 5)])).toEqual([["a"]])
    expect(ids(one, [line(1, 5, { account: address(2) })])).toEqual([])
    expect(ids(one, [line(1, 5, { token: address(0xb) })])).toEqual([])
    expect(ids(one, [line(1, 5, { blockNumber: 9n })])).toEqual([])
  })

  it.prop("are assigned to the unit, and no deposit twice", [Deposits, Payments], ([deposits, payments]) => {
    const of = deposits.map(({ account, amount, from, token }, index) =>
      waiting(`${index}`, amount, {
        account: address(account),
        token: address(token),
        notBefore: index % 3,
        fromBlock: BigInt(from)
      })
    )
    const lines = payments.map(({ account, amount, block, token }, index) =>
      line(index, amount, { account: address(account), token: address(token), blockNumber: BigInt(block) })
    )
    const assignments = assign(of, lines)
    const assigned = assignments.flatMap((each) => each.ids)
    expect(new Set(assigned).size).toBe(assigned.length)
    expect(new Set(assignments.map((each) => each.line.logIndex)).size).toBe(assignments.length)
    for (const { ids: paid, line: by } of assignments) {
      const returned = of.filter(({ id }) => paid.includes(id))
      expect(returned.reduce((sum, { amount }) => sum + amount, 0n)).toBe(by.amount)
      expect(
        returned.every(
          ({ account, amount, fromBlock, token }) =>
            account === by.account && token === by.token && amount > 0n && fromBlock <= by.blockNumber
        )
      ).toBe(true)
    }
  })
})
