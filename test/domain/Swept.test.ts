import { assert, describe, it } from "@effect/vitest"
import * as SweepOrder from "../../src/domain/SweepOrder.ts"
import { settles, type Swept } from "../../src/domain/Swept.ts"
import * as Arbitraries from "./Arbitraries.ts"

const order = Arbitraries.order({
  accounts: [1n, 2n, 3n, 4n, 5n, 6n],
  amounts: [100n, 1n, 2n, 90n, 1_800_000_000n, 7n, 10n],
  calldata: [0xde, 0xad]
})
const orderHash = SweepOrder.digest(order, { name: SweepOrder.DEFAULT_DOMAIN_NAME, chainId: 8453 })

const { deadline: _deadline, minAmountOut, swapCalldata: _calldata, ...repeated } = order
const event: Swept = { ...repeated, orderHash, amountOut: minAmountOut }

describe("settles", () => {
  it("takes the event that repeats the order and delivers its minimum or more", () => {
    assert.isTrue(settles(event, order, orderHash))
    assert.isTrue(settles({ ...event, amountOut: minAmountOut + 1n }, order, orderHash))
  })

  it("refuses an event that delivers less than the minimum", () => {
    assert.isFalse(settles({ ...event, amountOut: minAmountOut - 1n }, order, orderHash))
  })

  it("refuses an event that differs from the order in any field", () => {
    const other = `0x${"ff".repeat(32)}` as const
    assert.isFalse(settles({ ...event, orderHash: other }, order, orderHash))
    const { amountOut: _amountOut, orderHash: _orderHash, ...fields } = event
    for (const [field, value] of Object.entries(fields)) {
      const changed = typeof value === "bigint" ? value + 1n : Arbitraries.address(99n)
      assert.isFalse(settles({ ...event, [field]: changed }, order, orderHash), field)
    }
  })
})
