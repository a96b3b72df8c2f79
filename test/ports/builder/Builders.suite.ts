/** Contract of every store of builders. Each test gets a store of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { BuilderExists, Builders } from "../../../src/ports/builder/Builders.ts"
import { account } from "../../support/BuilderAccounts.ts"
import * as FakeChain from "../../support/FakeChain.ts"

export const suite = <E>(adapter: string, stores: () => Layer.Layer<Builders, E>) =>
  describe(`builders on ${adapter}`, () => {
    const test = (name: string, effect: Effect.Effect<void, unknown, Builders>) =>
      it.effect(name, () => effect.pipe(Effect.provide(Layer.fresh(stores()))))

    test(
      "an account is kept as it was given, and found by id and wallet",
      Effect.gen(function* () {
        const builders = yield* Builders
        const ann = account("ann", 1)
        const safe = account("safe", 2, { walletChainId: 8453 })
        yield* Effect.forEach([ann, safe], builders.create)
        assert.deepStrictEqual(yield* builders.byWallet(safe.payoutAddress), Option.some(safe))
        assert.deepStrictEqual(yield* builders.byId("ann"), Option.some(ann))
        assert.deepStrictEqual(yield* builders.byWallet(ann.payoutAddress), Option.some(ann))
        assert.deepStrictEqual(yield* builders.byId("Ann"), Option.none())
        assert.deepStrictEqual(yield* builders.byWallet(FakeChain.address(9)), Option.none())
      })
    )

    test(
      "ids and wallets are taken once, by one of many",
      Effect.gen(function* () {
        const builders = yield* Builders
        const results = yield* Effect.forEach(
          Array.from({ length: 20 }, (_, n) => account(`racer ${n}`, 1)),
          (racer) => Effect.flip(builders.create(racer)).pipe(Effect.option),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(results.filter(Option.isNone).length, 1)
        for (const failure of results.filter(Option.isSome)) {
          assert.deepStrictEqual(failure.value, new BuilderExists({ field: "payoutAddress" }))
        }
        yield* builders.create(account("id", 2))
        assert.deepStrictEqual(
          yield* Effect.flip(builders.create(account("id", 3))),
          new BuilderExists({ field: "id" })
        )
      })
    )

    test(
      "accounts are listed by id, in pages, and searched without regard to case",
      Effect.gen(function* () {
        const builders = yield* Builders
        yield* Effect.forEach(["c", "a", "b_x", "b%y"], (id, n) => builders.create(account(id, n + 1)))
        const ids = (options: Parameters<typeof builders.list>[0]) =>
          Effect.map(builders.list(options), (found) => found.map(({ id }) => id))
        assert.deepStrictEqual(yield* ids({ limit: 10 }), ["a", "b%y", "b_x", "c"])
        assert.deepStrictEqual(yield* ids({ limit: 2 }), ["a", "b%y"])
        assert.deepStrictEqual(yield* ids({ limit: 2, after: "b%y" }), ["b_x", "c"])
        assert.deepStrictEqual(yield* ids({ limit: 9, search: "%" }), ["b%y"])
        assert.deepStrictEqual(yield* ids({ limit: 9, search: "_" }), ["b_x"])
        assert.deepStrictEqual(yield* ids({ limit: 9, search: "OF C" }), ["c"])
        assert.deepStrictEqual(yield* ids({ limit: 9, search: FakeChain.address(2).toUpperCase().slice(2) }), ["a"])
      })
    )

    test(
      "a wallet gets one chain from many who find it without, and loses it again",
      Effect.gen(function* () {
        const builders = yield* Builders
        yield* builders.create(account("safe", 1))
        const bind = (walletChainId: number) =>
          builders.modify("safe", (safe) => Effect.succeed({ walletChainId, ...safe }))
        const bound = yield* Effect.forEach([1, 2, 3, 4, 5], bind, { concurrency: "unbounded" })
        const kept = Option.getOrThrow(yield* builders.byId("safe")).walletChainId
        assert.isNumber(kept)
        for (const { after } of bound) assert.strictEqual(after.walletChainId, kept)
        const { after } = yield* builders.modify("safe", () => Effect.succeed(account("safe", 1)))
        assert.deepStrictEqual(after, account("safe", 1))
        assert.deepStrictEqual(yield* builders.byId("safe"), Option.some(after))
      })
    )

    test(
      "an account is changed by one at a time",
      Effect.gen(function* () {
        const builders = yield* Builders
        yield* builders.create(account("ann", 1, { builderBps: 0, maxBuilderBps: 100 }))
        const raise = builders.modify("ann", (ann) => Effect.succeed({ ...ann, builderBps: ann.builderBps + 1 }))
        yield* Effect.all(
          Array.from({ length: 20 }, () => raise),
          { concurrency: "unbounded" }
        )
        const { after, before } = yield* builders.modify("ann", (ann) =>
          Effect.succeed({ ...ann, id: "eve", payoutAddress: FakeChain.address(9), createdAtMs: 0, suspendedAtMs: 77 })
        )
        assert.strictEqual(before.builderBps, 20)
        assert.deepStrictEqual(after, { ...before, suspendedAtMs: 77 })
        assert.strictEqual(yield* Effect.flip(builders.modify("ann", () => Effect.fail("no" as const))), "no")
        assert.deepStrictEqual(yield* builders.byId("ann"), Option.some(after))
        const missing = yield* Effect.flip(builders.modify("bob", Effect.succeed))
        assert.strictEqual(missing._tag, "BuilderNotFound")
      })
    )
  })
