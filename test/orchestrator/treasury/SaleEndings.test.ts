import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../../support/TreasuryScene.ts"
import { LST } from "../../support/TreasuryScene.ts"
import { WHOLE } from "../../support/TreasuryScript.ts"

it.effect("a sale is booked by another endpoint after the first one has deleted its receipt", () =>
  Effect.gen(function* () {
    const scene = yield* Scene.make()
    yield* scene.collect("a", LST, 100n * WHOLE)
    yield* scene.start
    yield* TestClock.adjust("31 seconds")
    scene.script.isPruned = true
    yield* scene.settle("sale-1", 98_765_432n)
    yield* TestClock.adjust("31 seconds")
    const [sale] = yield* scene.sales.recent(1)
    assert.strictEqual(sale?.state, "settled")
  })
)
