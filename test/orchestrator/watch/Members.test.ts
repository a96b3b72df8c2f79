import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Members from "../../../src/orchestrator/watch/Members.ts"
import { layer, scene } from "../../support/RelayScene.ts"

describe("the sweeps of transactions that are not concluded yet", () => {
  const known = Effect.gen(function* () {
    const { submit } = yield* scene
    const [a, b] = [yield* submit({ id: "a", owner: 1 }), yield* submit({ id: "b", owner: 2 })]
    const members = Members.make()
    for (const id of ["first", "second", "deciding"]) {
      members.add({ chainId: 1, id }, [{ intent: a, isSettled: false }])
    }
    members.add({ chainId: 2, id: "elsewhere" }, [{ intent: a, isSettled: false }])
    const settled = (id: string) => members.of(id).map(({ intent, isSettled }) => [intent.id, isSettled])
    return { a, b, members, settled }
  })

  it.effect("stay after they left their transaction, with what is known of each last", () =>
    Effect.gen(function* () {
      const { a, b, members, settled } = yield* known
      members.add({ chainId: 1, id: "first" }, [{ intent: b, isSettled: true }])
      assert.deepStrictEqual(settled("first"), [
        ["a", false],
        ["b", true]
      ])
      members.add({ chainId: 1, id: "first" }, [{ intent: a, isSettled: true }])
      assert.deepStrictEqual(settled("first"), [
        ["a", true],
        ["b", true]
      ])
      members.forget("first")
      assert.deepStrictEqual(settled("first"), [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("are forgotten when another process has ended their transaction, unless this one still decides it", () =>
    Effect.gen(function* () {
      const { members, settled } = yield* known
      members.retain(1, [{ id: "first" }], (id) => id === "deciding")
      const left = ["first", "second", "deciding", "elsewhere"].filter((id) => settled(id).length > 0)
      assert.deepStrictEqual(left, ["first", "deciding", "elsewhere"])
    }).pipe(Effect.provide(layer))
  )
})
