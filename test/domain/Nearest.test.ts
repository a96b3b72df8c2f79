import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { nearest } from "../../src/domain/Nearest.ts"

const KEYS = ["rpcUrls", "wsUrl", "confirmations", "feeRecipient", "id"]

describe("nearest", () => {
  it("finds the name behind a slip of the fingers", () => {
    const slips = [
      ["rpcUrl", "rpcUrls"],
      ["rpcurls", "rpcUrls"],
      ["rpcUlrs", "rpcUrls"],
      ["RPCURLS", "rpcUrls"],
      ["confirmation", "confirmations"],
      ["feeReceipient", "feeRecipient"],
      ["wsUrls", "wsUrl"]
    ] as const
    for (const [slip, meant] of slips) assert.deepStrictEqual(nearest(slip, KEYS), Option.some(meant), slip)
  })

  it("suggests nothing for another word", () => {
    for (const other of ["colour", "ix", "", "x".repeat(40)])
      assert.deepStrictEqual(nearest(other, KEYS), Option.none())
  })
})
