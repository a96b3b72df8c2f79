/** States of intents as clients see them, over a real store. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Logger, Option, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryIntents from "../../../src/adapters/memory/orchestrator/Intents.ts"
import { IntentView } from "../../../src/api/orchestrator/Schemas.ts"
import type { WaitingFor } from "../../../src/domain/Intent.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { StoreUnavailable } from "../../../src/ports/shared/Store.ts"
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
      yield* intents.release(["a"], { notBeforeMs: 3_000, waitingFor: "gas_price" })
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
      yield* intents.release(["a"], { notBeforeMs: 3_000, waitingFor: "gas_price" })
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
  /** A store that has every intent, and holds back the quotes of the ids in `held` until `answer`. */
  const quoting = Effect.gen(function* () {
    const { quote } = newIntent({ id: "a" })
    const stored = yield* Intents
    const answered = yield* Deferred.make<void>()
    const asked: Array<string> = []
    const held = new Set<string>()
    const intents = {
      ...stored,
      states: (ids: ReadonlyArray<string>) =>
        Effect.succeed(ids.map((id) => ({ id, status: "quoted" as const, crossChain: false }))),
      quotes: (ids: ReadonlyArray<string>) =>
        Effect.suspend(() => {
          asked.push(...ids)
          const quotes = new Map(ids.map((id) => [id, quote]))
          return ids.some((id) => held.has(id)) ? Effect.as(Deferred.await(answered), quotes) : Effect.succeed(quotes)
        }),
      answer: Deferred.succeed(answered, undefined)
    }
    return { asked, held, intents, quote }
  })

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

  it.effect("are there also for the quote that a new one takes the place of", () =>
    Effect.gen(function* () {
      const { quote } = newIntent({ id: "a" })
      const asked: Array<string> = []
      const states = yield* IntentStates.make({
        ...(yield* Intents),
        states: (ids) => Effect.succeed(ids.map((id) => ({ id, status: "quoted" as const, crossChain: false }))),
        quotes: (ids) =>
          Effect.sync(() => {
            asked.push(...ids)
            return new Map(ids.map((id) => [id, quote]))
          })
      })
      const kept = Array.from({ length: 5_000 }, (_, index) => `kept ${index}`)
      const find = (ids: ReadonlyArray<string>) => Effect.forEach(ids, states.find, { concurrency: "unbounded" })
      yield* find(kept)
      assert.deepStrictEqual(asked.splice(0), kept)
      const found = yield* find(["kept 0", "new"])
      assert.deepStrictEqual(
        found.map((state) => Option.getOrThrow(state).minAmountOut),
        [quote.minAmountOut, quote.minAmountOut]
      )
      yield* find(["kept 1", "kept 0"])
      assert.deepStrictEqual(asked, ["new", "kept 0"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("are there for a quote that others took the place of while the store answered", () =>
    Effect.gen(function* () {
      const { asked, held, intents, quote } = yield* quoting
      const states = yield* IntentStates.make(intents)
      yield* states.find("kept")
      held.add("slow")
      const reading = yield* Effect.forEach(["kept", "slow"], states.find, { concurrency: "unbounded" }).pipe(
        Effect.forkChild
      )
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(asked, ["kept", "slow"])
      yield* Effect.forEach(
        Array.from({ length: 5_000 }, (_, index) => `other ${index}`),
        states.find,
        { concurrency: "unbounded" }
      )
      yield* intents.answer
      assert.deepStrictEqual(
        (yield* Fiber.join(reading)).map((state) => Option.getOrThrow(state).minAmountOut),
        [quote.minAmountOut, quote.minAmountOut]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("are read once for those who follow, however many others are read", () =>
    Effect.gen(function* () {
      const { asked, intents } = yield* quoting
      const states = yield* IntentStates.make(intents)
      const others = (name: string) =>
        Effect.forEach(
          Array.from({ length: 5_000 }, (_, index) => `${name} ${index}`),
          states.find,
          { concurrency: "unbounded" }
        )
      const state = Option.getOrThrow(yield* states.find("followed"))
      const follower = yield* states.follow(state).pipe(Stream.runDrain, Effect.forkChild({ startImmediately: true }))
      yield* TestClock.adjust(250)
      yield* others("first")
      yield* TestClock.adjust(500)
      assert.deepStrictEqual(
        asked.filter((id) => id === "followed"),
        ["followed"]
      )
      yield* Fiber.interrupt(follower)
      asked.length = 0
      yield* states.find("followed")
      assert.deepStrictEqual(asked, [])
      // A quote that nobody follows counts for the limit again.
      yield* others("second")
      asked.length = 0
      yield* states.find("followed")
      assert.deepStrictEqual(asked, ["followed"])
    }).pipe(Effect.provide(layer))
  )
})

describe("a state that cannot be read", () => {
  const unreadable = new Error("the row has another form")

  /** The store, whose reads of states die while `dies` says so. Counts the reads. */
  const breaking = Effect.map(Intents, (stored) => {
    const reads: Array<ReadonlyArray<string>> = []
    const broken = { dies: (_ids: ReadonlyArray<string>, _read: number): boolean => false }
    const states = (ids: ReadonlyArray<string>) =>
      Effect.suspend(() => {
        reads.push(ids)
        return broken.dies(ids, reads.length) ? Effect.die(unreadable) : stored.states(ids)
      })
    return { intents: { ...stored, states }, reads, broken }
  })

  /** Follows an intent for the rest of the test. Returns what the follower has seen so far. */
  const followed = Effect.fnUntraced(function* (states: IntentStates.IntentStates, id: string) {
    const seen: Array<WaitingFor | undefined> = []
    const first = Option.getOrThrow(yield* states.find(id))
    const follower = yield* states.follow(first).pipe(
      Stream.runForEach(({ waitingFor }) => Effect.sync(() => seen.push(waitingFor))),
      Effect.forkChild({ startImmediately: true })
    )
    return { seen, leave: Fiber.interrupt(follower) }
  })

  /** The messages that are logged, with all annotations at the end. */
  const capture = () => {
    const lines: Array<string> = []
    return { lines, logger: Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))]) }
  }

  it.effect("ends no following: the next read tells it", () => {
    const { lines, logger } = capture()
    return Effect.gen(function* () {
      const { broken, intents } = yield* breaking
      const states = yield* IntentStates.make(intents)
      yield* submitted({ id: "a" })
      const { seen } = yield* followed(states, "a")
      broken.dies = (_ids, read) => read === 3
      yield* TestClock.adjust(500)
      yield* intents.release(["a"], { notBeforeMs: 3_000, waitingFor: "gas_price" })
      yield* TestClock.adjust(250)
      assert.deepStrictEqual(seen, [undefined, "gas_price"])
      assert.deepStrictEqual(lines, ["intent.unreadable"])
    }).pipe(Effect.provide(layer), Effect.provide(logger))
  })

  it.effect("keeps no other state from those who follow it or ask for it, and is logged once", () => {
    const { lines, logger } = capture()
    return Effect.gen(function* () {
      const { broken, intents, reads } = yield* breaking
      const states = yield* IntentStates.make(intents)
      const ids = ["a", "b", "c", "d", "e", "f", "g", "h"]
      for (const [index, id] of ids.entries()) yield* submitted({ id, nonce: BigInt(index) })
      const following = yield* Effect.forEach(ids, (id) => followed(states, id))
      broken.dies = (asked) => asked.includes("c")
      yield* intents.release(ids, { notBeforeMs: 3_000, waitingFor: "gas_price" })
      yield* TestClock.adjust(250)
      for (const [index, { seen }] of following.entries()) {
        assert.deepStrictEqual(seen, ids[index] === "c" ? [undefined] : [undefined, "gas_price"], ids[index])
      }

      const exits = yield* Effect.forEach(ids, (id) => Effect.exit(states.find(id)), { concurrency: "unbounded" })
      assert.deepStrictEqual(
        exits.map(Exit.isSuccess),
        ids.map((id) => id !== "c")
      )
      // From now on, the one that failed is read by itself.
      reads.length = 0
      yield* TestClock.adjust(250)
      assert.deepStrictEqual(reads, [ids.filter((id) => id !== "c"), ["c"]])
      assert.deepStrictEqual(lines, ["intent.unreadable"])

      broken.dies = () => false
      yield* TestClock.adjust(250)
      assert.deepStrictEqual(following[2]?.seen, [undefined, "gas_price"])
      reads.length = 0
      yield* TestClock.adjust(250)
      assert.deepStrictEqual(reads, [ids])
      for (const { leave } of following) yield* leave
    }).pipe(Effect.provide(layer), Effect.provide(logger))
  })

  it.effect("does not stop the polling if more than the row is broken", () => {
    const { lines, logger } = capture()
    return Effect.gen(function* () {
      const { intents } = yield* breaking
      let isOut = false
      const states = yield* IntentStates.make({
        ...intents,
        states: (ids) =>
          Effect.suspend(() =>
            isOut ? Effect.fail(new StoreUnavailable({ operation: "states", detail: "gone" })) : intents.states(ids)
          )
      })
      yield* submitted({ id: "a" })
      const { seen } = yield* followed(states, "a")
      isOut = true
      yield* TestClock.adjust(1_000)
      isOut = false
      yield* intents.release(["a"], { notBeforeMs: 3_000, waitingFor: "gas_price" })
      yield* TestClock.adjust(250)
      assert.deepStrictEqual(seen, [undefined, "gas_price"])
      assert.deepStrictEqual(lines, ["background.database_lost", "background.database_recovered"])
    }).pipe(Effect.provide(layer), Effect.provide(logger))
  })
})
