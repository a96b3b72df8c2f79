import { assert, describe, it } from "@effect/vitest"
import { sweepRefund } from "../../src/domain/SweepRefund.ts"

describe("sweepRefund", () => {
  const part = { amountIn: 50n, isBridged: false, isNative: false, passing: 0, spendable: 80n }

  it("has the allowance that the swap uses up", () => {
    assert.strictEqual(sweepRefund(part), 19_900n)
  })

  it("has the balance that is swept whole", () => {
    assert.strictEqual(sweepRefund({ ...part, spendable: 50n }), 24_700n)
  })

  it("has the wrapped balance of a native input, if there was none before", () => {
    assert.strictEqual(sweepRefund({ ...part, isNative: true, spendable: 0n }), 39_800n)
    assert.strictEqual(sweepRefund({ ...part, isNative: true }), 19_900n)
  })

  it("has each balance that the swap passes on", () => {
    assert.strictEqual(sweepRefund({ ...part, passing: 2 }), 59_700n)
  })

  it("has the lock of a bridge's pool", () => {
    assert.strictEqual(sweepRefund({ ...part, isBridged: true }), 22_700n)
  })
})
