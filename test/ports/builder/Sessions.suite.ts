/** Contract of every store of sessions. Each test gets a store of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { keccak256, stringToHex } from "viem"
import { Builders } from "../../../src/ports/builder/Builders.ts"
import { Sessions } from "../../../src/ports/builder/Sessions.ts"
import { account } from "../../support/BuilderAccounts.ts"

const hash = (text: string) => keccak256(stringToHex(text))

export const suite = <E>(adapter: string, stores: () => Layer.Layer<Builders | Sessions, E>) =>
  describe(`sessions on ${adapter}`, () => {
    const test = (name: string, effect: Effect.Effect<void, unknown, Builders | Sessions>) =>
      it.effect(name, () => effect.pipe(Effect.provide(Layer.fresh(stores()))))

    test(
      "a session lasts until it ends or expires",
      Effect.gen(function* () {
        const builders = yield* Builders
        const sessions = yield* Sessions
        const ann = account("ann", 1)
        yield* builders.create(ann)
        yield* sessions.create({ tokenHash: hash("a"), builderId: "ann", expiresAtMs: 1_000 })
        yield* sessions.create({ tokenHash: hash("b"), builderId: "ann", expiresAtMs: 2_000 })
        yield* TestClock.setTime(999)
        assert.deepStrictEqual(yield* sessions.find(hash("a")), Option.some(ann))
        yield* TestClock.setTime(1_000)
        assert.deepStrictEqual(yield* sessions.find(hash("a")), Option.none())
        assert.deepStrictEqual(yield* sessions.find(hash("b")), Option.some(ann))
        yield* sessions.create({ tokenHash: hash("c"), builderId: "ann", expiresAtMs: 3_000 })
        yield* sessions.end(hash("b"))
        yield* sessions.end(hash("never"))
        assert.deepStrictEqual(yield* sessions.find(hash("b")), Option.none())
        assert.deepStrictEqual(yield* sessions.find(hash("c")), Option.some(ann))
      })
    )

    test(
      "all sessions of a builder end at once, and those of others last",
      Effect.gen(function* () {
        const builders = yield* Builders
        const sessions = yield* Sessions
        const [ann, bob] = [account("ann", 1), account("bob", 2)]
        for (const builder of [ann, bob]) yield* builders.create(builder)
        for (const token of ["a1", "a2"]) {
          yield* sessions.create({ tokenHash: hash(token), builderId: "ann", expiresAtMs: 1_000 })
        }
        yield* sessions.create({ tokenHash: hash("b"), builderId: "bob", expiresAtMs: 1_000 })
        yield* sessions.endAll("ann")
        yield* sessions.endAll("nobody")
        assert.deepStrictEqual(yield* sessions.find(hash("a1")), Option.none())
        assert.deepStrictEqual(yield* sessions.find(hash("a2")), Option.none())
        assert.deepStrictEqual(yield* sessions.find(hash("b")), Option.some(bob))
        yield* sessions.create({ tokenHash: hash("a3"), builderId: "ann", expiresAtMs: 1_000 })
        assert.deepStrictEqual(yield* sessions.find(hash("a3")), Option.some(ann))
      })
    )
  })
