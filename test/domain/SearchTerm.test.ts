/** Reading of what an operator pastes into the search. */
import { assert, describe, it } from "@effect/vitest"
import { parse, textOf } from "../../src/domain/SearchTerm.ts"
import { address, hash } from "../support/IntentFixtures.ts"

const owner = address(0xabcdef)
const tx = hash("a")

describe("a search term", () => {
  it("is an address or a hash in any case, with spaces around it, or at the end of a link", () => {
    for (const text of [owner, owner.toLowerCase(), ` ${owner}\n`, `https://basescan.org/address/${owner}#tokentxns`]) {
      assert.deepStrictEqual(parse(text), { _tag: "Address", address: owner }, text)
    }
    for (const text of [tx, tx.toUpperCase(), `https://basescan.org/tx/${tx}?a=b`, `https://basescan.org/tx/${tx}/`]) {
      assert.deepStrictEqual(parse(text), { _tag: "Hash", hash: tx }, text)
    }
  })

  it("is an id otherwise, in the case that it has, except for that of a UUID", () => {
    for (const text of ["Acme", "0x12", `${tx}00`, "bld_1", "a/b"]) {
      assert.deepStrictEqual(parse(text), { _tag: "Id", id: text }, text)
    }
    const uuid = "6F1E5F6C-8F0E-4D3C-9A5B-2D7C1F0E9B4A"
    assert.deepStrictEqual(parse(uuid), { _tag: "Id", id: uuid.toLowerCase() })
  })

  it("is nothing in an empty text", () => {
    for (const text of ["", "  ", "https://"]) assert.isUndefined(parse(text), text)
  })

  it("is found again by its own text", () => {
    for (const text of [owner, tx, "acme"]) {
      const term = parse(text) ?? assert.fail(text)
      assert.deepStrictEqual(parse(textOf(term)), term)
    }
  })
})
