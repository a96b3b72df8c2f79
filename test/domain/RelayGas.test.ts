import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { batchGasLimit, batchRoom, itemGas, itemGasLimit, quotedGas, sweepGasLimit } from "../../src/domain/RelayGas.ts"

const Gas = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 21_000n, maximum: 30_000_000n }))

describe("sweepGasLimit", () => {
  it("covers the gross use, a tenth more, and each authorization", () => {
    assert.strictEqual(sweepGasLimit({ simulated: 100_000n, quoted: 0n, authorizations: 0 }), 137_500n)
    assert.strictEqual(sweepGasLimit({ simulated: 100_000n, quoted: 0n, authorizations: 2 }), 187_500n)
  })

  it.prop("is never below the quoted limit, nor below what a maximal refund may have hidden", [Gas, Gas], (input) => {
    const [gross, quoted] = input
    // A refund takes at most a fifth of the gross.
    const simulated = gross - gross / 5n
    const limit = sweepGasLimit({ simulated, quoted, authorizations: 1 })
    return limit >= quoted && limit >= gross
  })
})

describe("quotedGas", () => {
  it.prop("is the quote's own gas where bytes cost none", [Gas], ([gas]) => quotedGas({ gas, dataGas: 0n }) === gas)

  it.prop(
    "leaves the execution its margin beside the gas of the bytes, whatever a later simulation says",
    [Gas, Gas, Gas],
    ([gas, dataGas, later]) => {
      const quoted = quotedGas({ gas, dataGas })
      const gross = (gas * 5n) / 4n
      return [
        sweepGasLimit({ simulated: later, quoted, authorizations: 1 }),
        itemGasLimit({ simulated: later, quoted })
      ].every((limit) => limit >= gross + dataGas)
    }
  )
})

describe("batchGasLimit", () => {
  it("holds the batch, its items, and the part of the largest that a call cannot be given", () => {
    assert.strictEqual(batchGasLimit([6_300_000n, 630_000n]), 60_000n + 6_300_000n + 630_000n + 100_000n)
  })

  it.prop("gives every item its limit, whatever the items before it used", [Schema.NonEmptyArray(Gas)], ([limits]) => {
    const items = limits.map((limit) => itemGas(limit, 0))
    // Ahead of an item, all others may have used their share. EIP-150 keeps a 64th of what is left from the call.
    const total = batchGasLimit(items)
    const used = items.reduce((sum, gas) => sum + gas, 0n)
    return items.every((gas, index) => ((total - (used - gas)) * 63n) / 64n >= (limits[index] ?? 0n))
  })

  it.prop("stays within the gas of a transaction when the items stay within its room", [Gas, Gas], ([total, share]) => {
    const room = batchRoom(total)
    const first = share < room ? share : room
    return room === 0n || batchGasLimit([first, room - first]) <= total
  })
})
