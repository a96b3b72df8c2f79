import { assert, describe, it } from "@effect/vitest"
import * as Silences from "../../../src/adapters/prices/Silences.ts"

const MINUTE = 60_000

describe("a silence", () => {
  it("is passing for ten minutes, and no longer", () => {
    const { isPassing } = Silences.make()
    for (let minute = 0; minute < 10; minute++) assert.isTrue(isPassing("a", minute * MINUTE))
    assert.isFalse(isPassing("a", 10 * MINUTE))
    assert.isTrue(isPassing("b", 10 * MINUTE))
  })

  it("ends with an answer", () => {
    const { end, isPassing } = Silences.make()
    isPassing("a", 0)
    isPassing("a", 9 * MINUTE)
    end("a")
    assert.isTrue(isPassing("a", 10 * MINUTE))
  })

  it("begins anew after ten minutes without a question", () => {
    const { isPassing } = Silences.make()
    isPassing("a", 0)
    assert.isTrue(isPassing("a", 10 * MINUTE))
    assert.isTrue(isPassing("a", 19 * MINUTE))
    assert.isFalse(isPassing("a", 20 * MINUTE))
  })
})
