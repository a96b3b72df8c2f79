/** The treasury sells nothing of an account that holds the builders' fees as well. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../../support/TreasuryScene.ts"
import { LST, USDC } from "../../support/TreasuryScene.ts"
import { chain, RECIPIENT, WHOLE } from "../../support/TreasuryScript.ts"

/** Time after which a running treasury has begun a due round, and then carried its sales on. */
const LOOK = "31 seconds"

describe("a fee recipient that is the builders' vault", () => {
  it.effect("sells nothing, on the schedule or on request, and says which setting is missing", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make({ isVaultShared: true })
      yield* scene.collect("a", LST, 100n * WHOLE)
      const { treasury } = yield* scene.start
      yield* TestClock.adjust(LOOK)
      const refused = yield* Effect.flip(treasury.sell)
      assert.strictEqual(refused.message, "the service sells on no chain: set builderVault")
      assert.deepStrictEqual(yield* scene.sales.recent(1), [])
      const { chains, entries, nextRoundAtMs } = yield* treasury.view
      assert.strictEqual(chains[0]?.selling, "shared_vault")
      assert.deepInclude(entries[0], { state: "shared_vault", held: 100n * WHOLE, lost: 0n })
      assert.isUndefined(entries[0]?.sell)
      assert.isUndefined(nextRoundAtMs)
    })
  )

  it.effect("is planned for no Safe", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make({ isVaultShared: true, key: "none" })
      yield* scene.collect("a", LST, 100n * WHOLE)
      const { treasury } = yield* scene.start
      assert.deepInclude(yield* Effect.flip(treasury.safePlan(chain.id)), { _tag: "NoPlan", reason: "shared_vault" })
    })
  )

  it.effect("raises an alert, which ends when the chain has a vault of its own", () =>
    Effect.gen(function* () {
      const { alerts, start, startWith } = yield* Scene.make({ isVaultShared: true, key: "none" })
      const { stop } = yield* start
      yield* TestClock.adjust(LOOK)
      const [alert] = yield* alerts.list
      assert.deepInclude(alert, { kind: "treasury_vault", severity: "warning" })
      assert.include(alert?.message, RECIPIENT)
      assert.include(alert?.message, `Remove ${chain.name} from TREASURY_ASSETS first`)
      yield* stop
      yield* startWith({ isVaultShared: false })
      yield* TestClock.adjust(LOOK)
      assert.deepStrictEqual(yield* alerts.list, [])
    })
  )

  it.effect("raises none where nothing is to be sold", () =>
    Effect.gen(function* () {
      const { alerts, start } = yield* Scene.make({ isVaultShared: true, treasury: { assets: [] } })
      const { treasury } = yield* start
      yield* TestClock.adjust(LOOK)
      assert.deepStrictEqual(yield* alerts.list, [])
      assert.strictEqual((yield* treasury.view).chains[0]?.selling, "no_asset")
    })
  )

  it.effect("signs no sale that was planned before", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      yield* scene.collect("a", LST, 100n * WHOLE)
      scene.script.quoteFails = "upstream_unavailable"
      const { stop } = yield* scene.start
      yield* TestClock.adjust(LOOK)
      assert.lengthOf(yield* scene.sales.recent(1), 1)
      yield* stop
      scene.script.quoteFails = undefined
      yield* scene.startWith({ isVaultShared: true })
      yield* TestClock.adjust("1 day")
      assert.deepStrictEqual(scene.asked.submitted, [])
      const [sale] = yield* scene.sales.recent(1)
      assert.deepInclude(sale, { state: "failed", asset: USDC })
    })
  )
})
