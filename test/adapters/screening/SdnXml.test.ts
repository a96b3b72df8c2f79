import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as SdnXml from "../../../src/adapters/screening/SdnXml.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { sdnXml } from "./sdnFixture.ts"

const ADDRESSES = [0x1a, 0x2b, 0x3c].map(FakeChain.address)

const readIn = (pieces: ReadonlyArray<string>) => {
  const reader = SdnXml.reader()
  for (const piece of pieces) if (!reader.push(piece)) break
  return reader.finish()
}

/** Cuts a text at the positions, which wrap around. */
const cut = (text: string, positions: ReadonlyArray<number>) => {
  const at = [...new Set(positions.map((position) => position % text.length))].sort((a, b) => a - b)
  return [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length))
}

describe("SdnXml", () => {
  const text = sdnXml(ADDRESSES.map((address) => address.toLowerCase()))

  it.prop(
    "finds the same however the text is cut",
    [Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 })))],
    ([positions]) => {
      assert.deepStrictEqual(Result.getOrThrow(readIn(cut(text, positions))), {
        addresses: new Set(ADDRESSES),
        publishedOn: "2026-02-03"
      })
    }
  )

  it("finds the same character by character, and with long text between the entries", () => {
    assert.deepStrictEqual(Result.getOrThrow(readIn([...text])).addresses, new Set(ADDRESSES))
    const long = sdnXml(ADDRESSES, { between: `<remarks>${"x".repeat(200_000)}</remarks>` })
    assert.deepStrictEqual(Result.getOrThrow(readIn(long.match(/.{1,7000}/gs) ?? [])).addresses, new Set(ADDRESSES))
  })

  it("is no list if it is cut off anywhere before its end", () => {
    for (let length = 0; length < text.indexOf("</sdnList>") + 9; length += 97) {
      assert.isTrue(Result.isFailure(readIn([text.slice(0, length)])))
    }
  })

  it("is no list if it is something else, and says so at once", () => {
    const reader = SdnXml.reader()
    assert.isFalse(reader.push(`<html>${" ".repeat(5_000)}`))
    assert.deepStrictEqual(Result.flip(reader.finish()), Result.succeed("it is no SDN list"))
  })

  it("does not grow with an identifier that has no end", () => {
    const reader = SdnXml.reader()
    reader.push("<sdnList><id><idType>Digital Currency Address - ETH</idType>")
    let pieces = 0
    while (reader.push(" ".repeat(1_000))) pieces += 1
    assert.isBelow(pieces, 70)
    assert.isTrue(Result.isFailure(reader.finish()))
  })
})
