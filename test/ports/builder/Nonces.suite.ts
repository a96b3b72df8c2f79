/** Contract of every store of sign-in nonces. Each test gets a store of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Nonces } from "../../../src/ports/builder/Nonces.ts"

export const suite = <E>(adapter: string, stores: () => Layer.Layer<Nonces, E>) =>
  describe(`nonces on ${adapter}`, () => {
    const test = (name: string, effect: Effect.Effect<void, unknown, Nonces>) =>
      it.effect(name, () => effect.pipe(Effect.provide(Layer.fresh(stores()))))

    test(
      "a nonce is consumed by one, in time",
      Effect.gen(function* () {
        const nonces = yield* Nonces
        yield* nonces.issue("raced", 1_000)
        yield* nonces.issue("late", 1_000)
        assert.isTrue(yield* nonces.isFresh("raced"))
        const consumed = yield* Effect.all(
          Array.from({ length: 50 }, () => nonces.consume("raced")),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(consumed.filter(Boolean).length, 1)
        assert.isFalse(yield* nonces.isFresh("raced"))
        assert.isFalse(yield* nonces.isFresh("never"))
        yield* TestClock.setTime(1_000)
        assert.isFalse(yield* nonces.isFresh("late"))
        yield* nonces.issue("next", 2_000)
        assert.isFalse(yield* nonces.consume("late"))
        assert.isTrue(yield* nonces.consume("next"))
      })
    )
  })
