/** Contract of every store of first events. Each test gets a store of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Builders } from "../../../src/ports/builder/Builders.ts"
import { FirstSteps } from "../../../src/ports/builder/FirstSteps.ts"
import { Ledger } from "../../../src/ports/builder/Ledger.ts"
import { Sweeps } from "../../../src/ports/builder/Sweeps.ts"
import { event, register } from "../../support/BuilderFixtures.ts"
import { address } from "../../support/IntentFixtures.ts"

type Stores = Builders | FirstSteps | Ledger | Sweeps

export const suite = <E>(adapter: string, stores: () => Layer.Layer<Stores, E>) =>
  describe(`first steps on ${adapter}`, () => {
    const test = (name: string, body: Effect.Effect<void, unknown, Stores>) =>
      it.effect(name, () => Effect.andThen(register, body).pipe(Effect.provide(Layer.fresh(stores()))))

    test(
      "are the first quote, delivery and accrual of a builder, whatever follows",
      Effect.gen(function* () {
        const steps = yield* FirstSteps
        const ledger = yield* Ledger
        const sweeps = yield* Sweeps
        assert.deepStrictEqual(yield* steps.of("alpha"), {})

        yield* Effect.forEach([1_000, 2_000], (atMs) => steps.noteQuote("alpha", atMs))
        const firstQuoteAtMs = 1_000
        assert.deepStrictEqual(yield* steps.of("alpha"), { firstQuoteAtMs })

        yield* sweeps.record(event("submitted", { id: "one", atMs: 3_000 }))
        yield* sweeps.record(event("submitted", { id: "two", atMs: 3_000 }))
        yield* sweeps.record(event("failed", { id: "one", atMs: 3_500 }))
        assert.deepStrictEqual(yield* steps.of("alpha"), { firstQuoteAtMs })
        yield* sweeps.record(event("delivered", { id: "two", atMs: 4_000 }))
        yield* sweeps.record(event("submitted", { id: "three", atMs: 5_000 }))
        yield* sweeps.record(event("delivered", { id: "three", atMs: 6_000 }))
        const firstDeliveryAtMs = 4_000
        assert.deepStrictEqual(yield* steps.of("alpha"), { firstQuoteAtMs, firstDeliveryAtMs })

        const accrue = (sweepId: string) =>
          ledger.accrue({ builderId: "alpha", sweepId, token: address(0xd1), amount: 5n })
        yield* TestClock.setTime(7_000)
        yield* accrue("two")
        yield* TestClock.setTime(8_000)
        yield* accrue("three")
        yield* ledger.reverse("two")
        assert.deepStrictEqual(yield* steps.of("alpha"), {
          firstQuoteAtMs,
          firstDeliveryAtMs,
          firstEarningAtMs: 7_000
        })
        assert.deepStrictEqual(yield* steps.of("beta"), {})
        assert.deepStrictEqual(yield* steps.of("nobody"), {})
      })
    )
  })
