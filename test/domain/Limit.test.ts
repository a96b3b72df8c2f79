import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { limited, type LimitChoice, LimitSubject, NAMES, nameOf, parse } from "../../src/domain/Limit.ts"
import { source } from "../support/RelayFixtures.ts"

describe("limits", () => {
  it.prop("have a name each, which reads back", [LimitSubject], ([subject]) => {
    assert.deepStrictEqual(parse(nameOf(subject)), subject)
  })

  it("are not read from other names", () => {
    for (const name of [
      "",
      "8453",
      "8453:wrappedNative",
      "08453:lossBudgetWei",
      "x:lossBudgetWei",
      "1:lossBudgetWei:2"
    ]) {
      assert.isUndefined(parse(name), name)
    }
  })

  it.prop("replace those of their chain alone", [Schema.Literals(NAMES), Schema.Boolean], ([limit, isOwn]) => {
    const choice: LimitChoice = { chainId: isOwn ? source.id : source.id + 1, limit, wei: 7n }
    const after = limited(source, [choice])
    assert.deepStrictEqual(after, isOwn ? { ...source, [limit]: 7n } : source)
  })
})
