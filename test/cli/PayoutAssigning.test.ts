import { assert, describe, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import { asAssigned, assignAll } from "../../src/cli/PayoutAssigning.ts"

type Answer = Effect.Success<ReturnType<typeof assignAll>>

/** Runs the command on these answers, one after another. Returns its result, and what it said meanwhile. */
const run = Effect.fnUntraced(function* (answers: ReadonlyArray<Answer>) {
  const said: Array<string> = []
  const left = [...answers]
  const request = Effect.sync(() => left.shift() ?? assert.fail("one request too many"))
  const result = yield* assignAll(request).pipe(
    Effect.provideService(Console.Console, { ...globalThis.console, error: (text: string) => void said.push(text) })
  )
  assert.lengthOf(left, 0)
  return { result, said }
})

describe("assigning all accruals of a token", () => {
  it.effect("goes on until none is left, and tells how far it is", () =>
    Effect.gen(function* () {
      const { result, said } = yield* run([
        { sweeps: 3_000, amount: 7n, more: true },
        { sweeps: 2_000, amount: 5n, more: true },
        { sweeps: 1, amount: 0n }
      ])
      assert.deepStrictEqual(result, { sweeps: 5_001, amount: 12n })
      assert.deepStrictEqual(said, [
        "assigned 3000 accruals, and more are left",
        "assigned 5000 accruals, and more are left"
      ])
      assert.strictEqual(asAssigned(result, 10), "assigned 5001 accruals to chain 10, of which 12 is owed")
    })
  )

  it.effect("ends while another process assigns them", () =>
    Effect.gen(function* () {
      const { result } = yield* run([
        { sweeps: 1, amount: 7n, more: true },
        { sweeps: 0, amount: 0n, more: true }
      ])
      assert.deepStrictEqual(result, { sweeps: 1, amount: 7n, more: true })
      assert.strictEqual(
        asAssigned(result, 10),
        "assigned 1 accrual to chain 10, of which 7 is owed\naccruals of the token are left without a chain: run the command again"
      )
    })
  )

  it("says that there was none", () => {
    assert.strictEqual(asAssigned({ sweeps: 0, amount: 0n }, 10), "no accrual of the token is without a chain")
  })
})
