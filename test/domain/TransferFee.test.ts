import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { lessBps } from "../../src/domain/Amount.ts"
import * as TransferFee from "../../src/domain/TransferFee.ts"

const Amount = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 128n }))
const Bps = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))

describe("a fee on transfer", () => {
  it("is the part that did not arrive, rounded up", () => {
    assert.deepStrictEqual(
      [
        TransferFee.takenBps(10_000n, 9_900n),
        TransferFee.takenBps(10_001n, 9_901n),
        TransferFee.takenBps(100n, 100n),
        TransferFee.takenBps(100n, 101n),
        TransferFee.takenBps(100n, 0n),
        TransferFee.takenBps(0n, 0n)
      ],
      [100, 100, 0, 0, 10_000, 0]
    )
  })

  it.prop("never leaves more than what arrives", [Amount, Amount], ([sent, arrived]) => {
    const taken = TransferFee.takenBps(sent, arrived)
    return taken >= 0 && taken <= 10_000 && lessBps(sent, taken) <= arrived
  })

  it.prop(
    "is rehearsed with a minimum that every accepted fee reaches",
    [Amount, Bps, Bps],
    ([promised, fee, limit]) => {
      const least = TransferFee.rehearsedMinimum(promised, limit)
      return least >= 1n && (fee > limit || promised === 0n || lessBps(promised, fee) >= least || least === 1n)
    }
  )

  it.prop("lowers a price to at least 1", [Amount, Bps], ([usd, fee]) => {
    const price = TransferFee.priceAfter(usd, fee)
    return price >= 1n && (price === 1n || price <= usd)
  })
})
