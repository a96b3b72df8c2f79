import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  batchCallGas,
  batchGasLimit,
  batchRoom,
  executionLimit,
  itemGas,
  legGas,
  mayBeOutOfGas,
  quotedGas,
  simulatedAlone,
  sweepGasLimit,
  TRANSACTION_GAS_CAP,
  withinCap
} from "../../src/domain/RelayGas.ts"

const Gas = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 21_000n, maximum: 30_000_000n }))

const Index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 63 }))

/** Calldata of a type-2 transaction: no word of it is zero. */
const data = `0x${"5e".repeat(1_000)}` as const

describe("simulatedAlone", () => {
  it.prop("is no less than what was measured, and more behind others", [Gas, Index], ([gas, index]) =>
    index === 0 ? simulatedAlone(gas, index) === gas : simulatedAlone(gas, index) > gas
  )
})

describe("executionLimit", () => {
  it.prop("is the rehearsed gas and at most a fifth and 50,000 more", [Gas], ([gas]) => {
    const limit = executionLimit(gas)
    return limit > gas && limit <= (gas * 6n) / 5n + 50_000n
  })
})

describe("withinCap", () => {
  it("ends the margin at the maximum of a transaction, and leaves what needs more as it is", () => {
    const most = TRANSACTION_GAS_CAP
    assert.strictEqual(withinCap(10n, 15n), 15n)
    assert.strictEqual(withinCap(most - 1n, most), most)
    assert.strictEqual(withinCap(most - 1n, 2n * most), most)
    assert.strictEqual(withinCap(most, 2n * most), most)
    assert.strictEqual(withinCap(most + 1n, 2n * most), most + 1n)
  })
})

describe("sweepGasLimit", () => {
  it("covers the transaction, its calldata, the execution's limit, and each authorization", () => {
    const sweep = { gasLimit: 110_000n, data }
    assert.strictEqual(sweepGasLimit({ ...sweep, authorizations: 0 }), 21_000n + 16_000n + 110_000n)
    assert.strictEqual(sweepGasLimit({ ...sweep, authorizations: 2 }), 21_000n + 16_000n + 110_000n + 50_000n)
  })

  it.prop("leaves the execution its limit", [Gas], ([gasLimit]) => {
    const rest = sweepGasLimit({ gasLimit, data, authorizations: 1 }) - 21_000n - 16_000n - 25_000n
    return rest === gasLimit
  })
})

describe("legGas", () => {
  const Legs = Schema.NonEmptyArray(
    Schema.Struct({ limit: Gas, bytes: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20_000 })) })
  ).check(Schema.isMaxLength(8))

  it.prop("is what each further leg adds to its item at most", [Legs], ([legs]) => {
    const item = (some: typeof legs) =>
      itemGas({
        gasLimit: batchCallGas(
          some.map(({ limit }) => limit),
          50
        ),
        data: `0x${"5e".repeat(some.reduce((sum, { bytes }) => sum + bytes, 2_000))}`,
        authorizations: 1
      })
    const [first, ...rest] = legs
    return item(legs) <= rest.reduce((sum, { bytes, limit }) => sum + legGas(limit, bytes), item([first]))
  })
})

describe("batchCallGas", () => {
  const Limits = Schema.NonEmptyArray(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_000_000 })))

  it.prop("gives every leg its whole limit, 63/64 at each call", [Limits], ([drawn]) => {
    const limits = drawn.map(BigInt)
    // The check of the contract: `gasleft() * 63 < (gasLimit + _LEG_OVERHEAD) * 64`.
    let left = batchCallGas(limits, limits.length)
    return limits.every((limit) => {
      const isEnough = left * 63n >= (limit + 1_000n) * 64n
      left -= limit + 2_000n
      return isEnough
    })
  })

  it.prop("needs no more than a call for each leg", [Limits], ([drawn]) => {
    const limits = drawn.map(BigInt)
    const apart = limits.reduce((sum, limit) => sum + batchCallGas([limit], limits.length), 0n)
    return batchCallGas(limits, limits.length) <= apart
  })
})

describe("quotedGas", () => {
  it.prop("is the execution's limit and the gas of the bytes", [Gas, Gas], ([execution, dataGas]) => {
    return quotedGas({ limits: { execution }, dataGas }) === execution + dataGas
  })
})

describe("mayBeOutOfGas", () => {
  it("suspects an execution that used more than seven eighths of its limit", () => {
    assert.isFalse(mayBeOutOfGas(700n, 800n))
    assert.isTrue(mayBeOutOfGas(701n, 800n))
  })
})

describe("itemGas", () => {
  it("covers calldata that costs more than the execution (EIP-7623)", () => {
    const long = `0x${"5e".repeat(60_000)}` as const
    const item = { gasLimit: 200_000n, data: long, authorizations: 0 }
    assert.isTrue(itemGas(item) >= 2_400_000n)
    assert.strictEqual(itemGas({ ...item, data }), 200_000n + 20_000n + 16_000n)
    assert.strictEqual(itemGas({ ...item, data, authorizations: 1 }), 200_000n + 20_000n + 16_000n + 25_000n)
  })
})

describe("batchGasLimit", () => {
  it("holds the batch, its items, and the part of the largest that a call cannot be given", () => {
    assert.strictEqual(batchGasLimit([6_300_000n, 630_000n]), 60_000n + 6_300_000n + 630_000n + 100_000n)
  })

  it.prop("gives every item its limit, whatever the items before it used", [Schema.NonEmptyArray(Gas)], ([limits]) => {
    const items = limits.map((limit) => itemGas({ gasLimit: limit, data, authorizations: 0 }))
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
