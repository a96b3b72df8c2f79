/** States of intents as clients see them, over a real store. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryIntents from "../../../src/adapters/memory/orchestrator/Intents.ts"
import { IntentView } from "../../../src/api/orchestrator/Schemas.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { readIntent } from "../../../src/sdk/wire/Intent.ts"
import * as IntentStates from "../../../src/server/orchestrator/IntentStates.ts"
import { Stopping } from "../../../src/server/shared/Stopping.ts"
import { details, newIntent, submission, submitted } from "../../support/IntentFixtures.ts"

const layer = Layer.merge(MemoryIntents.layer, Stopping.layer)

describe("a sweep that waits for a lower price of gas", () => {
  it.effect("says so to those who ask, also through the client", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      const states = yield* IntentStates.make(intents)
      yield* submitted({ id: "a" })
      yield* intents.release(["a"], 3_000, "gas_price")
      const state = Option.getOrThrow(yield* states.find("a"))
      const seen = readIntent(yield* Schema.encodeEffect(IntentView)(state), "")
      assert.deepStrictEqual(seen, { id: "a", status: "submitted", crossChain: false, waitingFor: "gas_price" })
    }).pipe(Effect.provide(layer))
  )

  it.effect("says so to those who follow it, and when it waits no longer", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      const states = yield* IntentStates.make(intents)
      yield* submitted({ id: "a" })
      const first = Option.getOrThrow(yield* states.find("a"))
      const followed = yield* states
        .follow(first)
        .pipe(Stream.take(3), Stream.runCollect, Effect.forkChild({ startImmediately: true }))
      yield* intents.release(["a"], 3_000, "gas_price")
      yield* TestClock.adjust(500)
      yield* intents.release(["a"])
      yield* TestClock.adjust(500)
      const seen = yield* Fiber.join(followed)
      assert.deepStrictEqual(
        Array.from(seen, ({ waitingFor }) => waitingFor),
        [undefined, "gas_price", undefined]
      )
    }).pipe(Effect.provide(layer))
  )
})

describe("the terms of an intent", () => {
  it.effect("are those of its quote, and are read once", () =>
    Effect.gen(function* () {
      const stored = yield* Intents
      const asked: Array<ReadonlyArray<string>> = []
      const states = yield* IntentStates.make({
        ...stored,
        quotes: (ids) =>
          Effect.suspend(() => {
            asked.push(ids)
            return stored.quotes(ids)
          })
      })
      const made = newIntent({ id: "a" })
      yield* stored.create({ ...made, quote: { ...made.quote, ...details } })
      const first = Option.getOrThrow(yield* states.find("a"))
      assert.include(first, details)
      assert.deepStrictEqual(
        [first.sourceChainId, first.minAmountOut, first.estimatedAmountOut],
        [1, made.quote.minAmountOut, made.quote.estimatedAmountOut]
      )
      yield* stored.submit("a", submission())
      const second = Option.getOrThrow(yield* states.find("a"))
      assert.deepStrictEqual(second, { ...first, status: "submitted" })
      assert.isTrue(Option.isNone(yield* states.find("unknown")))
      assert.deepStrictEqual(asked, [["a"], ["unknown"]])
    }).pipe(Effect.provide(layer))
  )
})
