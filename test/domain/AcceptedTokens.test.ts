import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result, Schema } from "effect"
import * as AcceptedTokens from "../../src/domain/AcceptedTokens.ts"

const parse = (text: string) => AcceptedTokens.parse(text, "ADMIN_TOKEN")
const tokensAt = (text: string, at: string) =>
  AcceptedTokens.acceptedAt(Result.getOrThrow(parse(text)) ?? assert.fail("no tokens"), Date.parse(at)).map((each) =>
    Redacted.value(each)
  )

const Token = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9+/=_.~-]{1,64}$/))

describe("accepted tokens", () => {
  it.prop("are the current one and the former ones", [Token, Schema.Array(Token)], ([first, others]) => {
    const tokens = [first, ...others]
    assert.deepStrictEqual(tokensAt(tokens.join(" , "), "2026-01-01"), tokens)
  })

  it("of before are refused from their date", () => {
    const text = "new,old@2026-12-01,older@2026-11-01T12:30Z"
    assert.deepStrictEqual(tokensAt(text, "2026-11-01T12:29:59Z"), ["new", "old", "older"])
    assert.deepStrictEqual(tokensAt(text, "2026-11-01T12:30:00Z"), ["new", "old"])
    assert.deepStrictEqual(tokensAt(text, "2026-12-01T00:00:00Z"), ["new"])
  })

  it("may have an @ that is no date", () => {
    assert.deepStrictEqual(tokensAt("a@b,c@2026", "2026-01-01"), ["a@b", "c@2026"])
  })

  it("are none in an empty list", () => {
    assert.isUndefined(Result.getOrThrow(parse(" , ")))
  })

  it.each(["new@2026-12-01", "new,@2026-12-01", "new,old@2026-13-41"])("%s is refused, unquoted", (text) => {
    const refused = parse(text)
    assert(Result.isFailure(refused))
    assert.notInclude(refused.failure, "new")
  })
})
