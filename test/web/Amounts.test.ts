import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { editable, exact, parse, percent, readable, separatorProblem } from "../../src/web/lib/amounts.ts"
import { toCsv } from "../../src/web/lib/csv.ts"

const Amount = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 256n - 1n }))
const Decimals = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 36 }))

describe("amounts", () => {
  it("are cut, never rounded up", () => {
    assert.strictEqual(readable(1_999_999_999n, 9), "1.999999")
    assert.strictEqual(readable(1_234_567_890_123n, 6), "1,234,567.890123")
    assert.strictEqual(readable(5n, 18), "<0.000001")
    assert.strictEqual(readable(-5n, 18), "-<0.000001")
    assert.strictEqual(readable(0n, 18), "0")
    assert.strictEqual(readable(-1_500_000n, 6), "-1.5")
    assert.strictEqual(readable(42n, 0), "42")
    assert.strictEqual(percent(30), "0.3%")
  })

  it.prop("read back as what they were", [Amount, Decimals], ([value, decimals]) => {
    assert.strictEqual(parse(exact(value, decimals), decimals, "."), value)
  })

  it.prop("are never shown as more than they are", [Amount, Decimals], ([value, decimals]) => {
    const shown = readable(value, decimals).replaceAll(",", "")
    const least = shown.startsWith("<") ? 0n : (parse(shown, decimals, ".") ?? value + 1n)
    assert.isTrue(least <= value)
    assert.isTrue(value - least < 10n ** BigInt(Math.max(decimals - 6, 0)))
  })

  it("are not read from what is no amount of the token", () => {
    for (const text of ["", ".", "1.2.3", "-1", "1e3", "0.1234567", "1,000"]) {
      assert.isUndefined(parse(text, 6, "."), text)
    }
  })
})

describe("amounts in a language with a comma before decimals", () => {
  it("are read with a comma, as the number pad of a phone has it, and with a point", () => {
    for (const [text, read] of [
      ["0,5", 500_000n],
      [",5", 500_000n],
      ["1,000", 1_000_000n],
      ["1234,5", 1_234_500_000n],
      ["0.5", 500_000n],
      ["0.125", 125_000n],
      ["1000.125", 1_000_125_000n],
      ["7", 7_000_000n]
    ] as const) {
      assert.strictEqual(parse(text, 6, ","), read, text)
    }
  })

  it("are refused where a point may stand between thousands, with the reason", () => {
    for (const text of ["1.000", "12.500", "1.000,5", "1.000.000", "1,2,3", ","]) {
      assert.isUndefined(parse(text, 6, ","), text)
    }
    assert.include(separatorProblem("1.000", ",") ?? "", "no point between thousands")
    assert.isUndefined(separatorProblem("1,2,3", ","))
  })

  it.prop("are shown in the field as they are read", [Amount, Decimals], ([value, decimals]) => {
    for (const sign of [".", ","] as const) {
      assert.strictEqual(parse(editable(value, decimals, sign), decimals, sign), value)
    }
  })

  it("elsewhere are refused, with the reason", () => {
    for (const text of ["0,5", "1,000"]) {
      assert.isUndefined(parse(text, 6, "."), text)
      assert.include(separatorProblem(text, ".") ?? "", "Write decimals after a point")
    }
    assert.isUndefined(separatorProblem("0.1234567", "."))
  })
})

describe("files", () => {
  it("quote what needs it, and run nothing in a spreadsheet", () => {
    assert.strictEqual(
      toCsv(
        ["a", "b"],
        [
          ["x,y", 'say "hi"'],
          ["=SUM(A1)", -5n]
        ]
      ),
      'a,b\r\n"x,y","say ""hi"""\r\n\'=SUM(A1),-5\r\n'
    )
    assert.strictEqual(toCsv(["a"], [["-1+1|cmd"], ["-1.5"], ["\n=1"]]), "a\r\n'-1+1|cmd\r\n-1.5\r\n\"'\n=1\"\r\n")
  })
})
