/** Contract of every unit of work. `rollsBack` is false for stores without transactions. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Option } from "effect"
import { Builders } from "../../../src/ports/builder/Builders.ts"
import { UnitOfWork } from "../../../src/ports/builder/UnitOfWork.ts"
import { account } from "../../support/BuilderAccounts.ts"

export const suite = <E>(
  adapter: string,
  stores: () => Layer.Layer<Builders | UnitOfWork, E>,
  { rollsBack }: { readonly rollsBack: boolean }
) =>
  describe(`a unit of work on ${adapter}`, () => {
    const test = (name: string, effect: Effect.Effect<void, unknown, Builders | UnitOfWork>) =>
      it.effect(name, () => effect.pipe(Effect.provide(Layer.fresh(stores()))))

    const kept = Effect.flatMap(Builders, (builders) =>
      Effect.map(builders.list({ limit: 10 }), (found) => found.map(({ id }) => id))
    )

    test(
      "keeps everything that succeeds, and returns its result",
      Effect.gen(function* () {
        const builders = yield* Builders
        const work = yield* UnitOfWork
        const found = yield* work.atomically(
          Effect.gen(function* () {
            yield* builders.create(account("ann", 1))
            yield* work.atomically(builders.create(account("bob", 2)))
            return yield* builders.byId("ann")
          })
        )
        assert.isTrue(Option.isSome(found))
        assert.deepStrictEqual(yield* kept, ["ann", "bob"])
      })
    )

    test(
      rollsBack ? "undoes everything when one part fails or dies" : "passes failures on, and undoes nothing",
      Effect.gen(function* () {
        const builders = yield* Builders
        const work = yield* UnitOfWork
        const failed = work.atomically(
          Effect.andThen(work.atomically(builders.create(account("ann", 1))), Effect.fail("no" as const))
        )
        assert.strictEqual(yield* Effect.flip(failed), "no")
        const died = work.atomically(Effect.andThen(builders.create(account("bob", 2)), Effect.die("broken")))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(died)))
        assert.deepStrictEqual(yield* kept, rollsBack ? [] : ["ann", "bob"])
      })
    )
  })
