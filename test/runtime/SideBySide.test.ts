import { assert, describe, it } from "@effect/vitest"
import { Cause, Clock, Deferred, Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as SideBySide from "../../src/runtime/SideBySide.ts"

/** A source that answers after a time. */
const after = (name: string, millis: number, value = millis): SideBySide.Source<number, string> => ({
  name,
  ask: Effect.as(Effect.sleep(millis), value)
})

const failing = (name: string, millis: number): SideBySide.Source<number, string> => ({
  name,
  ask: Effect.andThen(Effect.sleep(millis), Effect.fail("broken"))
})

const silent = (name: string): SideBySide.Source<number, string> => ({ name, ask: Effect.never })

/** Asks the sources, and lets the clock run. Returns the outcomes and the time that passed. */
const timed = (sources: ReadonlyArray<SideBySide.Source<number, string>>, options: SideBySide.Options<number> = {}) =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const fiber = yield* Effect.forkChild(
      Effect.flatMap(SideBySide.askAll(sources, options), (outcome) =>
        Effect.map(Clock.currentTimeMillis, (now) => ({ ...outcome, took: now - began }))
      )
    )
    yield* TestClock.adjust("1 minute")
    return yield* Fiber.join(fiber)
  })

describe("sources that are asked side by side", () => {
  it.effect("answer together when the slowest has answered", () =>
    Effect.gen(function* () {
      const { answers, failures, silent: missing, took } = yield* timed([after("b", 40), after("a", 10)])
      // In the order of the sources.
      assert.deepStrictEqual(answers, [
        { name: "b", value: 40 },
        { name: "a", value: 10 }
      ])
      assert.deepStrictEqual([failures, missing, took], [[], [], 40])
    })
  )

  it.effect("are waited for 600 ms after the first good answer", () =>
    Effect.gen(function* () {
      const {
        answers,
        silent: missing,
        took
      } = yield* timed([after("slow", 1_000), after("fast", 100), after("ok", 690)])
      assert.deepStrictEqual(
        answers.map(({ name }) => name),
        ["fast", "ok"]
      )
      assert.deepStrictEqual([missing, took], [["slow"], 700])
    })
  )

  it.effect("are waited for 3 seconds at most", () =>
    Effect.gen(function* () {
      const { answers, silent: missing, took } = yield* timed([silent("a"), silent("b")])
      assert.deepStrictEqual([answers, missing, took], [[], ["a", "b"], 3_000])
      // A first answer near the limit does not extend it.
      assert.strictEqual((yield* timed([silent("a"), after("b", 2_900)])).took, 3_000)
    })
  )

  it.effect("fail alone, and a failure starts no time of grace", () =>
    Effect.gen(function* () {
      const defect = { name: "defect", ask: Effect.die("bug") }
      const { answers, failures, took } = yield* timed([failing("broken", 5), defect, after("good", 2_000)])
      assert.deepStrictEqual(answers, [{ name: "good", value: 2_000 }])
      assert.deepStrictEqual(
        failures.map(({ cause, name }) => [name, Cause.squash(cause)]),
        [
          ["broken", "broken"],
          ["defect", "bug"]
        ]
      )
      assert.strictEqual(took, 2_000)
    })
  )

  it.effect("start the time of grace only by an answer that is good", () =>
    Effect.gen(function* () {
      const isGood = (value: number) => Effect.succeed(value > 0)
      const { answers, took } = yield* timed([after("empty", 10, 0), after("good", 1_000), silent("never")], { isGood })
      assert.deepStrictEqual(
        answers.map(({ name }) => name),
        ["empty", "good"]
      )
      assert.strictEqual(took, 1_600)
    })
  )

  it.effect("count the time of grace from the answer, and not from the decision that it is good", () =>
    Effect.gen(function* () {
      const isGood = () => Effect.as(Effect.sleep(400), true)
      assert.strictEqual((yield* timed([after("a", 100), silent("b")], { isGood })).took, 700)
      // A decision that is later than the time of grace ends the wait at once.
      const late = () => Effect.as(Effect.sleep(900), true)
      assert.strictEqual((yield* timed([after("a", 100), silent("b")], { isGood: late })).took, 1_000)
    })
  )

  it.effect("are interrupted when they are too late, without waiting for their end", () =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      const stubborn: SideBySide.Source<number, string> = {
        name: "stubborn",
        ask: Effect.onInterrupt(Effect.never, () =>
          Effect.andThen(Deferred.succeed(interrupted, undefined), Effect.never)
        )
      }
      const { took } = yield* timed([stubborn, after("good", 0)])
      assert.strictEqual(took, 600)
      yield* Deferred.await(interrupted)
    })
  )

  it.effect("are interrupted with their caller", () =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      const ask = Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
      const fiber = yield* Effect.forkChild(SideBySide.askAll([{ name: "a", ask }]))
      yield* TestClock.adjust("10 millis")
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(interrupted)
    })
  )

  it.effect("need not exist", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* timed([]), { answers: [], failures: [], silent: [], took: 0 })
    })
  )

  const Millis = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5_000 }))
  const Plan = Schema.Struct({ millis: Millis, fails: Schema.Boolean })

  it.effect.prop(
    "are each reported once, and never late",
    [Schema.Array(Plan).check(Schema.isMaxLength(6))],
    ([plans]) =>
      Effect.gen(function* () {
        const sources = plans.map(({ fails, millis }, index) => (fails ? failing : after)(String(index), millis))
        const { answers, failures, silent: missing, took } = yield* timed(sources)
        const names = [...answers.map(({ name }) => name), ...failures.map(({ name }) => name), ...missing]
        assert.deepStrictEqual(names.toSorted(), sources.map(({ name }) => name).toSorted())
        const firstGood = Math.min(...plans.flatMap(({ fails, millis }) => (fails ? [] : [millis])))
        assert.isAtMost(took, Math.min(3_000, firstGood + 600))
      })
  )
})
