/** A pending transaction after the clock of its process was set back. */
import { assert, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { hash } from "../../support/IntentFixtures.ts"
import { layer } from "../../support/RelayScene.ts"
import { sentSweep, tick } from "../../support/SentSweep.ts"

const order = { deadline: 1_800_000_000n }

const setBack = Effect.flatMap(Clock.currentTimeMillis, (now) => TestClock.setTime(now - 3_600_000))

it.effect("is broadcast or replaced at once, and then waits as any other", () =>
  Effect.gen(function* () {
    yield* TestClock.adjust(7_200_000)
    yield* sentSweep({ order })
    yield* setBack
    const { rebroadcast, replaced } = yield* tick
    assert.strictEqual(rebroadcast + replaced, 1)
    const again = yield* tick
    assert.strictEqual(again.replaced, 0)
  }).pipe(Effect.provide(layer))
)

it.effect("is given up a minute after a stranger used its nonce, and not earlier", () =>
  Effect.gen(function* () {
    yield* TestClock.adjust(7_200_000)
    const { alertKinds, bury, mineLane } = yield* sentSweep({ order })
    yield* mineLane({ hash: hash("in its place") })
    yield* bury(2)
    yield* tick
    yield* setBack
    for (let pass = 0; pass < 3; pass++) yield* tick
    assert.deepStrictEqual(yield* alertKinds, [])
    yield* TestClock.adjust(60_000)
    yield* tick
    assert.deepStrictEqual(yield* alertKinds, ["foreign_nonce"])
  }).pipe(Effect.provide(layer))
)
