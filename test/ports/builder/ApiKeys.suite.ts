/** Contract of every store of API keys. Each test gets a store of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { keccak256, stringToHex } from "viem"
import { DEFAULT_KEY } from "../../../src/domain/ApiKey.ts"
import { ApiKeys, KeyLimit, type StoredApiKey } from "../../../src/ports/builder/ApiKeys.ts"
import { Builders } from "../../../src/ports/builder/Builders.ts"
import { account } from "../../support/BuilderAccounts.ts"

const hash = (text: string) => keccak256(stringToHex(text))

const named = (id: string, createdAtMs = 1_000_000): StoredApiKey => ({
  id,
  name: `Key ${id}`,
  scopes: ["quote", "read"],
  hash: hash(id),
  prefix: `swp_${id}`,
  createdAtMs
})

const first: StoredApiKey = {
  ...DEFAULT_KEY,
  scopes: ["quote"],
  hash: hash("first"),
  prefix: "swp_first",
  createdAtMs: 1_000_000
}

const MANY = 20

export const suite = <E>(adapter: string, stores: () => Layer.Layer<ApiKeys | Builders, E>) =>
  describe(`API keys on ${adapter}`, () => {
    const test = (name: string, effect: Effect.Effect<void, unknown, ApiKeys | Builders>) =>
      it.effect(name, () => effect.pipe(Effect.provide(Layer.fresh(stores()))))

    /** The builders Ann, who has a default key, and Bob, who has none. */
    const registered = Effect.gen(function* () {
      const builders = yield* Builders
      const keys = yield* ApiKeys
      const [ann, bob] = [account("ann", 1), account("bob", 2)]
      yield* builders.create(ann)
      yield* builders.create(bob)
      yield* TestClock.setTime(1_000_000)
      yield* keys.replace("ann", first)
      return { ann, bob, keys }
    })

    test(
      "a default key resolves until another takes its place, and its use is noted by the minute",
      Effect.gen(function* () {
        const { ann, keys } = yield* registered
        assert.deepStrictEqual(yield* keys.of("ann"), Option.some(first))
        assert.deepStrictEqual(yield* keys.resolve(hash("first")), Option.some({ builder: ann, key: first }))
        const lastUsed = Effect.map(keys.of("ann"), (key) => Option.getOrThrow(key).lastUsedAtMs)
        assert.isUndefined(yield* lastUsed)
        yield* keys.noteUse(hash("first"), 1_000_000)
        yield* keys.noteUse(hash("first"), 1_059_999)
        assert.strictEqual(yield* lastUsed, 1_000_000)
        yield* keys.noteUse(hash("first"), 1_060_000)
        assert.strictEqual(yield* lastUsed, 1_060_000)
        yield* TestClock.adjust("1 minute")
        yield* keys.replace("ann", { hash: hash("second"), prefix: "swp_second" })
        assert.deepStrictEqual(yield* keys.resolve(hash("first")), Option.none())
        assert.isUndefined(yield* lastUsed)
        const second = { ...first, hash: hash("second"), prefix: "swp_second", createdAtMs: 1_060_000 }
        assert.deepStrictEqual(yield* keys.resolve(hash("second")), Option.some({ builder: ann, key: second }))
        assert.deepStrictEqual(yield* keys.of("bob"), Option.none())
      })
    )

    test(
      "named keys work beside the default one, and a rotation leaves them alone",
      Effect.gen(function* () {
        const { ann, bob, keys } = yield* registered
        yield* keys.add("ann", named("b", 1_000_001), MANY)
        yield* keys.add("ann", named("a", 1_000_002), MANY)
        yield* keys.add("bob", named("c"), MANY)
        assert.deepStrictEqual(yield* keys.list("ann"), [first, named("b", 1_000_001), named("a", 1_000_002)])
        assert.deepStrictEqual(yield* keys.list("bob"), [named("c")])
        yield* keys.noteUse(hash("a"), 2_000_000)
        const used = { ...named("a", 1_000_002), lastUsedAtMs: 2_000_000 }
        assert.deepStrictEqual(yield* keys.resolve(hash("a")), Option.some({ builder: ann, key: used }))
        assert.deepStrictEqual(yield* keys.resolve(hash("c")), Option.some({ builder: bob, key: named("c") }))
        yield* keys.replace("ann", { hash: hash("second"), prefix: "swp_second" })
        assert.deepStrictEqual(
          (yield* keys.list("ann")).map(({ hash: each }) => each),
          ["second", "b", "a"].map(hash)
        )
        yield* keys.noteUse(hash("never"), 2_000_000)
      })
    )

    test(
      "a revoked key stops, and nobody revokes another builder's",
      Effect.gen(function* () {
        const { keys } = yield* registered
        yield* keys.add("ann", named("a"), MANY)
        yield* keys.add("bob", named("c"), MANY)
        const revoke = (builderId: string, id: string) => keys.revoke(builderId, id, hash(`unknown ${builderId} ${id}`))
        for (const id of ["a", "nothing", DEFAULT_KEY.id]) {
          assert.deepStrictEqual(yield* revoke("bob", id), Option.none(), id)
        }
        assert.deepStrictEqual(yield* revoke("ann", "a"), Option.some(named("a")))
        assert.deepStrictEqual(yield* revoke("ann", "a"), Option.none())
        assert.deepStrictEqual(yield* keys.resolve(hash("a")), Option.none())
        assert.deepStrictEqual(yield* keys.list("ann"), [first])
        assert.deepStrictEqual(yield* keys.list("bob"), [named("c")])
      })
    )

    test(
      "a revoked default key stops, and a rotation gives a new one",
      Effect.gen(function* () {
        const { ann, keys } = yield* registered
        const unknown = hash("unknown")
        assert.deepStrictEqual(yield* keys.revoke("ann", DEFAULT_KEY.id, unknown), Option.some(first))
        assert.deepStrictEqual(yield* keys.revoke("ann", DEFAULT_KEY.id, unknown), Option.none())
        for (const each of [hash("first"), unknown]) {
          assert.deepStrictEqual(yield* keys.resolve(each), Option.none())
        }
        assert.deepStrictEqual(yield* keys.of("ann"), Option.none())
        assert.deepStrictEqual(yield* keys.list("ann"), [])
        yield* keys.replace("ann", { hash: hash("second"), prefix: "swp_second" })
        const found = yield* keys.resolve(hash("second"))
        assert.deepStrictEqual(
          Option.map(found, ({ builder }) => builder),
          Option.some(ann)
        )
      })
    )

    test(
      "a builder has a maximum number of named keys, however many are created at once",
      Effect.gen(function* () {
        const { keys } = yield* registered
        const made = yield* Effect.forEach(
          Array.from({ length: 12 }, (_, index) => named(`n${index}`)),
          (key) => Effect.result(keys.add("ann", key, 3)),
          { concurrency: "unbounded" }
        )
        const failures = made.filter(Result.isFailure).map(({ failure }) => failure)
        assert.deepStrictEqual(
          failures,
          Array.from({ length: 9 }, () => new KeyLimit({ limit: 3 }))
        )
        assert.lengthOf(yield* keys.list("ann"), 4)
        yield* keys.add("bob", named("of-bob"), 3)
      })
    )
  })
