import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { privateKeyToAccount } from "viem/accounts"
import { address } from "../../support/FakeChain.ts"
import { hash } from "../../support/IntentFixtures.ts"
import * as Scene from "../../support/TreasuryScene.ts"
import { JUNK, LST } from "../../support/TreasuryScene.ts"
import { chain, RECIPIENT, WHOLE } from "../../support/TreasuryScript.ts"

/** Time after which a running treasury has begun a due round, and then carried its sales on. */
const LOOK = "31 seconds"

describe("a round", () => {
  it.effect("is held at its interval, and sells nothing of little worth", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make({ treasury: { intervalMillis: 3_600_000 } })
      yield* scene.collect("a", LST, 24n * WHOLE)
      const { treasury } = yield* scene.start
      yield* TestClock.adjust(LOOK)
      assert.deepStrictEqual(yield* scene.sales.recent(1), [])
      yield* scene.collect("b", LST, WHOLE)
      yield* TestClock.adjust("58 minutes")
      assert.deepStrictEqual(yield* scene.sales.recent(1), [])
      assert.deepInclude(yield* treasury.view, { lastRoundAtMs: 0, nextRoundAtMs: 3_600_000 })
      yield* TestClock.adjust("3 minutes")
      assert.deepStrictEqual(scene.asked.submitted, ["sale-1"])
    })
  )

  it.effect("waits an hour for prices, and goes on without them", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      scene.script.arePricesKnown = false
      yield* scene.collect("a", LST, 100n * WHOLE)
      const { treasury } = yield* scene.start
      yield* TestClock.adjust("30 minutes")
      assert.isTrue(Option.isNone(yield* scene.sales.lastRoundAtMs))
      assert.deepInclude(yield* treasury.view, { unavailableChains: [chain.id] })
      scene.script.arePricesKnown = true
      yield* TestClock.adjust(LOOK)
      assert.deepStrictEqual(scene.asked.submitted, ["sale-1"])

      const dark = yield* Scene.make()
      const { lastRoundAtMs } = dark.sales
      dark.script.arePricesKnown = false
      yield* dark.collect("a", LST, 100n * WHOLE)
      const first = yield* dark.start
      yield* TestClock.adjust("40 minutes")
      // The hour counts on in the next process.
      yield* first.stop
      yield* dark.start
      yield* TestClock.adjust("19 minutes")
      assert.isTrue(Option.isNone(yield* lastRoundAtMs))
      yield* TestClock.adjust("2 minutes")
      assert.isTrue(Option.isSome(yield* lastRoundAtMs))
      assert.deepStrictEqual(dark.asked.submitted, [])
    })
  )

  it.effect("asks for the price of a token without one at growing intervals", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make({ treasury: { intervalMillis: 60_000 } })
      yield* scene.collect("a", JUNK, 100n * WHOLE)
      const { treasury } = yield* scene.start
      yield* TestClock.adjust("59 minutes")
      assert.strictEqual(scene.asked.priced.filter((token) => token === JUNK).length, 1)
      const [entry] = (yield* treasury.view).entries
      assert.deepInclude(entry, { state: "unsellable", reason: "no_price", lost: 100n * WHOLE, failures: 1 })
      yield* TestClock.adjust("6 hours")
      assert.strictEqual(scene.asked.priced.filter((token) => token === JUNK).length, 3)
      assert.deepStrictEqual(scene.asked.quotes, [])
    })
  )

  it.effect("happens on request only, without an interval", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make({ treasury: { intervalMillis: undefined } })
      yield* scene.collect("a", LST, 100n * WHOLE)
      const { treasury } = yield* scene.start
      yield* TestClock.adjust("6 hours")
      assert.deepStrictEqual(yield* scene.sales.recent(1), [])
      const { opened } = yield* treasury.sell
      assert.deepStrictEqual(
        opened.map(({ amount, token }) => [token, amount]),
        [[LST, 100n * WHOLE]]
      )
      assert.deepStrictEqual((yield* treasury.sell).opened, [])
      yield* TestClock.adjust("6 seconds")
      assert.deepStrictEqual(scene.asked.submitted, ["sale-1"])
    })
  )
})

