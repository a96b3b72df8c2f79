import { describe, expect, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as AskedTokens from "../../src/domain/AskedTokens.ts"
import { address } from "../support/FakeChain.ts"

const read = (text: string | undefined) => Result.getOrUndefined(AskedTokens.read(text))

describe("AskedTokens", () => {
  it("reads addresses in any case, each once, and nothing as none", () => {
    expect(read(undefined)).toEqual([])
    expect(read("")).toEqual([])
    expect(read(` ${address(0xab).toLowerCase()} , ${address(0xab)},${address(2)},`)).toEqual([
      address(0xab),
      address(2)
    ])
  })

  it("refuses other texts, the zero address, and more than twenty", () => {
    const some = (count: number) => Array.from({ length: count }, (_, index) => address(index + 1)).join(",")
    expect(read(some(20))?.length).toBe(20)
    expect(read(some(21))).toBeUndefined()
    for (const text of ["USDC", "0x12", `0x${"0".repeat(40)}`, `${address(1)};${address(2)}`, "x".repeat(100_000)]) {
      expect(read(text)).toBeUndefined()
    }
    expect(read(`${" ".repeat(10_000)},`)).toBeUndefined()
  })

  it.prop("never has more than the maximum", [Schema.Array(Schema.String)], ([parts]) => {
    expect((read([...parts, address(1)].join(",")) ?? []).length).toBeLessThanOrEqual(AskedTokens.MOST)
  })
})
