import { assert, describe, it } from "@effect/vitest"
import { withRecoveryByte } from "../../src/domain/Signature.ts"

const body = "ab".repeat(64)

describe("Signature", () => {
  it("turns a recovery byte of 0 or 1 into 27 or 28", () => {
    assert.strictEqual(withRecoveryByte(`0x${body}00`), `0x${body}1b`)
    assert.strictEqual(withRecoveryByte(`0x${body}01`), `0x${body}1c`)
  })

  it("leaves everything else alone", () => {
    for (const signature of [`0x${body}1b`, `0x${body}1c`, `0x${body}02`, `0x${body}`, "0x"] as const) {
      assert.strictEqual(withRecoveryByte(signature), signature)
    }
  })
})
