/** What every store of accounts, keys, sessions and nonces must do. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { keccak256, stringToHex } from "viem"
import type { BuilderAccount } from "../../../src/domain/Builder.ts"
import { ApiKeys } from "../../../src/ports/builder/ApiKeys.ts"
import { AuditLog } from "../../../src/ports/builder/AuditLog.ts"
import { BuilderExists, Builders } from "../../../src/ports/builder/Builders.ts"
import { Nonces } from "../../../src/ports/builder/Nonces.ts"
import { Sessions } from "../../../src/ports/builder/Sessions.ts"
import * as FakeChain from "../../support/FakeChain.ts"

const hash = (text: string) => keccak256(stringToHex(text))

const account = (id: string, byte: number, changes: Partial<BuilderAccount> = {}): BuilderAccount => ({
  id,
  name: `Name of ${id}`,
  builderBps: 1,
  maxBuilderBps: 2,
  payoutAddress: FakeChain.address(byte),
  payoutMode: "ledger",
  createdAtMs: 1_234,
  ...changes
})

export const suite = <E>(
  adapter: string,
  stores: () => Layer.Layer<ApiKeys | AuditLog | Builders | Nonces | Sessions, E>
) =>
  describe(`accounts on ${adapter}`, () => {
    const test = (name: string, effect: Effect.Effect<void, unknown, Layer.Success<ReturnType<typeof stores>>>) =>
      it.effect(name, () => effect.pipe(Effect.provide(Layer.fresh(stores()))))

    test(
      "an account is kept as it was given, and found by id and wallet",
      Effect.gen(function* () {
        const builders = yield* Builders
        const ann = account("ann", 1)
        yield* builders.create(ann)
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
      "the audit log is read from its newest record on",
      Effect.gen(function* () {
        const audit = yield* AuditLog
        for (const subject of ["1", "2", "3"]) {
          yield* TestClock.adjust(10)
          yield* audit.append({ actor: "ann", action: "act", subject, details: { note: "a", count: 1, done: true } })
        }
        const [newest, second] = yield* audit.list({ limit: 2 })
        assert.deepInclude(newest, {
          actor: "ann",
          action: "act",
          subject: "3",
          atMs: 30,
          details: { note: "a", count: 1, done: true }
        })
        const rest = yield* audit.list({ limit: 9, ...(second === undefined ? {} : { before: second.id }) })
        assert.deepStrictEqual(
          rest.map(({ subject }) => subject),
          ["1"]
        )
      })
    )
  })
