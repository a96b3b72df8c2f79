import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  batchGasLimit,
  batchRoom,
  itemGas,
  itemGasLimit,
  quotedGas,
  simulatedAlone,
  sweepGasLimit
} from "../../src/domain/RelayGas.ts"
import { required } from "../../src/domain/TransactionGas.ts"

const Gas = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 21_000n, maximum: 30_000_000n }))

const Index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 63 }))

/** Calldata of a type-2 transaction: no word of it is zero. */
const data = `0x${"5e".repeat(1_000)}` as const

describe("simulatedAlone", () => {
  it.prop("is no less than what was measured, and more behind others", [Gas, Index], ([gas, index]) =>
    index === 0 ? simulatedAlone(gas, index) === gas : simulatedAlone(gas, index) > gas
  )
})

describe("sweepGasLimit", () => {
  it("covers the transaction, its calldata, the execution with a tenth more, and each authorization", () => {
    const sweep = { simulated: 100_000n, quoted: 0n, data }
    assert.strictEqual(sweepGasLimit({ ...sweep, authorizations: 0 }), 21_000n + 16_000n + 110_000n)
    assert.strictEqual(sweepGasLimit({ ...sweep, authorizations: 2 }), 21_000n + 16_000n + 110_000n + 50_000n)
  })

  it.prop("is never below the quoted limit, nor below what the execution used", [Gas, Gas], ([simulated, quoted]) => {
    const limit = sweepGasLimit({ simulated, quoted, data, authorizations: 1 })
    return limit >= quoted && limit >= required({ data, execution: simulated, authorizations: 1 })
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
        sweepGasLimit({ simulated: later, quoted, data, authorizations: 1 }),
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