describe("without the fee recipient's key", () => {
  it.effect("nothing is sold, and the plan is a batch for a Safe", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make({ key: "none" })
      yield* scene.collect("a", LST, 100n * WHOLE)
      const { treasury } = yield* scene.start
      yield* TestClock.adjust("6 hours")
      assert.deepStrictEqual(yield* scene.sales.recent(1), [])
      const refused = yield* Effect.flip(treasury.sell)
      assert.deepInclude(refused, { _tag: "CannotSell", missing: ["FEE_RECIPIENT_KEY"] })
      const { batch, leftOut } = yield* treasury.safePlan(chain.id)
      assert.deepStrictEqual(leftOut, [])
      assert.strictEqual(batch.meta["createdFromSafeAddress"], RECIPIENT)
      // The swap delivers the value, so the call may lose the whole tolerance of 300 basis points.
      assert.deepInclude(Object.values(batch["transactions"] ?? {})[1], { data: "0x012c", to: address(0x5a) })
      assert.deepInclude(yield* Effect.flip(treasury.safePlan(7)), { reason: "unknown_chain" })
    })
  )

  it.effect("a swap that promises less when its call is made is left out of the batch", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make({ key: "none" })
      scene.script.venuePercent = (answer) => (answer === 2 ? 80n : 100n)
      yield* scene.collect("a", LST, 100n * WHOLE)
      const { treasury } = yield* scene.start
      const { batch, leftOut } = yield* treasury.safePlan(chain.id)
      assert.deepStrictEqual(batch["transactions"], [])
      assert.deepStrictEqual(
        leftOut.map(({ reason, token }) => [token, reason]),
        [[LST, "price_impact"]]
      )
      assert.include(leftOut[0]?.detail, "77600000")
    })
  )

  it.effect("the call is made from the route that was compared, if it can be", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make({ key: "none" })
      scene.script.venuePercent = (answer) => (answer === 2 ? 80n : 100n)
      scene.script.isVenueRemakable = true
      yield* scene.collect("a", LST, 100n * WHOLE)
      const { treasury } = yield* scene.start
      const { batch, leftOut } = yield* treasury.safePlan(chain.id)
      assert.deepStrictEqual(leftOut, [])
      assert.deepInclude(Object.values(batch["transactions"] ?? {})[1], { data: "0x012c" })
    })
  )

  it.effect("an alert names the account whose key is wanted", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make({ key: "other" })
      yield* scene.collect("a", LST, 100n * WHOLE)
      const { treasury } = yield* scene.start
      yield* TestClock.adjust(LOOK)
      assert.deepStrictEqual(yield* scene.sales.recent(1), [])
      const [alert] = yield* scene.alerts.list
      assert.deepInclude(alert, { kind: "treasury_key", severity: "warning" })
      assert.include(alert?.message, RECIPIENT)
      assert.include(alert?.message, privateKeyToAccount(hash("another")).address)
      assert.strictEqual((yield* treasury.view).chains[0]?.selling, "other_key")
    })
  )

  it.effect("the alert of a process with that key ends when a process has the right one", () =>
    Effect.gen(function* () {
      const { alerts, start } = yield* Scene.make()
      yield* alerts.raise({
        key: `treasury_key:${chain.id}`,
        severity: "warning",
        kind: "treasury_key",
        message: "",
        details: { chainId: chain.id }
      })
      yield* start
      yield* TestClock.adjust(LOOK)
      assert.deepStrictEqual(yield* alerts.list, [])
    })
  )
})

describe("a listed token that cannot be sold", () => {
  it.effect("raises an alert after three failures, which its next sale clears", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make({ treasury: { intervalMillis: 60_000 } })
      scene.script.quoteFails = "no_route"
      yield* scene.collect("a", LST, 100n * WHOLE)
      yield* scene.start
      yield* TestClock.adjust("2 hours")
      assert.deepStrictEqual(yield* scene.alerts.list, [])
      yield* TestClock.adjust("2 hours")
      const [alert] = yield* scene.alerts.list
      assert.deepInclude(alert, { kind: "treasury_unsellable" })
      scene.script.quoteFails = undefined
      yield* TestClock.adjust("5 hours")
      yield* scene.settle(scene.asked.submitted[0] ?? "", 99_000_000n)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* scene.alerts.list, [])
    })
  )
})
