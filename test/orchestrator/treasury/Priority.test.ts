import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "../../support/TreasuryScene.ts"
import { LST } from "../../support/TreasuryScene.ts"
import { chain, WHOLE } from "../../support/TreasuryScript.ts"

describe("the operator", () => {
  it.effect("reads prices like a quote, since anybody can use up what is left for display", () =>
    Effect.gen(function* () {
      // Without a key there are no rounds, which read prices too.
      const scene = yield* Scene.make({ key: "none" })
      yield* scene.collect("a", LST, 100n * WHOLE)
      const { treasury } = yield* scene.start
      for (const read of [treasury.view, treasury.safePlan(chain.id)]) {
        scene.asked.pricedAt.length = 0
        yield* read
        assert.deepStrictEqual([...new Set(scene.asked.pricedAt)], ["quote"])
      }
    })
  )
})
