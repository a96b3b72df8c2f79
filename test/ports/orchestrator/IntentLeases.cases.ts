/** Releases by a worker that may have lost its lease: a part of the suite of {@link Intents}. */
import { expect, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { submitted } from "../../support/IntentFixtures.ts"

const claim = (worker: string) =>
  Effect.flatMap(Intents, (intents) => intents.claim({ chainId: 1, worker, leaseMillis: 1_000, limit: 10 })).pipe(
    Effect.map((claimed) => claimed.map(({ id }) => id))
  )

export const leaseCases = (stores: Layer.Layer<Intents, unknown>) => {
  it.effect("takes back no lease, and ends no rest, that another worker has set since", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      yield* submitted({ id: "a" })
      expect(yield* claim("w1")).toEqual(["a"])
      yield* TestClock.adjust("1 second")
      expect(yield* claim("w2")).toEqual(["a"])
      yield* intents.release(["a"], undefined, undefined, "w1")
      yield* intents.release(["a"], 9_000, "gas_price", "w1")
      expect(yield* claim("w3")).toEqual([])
      expect(yield* intents.waiting(1, "gas_price")).toBe(0)
      yield* intents.release(["a"], 5_000, undefined, "w2")
      yield* intents.release(["a"], undefined, undefined, "w1")
      expect(yield* claim("w3")).toEqual([])
      yield* TestClock.adjust("4 seconds")
      expect(yield* claim("w3")).toEqual(["a"])
      // A release without a worker is the operator's.
      yield* intents.release(["a"])
      expect(yield* claim("w4")).toEqual(["a"])
      yield* intents.release(["a"], undefined, undefined, "w4")
      yield* intents.release(["a"], 9_000, undefined, "w4")
      expect(yield* claim("w5")).toEqual([])
    }).pipe(Effect.provide(stores))
  )
}
