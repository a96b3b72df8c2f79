/** Alerts of shortages whose time was noted by a clock that was wrong. */
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as AlertsInMemory from "../../../src/adapters/memory/shared/Alerts.ts"
import * as LaneShortages from "../../../src/orchestrator/relay/LaneShortages.ts"
import { laneShort } from "../../../src/orchestrator/shared/LaneAlerts.ts"
import { StandingAlerts } from "../../../src/orchestrator/shared/StandingAlerts.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import { address } from "../../support/FakeChain.ts"
import { source } from "../../support/RelayFixtures.ts"

const LANE = address(0x1a4e)
const HOUR_MILLIS = 3_600_000

/** Raises a shortage of 2 wei that a clock this far ahead noted, in milliseconds, and looks at all lanes. */
const looked = Effect.fnUntraced(function* (aheadMillis: number) {
  yield* TestClock.setTime(10 * HOUR_MILLIS)
  const { list, raise } = yield* Alerts
  const atMs = (yield* Clock.currentTimeMillis) + aheadMillis
  yield* raise(laneShort(source, LANE, { balance: 1n, needed: 2n, atMs }))
  const shortages = yield* (yield* LaneShortages.make)(source)
  const review = yield* LaneShortages.makeReview
  yield* review(source, { lanes: [{ address: LANE, balance: 1n }], left: new Set() })
  return { shortages, standing: (yield* list).length }
})

const layer = Layer.provideMerge(StandingAlerts.layer, AlertsInMemory.layer)

it.effect("a shortage that a clock set back since has noted is over", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* looked(HOUR_MILLIS), { shortages: [], standing: 0 })
  }).pipe(Effect.provide(layer))
)

it.effect("a shortage that the clock of another replica has noted goes on", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* looked(1_000), { shortages: [2n], standing: 1 })
  }).pipe(Effect.provide(layer))
)
