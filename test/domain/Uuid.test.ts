import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Uuid from "../../src/domain/Uuid.ts"

const ID = "2f9d1c1e-7d52-4b8e-8a55-0e6a9a1b3c77"

describe("UUIDs", () => {
  it("are stored in lower case", () => {
    for (const id of [ID, ID.toUpperCase(), `2F9d${ID.slice(4)}`]) assert.strictEqual(Uuid.stored(id), ID)
  })

  it("are not any other text, which keeps its case", () => {
    for (const text of ["", "Acme", `whk_${ID}`, ID.replaceAll("-", ""), `${ID}\n`, `{${ID}}`, `${ID.slice(1)}G`]) {
      assert.isFalse(Uuid.isUuid(text), text)
      assert.strictEqual(Uuid.stored(text), text)
    }
  })

  it.prop("have one stored form", [Schema.String], ([text]) => {
    assert.strictEqual(Uuid.stored(Uuid.stored(text)), Uuid.stored(text))
  })
})
