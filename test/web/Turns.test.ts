import { assert, describe, it } from "vitest"
import { makeTurns } from "../../src/web/lib/turns.ts"

describe("turns", () => {
  it("drop the answer to an earlier question that comes after a later one began", async () => {
    const begin = makeTurns()
    const shown: Array<string> = []
    const show = async (answer: Promise<string>) => {
      const isLast = begin()
      const text = await answer
      if (isLast()) shown.push(text)
    }
    const slow = Promise.withResolvers<string>()
    const first = show(slow.promise)
    await show(Promise.resolve("second account"))
    slow.resolve("first account")
    await first
    assert.deepStrictEqual(shown, ["second account"])
  })
})
