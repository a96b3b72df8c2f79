/** Contract of every store of overrides. Each test gets a store of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, type Layer, Stream } from "effect"
import { Overrides } from "../../../src/ports/shared/Overrides.ts"

const record = (action: string) => ({ actor: "admin-token", action, subject: "all", details: { reason: "drill" } })

/** `log` reads the newest ten actions of the record, newest first. */
export const suite = <R, E>(
  adapter: string,
  stores: Layer.Layer<R | Overrides, unknown>,
  log: Effect.Effect<ReadonlyArray<string>, E, R>
) =>
  describe(`Overrides on ${adapter}`, () => {
    it.live("keeps the last value of each name, and records what changed", () =>
      Effect.gen(function* () {
        const { all, set } = yield* Overrides
        assert.deepStrictEqual(yield* all, [])
        assert.isFalse(yield* set({ name: "b", value: undefined, reason: "" }, record("none")))
        assert.isTrue(yield* set({ name: "b", value: "1", reason: "first" }, record("one")))
        assert.isTrue(yield* set({ name: "a", value: "2", reason: "" }, record("two")))
        assert.isFalse(yield* set({ name: "b", value: "1", reason: "again" }, record("again")))
        assert.isTrue(yield* set({ name: "b", value: "3", reason: "last" }, record("three")))
        const [a, b, ...more] = yield* all
        assert.lengthOf(more, 0)
        assert.deepInclude(a, { name: "a", value: "2", actor: "admin-token", reason: "" })
        assert.deepInclude(b, { name: "b", value: "3", actor: "admin-token", reason: "last" })
        assert.isTrue(yield* set({ name: "a", value: undefined, reason: "" }, record("dropped")))
        assert.deepStrictEqual(
          (yield* all).map(({ name }) => name),
          ["b"]
        )
        assert.deepStrictEqual(yield* log, ["dropped", "three", "two", "one"])
      }).pipe(Effect.provide(stores))
    )

    it.live("changes an expected value alone, and keeps who chose what is stored in another form", () =>
      Effect.gen(function* () {
        const { all, restate, set } = yield* Overrides
        const value = Effect.map(all, ([first]) => first?.value)
        const to = (next: string | undefined, former: string | undefined) =>
          set({ name: "a", value: next, reason: "why", expected: { value: former } }, record("expected"))
        assert.isFalse(yield* to("1", "0"))
        assert.isFalse(yield* to(undefined, "0"))
        assert.isTrue(yield* to("1", undefined))
        assert.isFalse(yield* to("2", undefined))
        assert.isFalse(yield* to("2", "0"))
        assert.isTrue(yield* to("2", "1"))
        assert.strictEqual(yield* value, "2")
        const [before] = yield* all
        assert.isFalse(yield* restate({ name: "a", from: "1", to: "3" }))
        assert.isTrue(yield* restate({ name: "a", from: "2", to: "x".repeat(20_000) }))
        assert.deepStrictEqual(yield* all, before === undefined ? [] : [{ ...before, value: "x".repeat(20_000) }])
        assert.isFalse(yield* to(undefined, "2"))
        assert.isTrue(yield* to(undefined, "x".repeat(20_000)))
        assert.strictEqual(yield* value, undefined)
        assert.lengthOf(yield* log, 3)
      }).pipe(Effect.provide(stores))
    )

    it.live("tells of changes", () =>
      Effect.gen(function* () {
        const { changes, set } = yield* Overrides
        const told = yield* changes.pipe(Stream.take(1), Stream.runDrain, Effect.forkChild({ startImmediately: true }))
        yield* set({ name: "a", value: "1", reason: "" }, record("one"))
        yield* Fiber.join(told)
      }).pipe(Effect.timeout("5 seconds"), Effect.provide(stores))
    )
  })
