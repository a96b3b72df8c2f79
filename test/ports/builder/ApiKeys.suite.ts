/** Contract of every store of API keys. Each test gets a store of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { keccak256, stringToHex } from "viem"
import { ApiKeys } from "../../../src/ports/builder/ApiKeys.ts"
import { Builders } from "../../../src/ports/builder/Builders.ts"
import { account } from "../../support/BuilderAccounts.ts"

const hash = (text: string) => keccak256(stringToHex(text))

export const suite = <E>(adapter: string, stores: () => Layer.Layer<ApiKeys | Builders, E>) =>
  describe(`API keys on ${adapter}`, () => {
    const test = (name: string, effect: Effect.Effect<void, unknown, ApiKeys | Builders>) =>
      it.effect(name, () => effect.pipe(Effect.provide(Layer.fresh(stores()))))

    test(
      "a key resolves until another takes its place, and its use is noted by the minute",
      Effect.gen(function* () {
        const builders = yield* Builders
        const keys = yield* ApiKeys
        const ann = account("ann", 1)
        yield* builders.create(ann)
        yield* TestClock.setTime(1_000_000)
        yield* keys.replace("ann", { hash: hash("first"), prefix: "swp_first" })
        assert.deepStrictEqual(
          yield* keys.of("ann"),
          Option.some({ hash: hash("first"), prefix: "swp_first", createdAtMs: 1_000_000 })
        )
        const lastUsed = Effect.map(keys.of("ann"), (key) => Option.getOrThrow(key).lastUsedAtMs)
        assert.deepStrictEqual(yield* keys.resolve(hash("first")), Option.some(ann))
        yield* TestClock.adjust("30 seconds")
        yield* keys.resolve(hash("first"))
        assert.strictEqual(yield* lastUsed, 1_000_000)
        yield* TestClock.adjust("30 seconds")
        yield* keys.resolve(hash("first"))
        assert.strictEqual(yield* lastUsed, 1_060_000)
        yield* keys.replace("ann", { hash: hash("second"), prefix: "swp_second" })
        assert.deepStrictEqual(yield* keys.resolve(hash("first")), Option.none())
        assert.isUndefined(yield* lastUsed)
        assert.deepStrictEqual(yield* keys.resolve(hash("second")), Option.some(ann))
        assert.deepStrictEqual(yield* keys.of("bob"), Option.none())
      })
    )
  })
