import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as SourceHealth from "../../../src/adapters/prices/SourceHealth.ts"
import * as Health from "../../../src/adapters/providers/Health.ts"
import { Prices, PricesUnavailable } from "../../../src/ports/orchestrator/Prices.ts"
import { ProviderStates } from "../../../src/ports/shared/ProviderStates.ts"

describe("SourceHealth", () => {
  it.effect("counts the outcomes of a source for operators", () =>
    Effect.gen(function* () {
      let isUp = true
      const source = yield* SourceHealth.watched(
        "pools",
        Prices.ofDetailed(() =>
          Effect.suspend(() =>
            isUp ? Effect.succeed(new Map()) : Effect.fail(new PricesUnavailable({ detail: "no node answered" }))
          )
        )
      )
      yield* source.usd(1, [])
      yield* TestClock.adjust("5 seconds")
      isUp = false
      yield* Effect.ignore(source.detailed(1, []))
      yield* Effect.ignore(source.usd(1, []))
      const [state] = yield* (yield* ProviderStates).all
      assert.deepInclude(state, {
        name: "prices: pools",
        state: "closed",
        successes: 1,
        failures: 2,
        failuresInARow: 2,
        lastSuccessAgeMillis: 5_000,
        lastFailure: "no node answered"
      })
    }).pipe(Effect.provide(Layer.fresh(Health.layer)))
  )
})
