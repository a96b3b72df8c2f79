/** Contract of every store of sign-in nonces. Each test gets a store of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { keccak256, stringToHex } from "viem"
import { Nonces } from "../../../src/ports/builder/Nonces.ts"

const hash = (text: string) => keccak256(stringToHex(text))

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

    test(
      "a nonce that is kept for a message is consumed by that message, once and in time",
      Effect.gen(function* () {
        const nonces = yield* Nonces
        const [message, other] = [hash("message"), hash("other")]
        yield* nonces.issue("kept", 1_000)
        yield* nonces.issue("late", 1_000)
        for (const nonce of ["kept", "late"]) assert.isTrue(yield* nonces.keepFor(nonce, message))
        assert.isFalse(yield* nonces.keepFor("kept", message))
        assert.isFalse(yield* nonces.keepFor("never", message))
        for (const foreign of [[], [other]] as const) {
          assert.isFalse(yield* nonces.isFresh("kept", ...foreign))
          assert.isFalse(yield* nonces.consume("kept", ...foreign))
        }
        assert.isTrue(yield* nonces.isFresh("kept", message))
        const consumed = yield* Effect.all(
          Array.from({ length: 50 }, () => nonces.consume("kept", message)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(consumed.filter(Boolean).length, 1)
        assert.isFalse(yield* nonces.keepFor("kept", message))
        yield* TestClock.setTime(1_000)
        assert.isFalse(yield* nonces.consume("late", message))
        yield* nonces.issue("expired", 1_000)
        assert.isFalse(yield* nonces.keepFor("expired", message))
        yield* nonces.issue("fresh", 2_000)
        assert.isTrue(yield* nonces.consume("fresh", message))
      })
    )

    test(
      "a nonce is either consumed or kept, by one",
      Effect.gen(function* () {
        const nonces = yield* Nonces
        yield* nonces.issue("raced", 1_000)
        const outcomes = yield* Effect.all(
          Array.from({ length: 50 }, (_, index) =>
            index % 2 === 0 ? nonces.consume("raced") : nonces.keepFor("raced", hash(`message ${index}`))
          ),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(outcomes.filter(Boolean).length, 1)
      })
    )
  })
