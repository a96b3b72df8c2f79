import { assert, describe, it } from "@effect/vitest"
import { balances, lifetime, owed, paid, position } from "../../src/domain/LedgerEntry.ts"
import * as Arbitraries from "./Arbitraries.ts"

const token = Arbitraries.address(1n)
const totals = (earned: bigint, paid: bigint) => ({ chainId: 8453, token, earned, paid, claimed: 0n })

describe("LedgerEntry", () => {
  it("owes what was earned and not paid, or less than nothing after a paid accrual was taken back", () => {
    assert.strictEqual(owed(totals(100n, 40n)), 60n)
    assert.strictEqual(owed(totals(0n, 40n)), -40n)
  })

  it("tells what the next batch can pay from what open batches claim", () => {
    assert.deepStrictEqual(position({ ...totals(100n, 40n), claimed: 50n }), {
      ...totals(100n, 40n),
      claimed: 50n,
      owed: 60n,
      unclaimed: 10n
    })
  })

  it("lists balances above zero, with the chain where it is known", () => {
    assert.deepStrictEqual(balances([totals(100n, 40n), totals(40n, 40n), totals(0n, 40n)]), [
      { chainId: 8453, token, amount: 60n }
    ])
    assert.deepStrictEqual(balances([{ token, earned: 5n, paid: 0n, claimed: 5n }]), [{ token, amount: 5n }])
  })

  it("lists what was paid, also above what was earned", () => {
    assert.deepStrictEqual(paid([totals(100n, 40n), totals(0n, 40n), totals(5n, 0n)]), [
      { chainId: 8453, token, amount: 40n },
      { chainId: 8453, token, amount: 40n }
    ])
  })

  it("lists everything that was ever earned, whether it was paid or not", () => {
    assert.deepStrictEqual(lifetime([totals(100n, 100n), totals(0n, 40n)]), [{ chainId: 8453, token, amount: 100n }])
  })
})
