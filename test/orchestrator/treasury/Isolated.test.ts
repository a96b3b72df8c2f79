/** One token or sale that fails stops no other. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { address } from "../../support/FakeChain.ts"
import * as Scene from "../../support/TreasuryScene.ts"
import { JUNK, LST } from "../../support/TreasuryScene.ts"
import { chain, WHOLE } from "../../support/TreasuryScript.ts"

/** Time after which a running treasury has begun a due round, and then carried its sales on. */
const LOOK = "31 seconds"

describe("a token", () => {
  it.effect("whose balance cannot be read does not stop another", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      scene.script.unreadable.add(address(0x99))
      yield* scene.collect("bad", address(0x99), WHOLE)
      yield* scene.collect("good", LST, 100n * WHOLE)
      const { treasury } = yield* scene.start
      yield* TestClock.adjust(LOOK)
      assert.deepStrictEqual(scene.asked.submitted, ["sale-1"])
      const { entries, unavailableChains } = yield* treasury.view
      assert.deepStrictEqual(unavailableChains, [])
      const bad = entries.find(({ token }) => token === address(0x99))
      assert.strictEqual(bad?.state, "unknown")
      assert.isUndefined(bad?.held)
    })
  )

  it.effect("whose price cannot be read does not stop another", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      scene.script.unpriceable.add(address(0x99))
      yield* scene.collect("bad", address(0x99), WHOLE)
      yield* scene.collect("good", LST, 100n * WHOLE)
      const { treasury } = yield* scene.start
      yield* TestClock.adjust(LOOK)
      assert.deepStrictEqual(scene.asked.submitted, ["sale-1"])
      const { entries } = yield* treasury.view
      assert.deepInclude(
        entries.find(({ token }) => token === address(0x99)),
        { state: "unknown", held: WHOLE }
      )
    })
  )

  it.effect("that rests after a failure is not read for a round", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make({ treasury: { intervalMillis: 60_000 } })
      yield* scene.collect("a", address(0x99), 100n * WHOLE)
      yield* scene.start
      yield* TestClock.adjust("30 minutes")
      assert.isTrue(Option.isSome(yield* scene.sales.lastRoundAtMs))
      assert.strictEqual(scene.asked.balances.filter((token) => token === address(0x99)).length, 1)
    })
  )

  it.effect("of a chain that does not answer at all makes the chain unavailable", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      scene.script.unreadable.add(LST)
      yield* scene.collect("a", LST, 100n * WHOLE)
      const { treasury } = yield* scene.start
      yield* TestClock.adjust(LOOK)
      assert.isTrue(Option.isNone(yield* scene.sales.lastRoundAtMs))
      assert.deepStrictEqual((yield* treasury.view).unavailableChains, [chain.id])
    })
  )
})

describe("a sale", () => {
  it.effect("is booked while another one cannot be carried on", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      scene.script.prices.set(JUNK, 10n ** 18n)
      yield* scene.collect("a", LST, 100n * WHOLE)
      yield* scene.collect("b", JUNK, 100n * WHOLE)
      yield* scene.start
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(scene.asked.submitted.toSorted(), ["sale-1", "sale-2"])
      scene.script.brokenIntents.add("sale-1")
      yield* scene.settle("sale-1", 99_000_000n)
      yield* scene.settle("sale-2", 99_000_000n)
      yield* TestClock.adjust("3 minutes")
      const states = Effect.map(scene.sales.recent(10), (sales) =>
        Object.fromEntries(sales.map(({ intentId, state }) => [intentId, state]))
      )
      assert.deepStrictEqual(yield* states, { "sale-1": "offered", "sale-2": "settled" })
      scene.script.brokenIntents.clear()
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* states, { "sale-1": "settled", "sale-2": "settled" })
    })
  )
})
