/** Accounts that have code when a sweep is sent, and had none when it was quoted. */
import { assert, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { classOf } from "../../../src/domain/Exposure.ts"
import { claimOf } from "../../../src/domain/ExposureClaims.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { Exposures } from "../../../src/ports/orchestrator/Exposures.ts"
import { address } from "../../support/FakeChain.ts"
import { source } from "../../support/RelayFixtures.ts"
import { layerWith, scene } from "../../support/RelayScene.ts"
import { relay } from "../../support/SentSweep.ts"

const DESTINATION = address(0xdd)

/** It has room for one of the sweeps. */
const BUDGET = 2n * 10n ** 15n

/** Sweeps of two settled owners that pay the destination, which gets code afterwards. `simulated`: sweeps that a node has simulated. */
const surprised = Effect.gen(function* () {
  const the = yield* scene
  const simulated: Array<string> = []
  yield* the.chain.onSimulate((steps) =>
    Effect.sync(() => {
      simulated.push(...steps.map(({ to }) => to))
      return steps.map(() => ({ success: true, returnData: `0x${"1".padStart(64, "0")}` as const, gasUsed: 150_000n }))
    })
  )
  for (const owner of [1, 2]) {
    yield* the.sweptBefore(owner)
    yield* the.submit({
      id: `s${owner}`,
      owner,
      order: { tokenOut: NATIVE, destination: DESTINATION, nonce: BigInt(owner) }
    })
  }
  yield* the.chain.setCode(DESTINATION, "0x60")
  return { ...the, simulated }
})

it.effect("sweeps into them wait without a simulation if no unlisted sweep may lose", () =>
  Effect.gen(function* () {
    const { givenUp, simulated } = yield* surprised
    assert.deepStrictEqual(yield* relay, { claimed: 2, sent: 0 })
    assert.deepStrictEqual(simulated, [])
    assert.isUndefined(yield* givenUp("s1"))
  }).pipe(Effect.provide(layerWith({ unlistedLossBudget: 0n })))
)

it.effect("as many sweeps into them are simulated as their budget has room for", () =>
  Effect.gen(function* () {
    const { intent, simulated } = yield* surprised
    assert.deepStrictEqual(yield* relay, { claimed: 2, sent: 1 })
    assert.deepStrictEqual([...new Set(simulated)], [address(1)])
    assert.isUndefined((yield* intent("s2")).txHash)
  }).pipe(Effect.provide(layerWith({ unlistedLossBudget: BUDGET })))
)

it.effect("one that an earlier claim has reserved is not refused because of its own reservation", () =>
  Effect.gen(function* () {
    const { intent } = yield* surprised
    const exposures = yield* Exposures
    const wei = 15n * 10n ** 14n
    const budgets = { unlisted: { hour: BUDGET, day: BUDGET }, listedHour: 0n }
    const claim = claimOf(yield* Clock.currentTimeMillis, "earlier")
    const reserved = { intentId: "s2", classes: [classOf("unlisted", "all", source.id)], wei }
    assert.deepStrictEqual(yield* exposures.reserve([reserved], budgets, claim), [])
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(yield* relay, { claimed: 2, sent: 1 })
    assert.isDefined((yield* intent("s2")).txHash)
  }).pipe(Effect.provide(layerWith({ unlistedLossBudget: BUDGET })))
)
