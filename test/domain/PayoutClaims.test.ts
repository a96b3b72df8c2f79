import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { type Claimable, inOrder, orders } from "../../src/domain/PayoutClaims.ts"

const sum = (entries: ReadonlyArray<Claimable>) => entries.reduce((total, { amount }) => total + amount, 0n)

/** A sweep with its accrual, its reversal, or both. */
const Sweep = Schema.Struct({
  amount: Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 9n })),
  entries: Schema.Literals(["accrual", "reversal", "both"])
})

const entriesOf = (sweeps: ReadonlyArray<typeof Sweep.Type>): ReadonlyArray<Claimable> =>
  sweeps.flatMap(({ amount, entries }, index) => {
    const sweepId = String(index)
    return [
      ...(entries === "reversal" ? [] : [{ sweepId, amount }]),
      ...(entries === "accrual" ? [] : [{ sweepId, amount: -amount }])
    ]
  })

const Sweeps = Schema.Array(Sweep)

describe("the order of a payout's claims", () => {
  it.effect.prop("never claims more than is owed", [Sweeps], ([sweeps]) =>
    Effect.sync(() => {
      const entries = entriesOf(sweeps)
      if (sum(entries) <= 0n) return
      for (const order of orders(entries)) {
        assert.strictEqual(new Set(order).size, order.length)
        for (const end of order.keys()) assert.isTrue(sum(order.slice(0, end + 1)) <= sum(entries))
      }
    })
  )

  it.effect.prop("pays in parts until what is left is less than each accrual", [Sweeps], ([sweeps]) =>
    Effect.sync(() => {
      const limit = 3
      let entries = entriesOf(sweeps)
      if (sum(entries) <= 0n) return
      for (let part = inOrder(entries, limit); part.length > 0; part = inOrder(entries, limit)) {
        const claimed = part.slice(0, limit)
        assert.isTrue(sum(claimed) > 0n)
        entries = entries.filter((entry) => !claimed.includes(entry))
      }
      const owed = sum(entries)
      const reversed = new Set(entries.flatMap(({ amount, sweepId = "" }) => (amount < 0n ? [sweepId] : [])))
      const accruals = entries.filter(({ amount, sweepId = "" }) => amount > 0n && !reversed.has(sweepId))
      assert.isTrue(owed === 0n || accruals.every(({ amount }) => amount > owed))
    })
  )
})
