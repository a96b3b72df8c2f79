import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { plainText } from "../../src/domain/PlainText.ts"

const name = Schema.is(plainText({ minimum: 1, maximum: 8 }))
const note = Schema.is(plainText({ minimum: 0, maximum: 8 }))

describe("plainText", () => {
  it("takes letters of all scripts, and emoji of several code points", () => {
    for (const text of ["Acme", "日本語", "شركة", "חברה", "A & B", "👩‍💻", "é"]) assert.isTrue(name(text), text)
  })

  it("counts code points", () => {
    assert.isTrue(name("😀".repeat(8)))
    assert.isFalse(name("😀".repeat(9)))
    assert.isFalse(name(""))
    assert.isTrue(note(""))
    for (const blank of [" ", "\u00a0", "\u3000", "\u200b", "\u2060", "\u3164 \u2800", "\u00ad\u034f"]) {
      assert.isFalse(name(blank), JSON.stringify(blank))
      assert.isTrue(note(blank))
    }
  })

  it("refuses control characters, line breaks, and characters that change the direction of text", () => {
    const hidden = ["\0", "\n", "\r", "\t", "\u001b", "\u007f", "\u0085", "\u2028", "\u2029"]
    const turning = ["\u061c", "\u200e", "\u200f", "\u202a", "\u202e", "\u2066", "\u2069"]
    for (const character of [...hidden, ...turning]) {
      const code = character.codePointAt(0)?.toString(16)
      assert.isFalse(name(`a${character}b`), code)
      assert.isFalse(note(`a${character}b`), code)
    }
  })
})
