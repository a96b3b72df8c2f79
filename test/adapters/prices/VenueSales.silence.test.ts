/** Sales of fees on exchanges that do not answer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { maxUint256 } from "viem"
import {
  atMost,
  away,
  DAY_SECONDS,
  find,
  finding,
  listing,
  type Node,
  paying,
  QUOTER,
  type Read,
  type Scene
} from "./silentScene.ts"

describe("the sale of a fee", () => {
  it.effect("is none if each exchange says that it has no route", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* find(() => undefined), Option.none())
    })
  )

  it.effect("is not known while no exchange answers", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(find(() => away))
      assert.strictEqual(failure._tag, "ChainUnavailable")
      assert.include(failure.message, "away")
    })
  )

  it.effect("is not known if no exchange answers in time", () =>
    Effect.gen(function* () {
      const finding = yield* Effect.forkChild(Effect.flip(find(() => Effect.never)))
      yield* TestClock.adjust("1 second")
      const failure = yield* Fiber.join(finding)
      assert.strictEqual(failure._tag, "ChainUnavailable")
      assert.include(failure.message, "no answer within 1000 ms")
    })
  )

  it.effect("is not known if one exchange has no route and another one does not answer", () =>
    Effect.gen(function* () {
      const asksQuoter = (reads: ReadonlyArray<Read>) => reads.some(({ target }) => target === QUOTER)
      const failure = yield* Effect.flip(find((reads) => (asksQuoter(reads) ? away : undefined)))
      assert.include(failure.message, "away")
      // An offer counts, whatever another exchange would pay.
      assert.strictEqual(atMost(yield* find((reads) => (asksQuoter(reads) ? away : paying(reads)))), 900n)
    })
  )
})

describe("the sale of a fee by a node whose answers are empty", () => {
  const empty: Node = () => Effect.succeed("0x")

  it.effect("is not known, since that says nothing about routes", () =>
    Effect.gen(function* () {
      assert.include((yield* Effect.flip(find(empty))).message, "malformed")
    })
  )

  it.effect("is none if they are those of earlier blocks, which the node never had", () =>
    Effect.gen(function* () {
      const state = { isAway: false }
      const before: Node = (reads) => (state.isAway ? away : empty(reads))
      const again = yield* finding(paying, { minPoolAgeSeconds: DAY_SECONDS, before })
      assert.deepStrictEqual(yield* again(), Option.none())
      state.isAway = true
      assert.deepStrictEqual(yield* again(), Option.none())
    })
  )
})

describe("the sale of a fee while the guard's list of routers cannot be read", () => {
  it.effect("is not known if the other exchanges have no route", () =>
    Effect.gen(function* () {
      const state = { isAway: true }
      const guard: Node = (reads) => (state.isAway ? away : listing(reads))
      const again = yield* finding(paying, { guard })
      assert.include((yield* Effect.flip(again())).message, "list")
      state.isAway = false
      assert.strictEqual(atMost(yield* again()), 900n)
    })
  )
})

describe("the sale of a fee by what an exchange paid before", () => {
  const found = (scene: Scene) => find(paying, { minPoolAgeSeconds: DAY_SECONDS, ...scene })

  it.effect("is there if it paid as much, and none if it paid nothing or the node has no old state", () =>
    Effect.gen(function* () {
      assert.strictEqual(atMost(yield* found({})), 900n)
      assert.deepStrictEqual(yield* found({ before: () => undefined }), Option.none())
      assert.deepStrictEqual(yield* found({ before: () => away }), Option.none())
    })
  )

  it.effect("is not known while the node of old states does not answer in time", () =>
    Effect.gen(function* () {
      const finding = yield* Effect.forkChild(Effect.flip(found({ before: () => Effect.never })))
      yield* TestClock.adjust("999 millis")
      assert.isUndefined(finding.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.include((yield* Fiber.join(finding)).message, "no answer within 1000 ms")
    })
  )

  it.effect("is not known while the node of old states, which has answered, does not", () =>
    Effect.gen(function* () {
      const state = { isAway: false }
      const before: Node = (reads) => (state.isAway ? away : paying(reads))
      const again = yield* finding(paying, { minPoolAgeSeconds: DAY_SECONDS, before })
      assert.strictEqual(atMost(yield* again()), 900n)
      state.isAway = true
      assert.include((yield* Effect.flip(again())).message, "away")
      // Blocks of that age are found anew.
      yield* TestClock.adjust("2 hours")
      assert.include((yield* Effect.flip(again())).message, "away")
      state.isAway = false
      assert.strictEqual(atMost(yield* again()), 900n)
    })
  )

  it.effect("is none again when the node has had no old state for ten minutes", () =>
    Effect.gen(function* () {
      const state = { isAway: false }
      const before: Node = (reads) => (state.isAway ? away : paying(reads))
      const again = yield* finding(paying, { minPoolAgeSeconds: DAY_SECONDS, before })
      yield* again()
      state.isAway = true
      for (let minute = 0; minute < 10; minute++) {
        assert.include((yield* Effect.flip(again())).message, "away")
        yield* TestClock.adjust("1 minute")
      }
      assert.deepStrictEqual(yield* again(), Option.none())
    })
  )

  it.effect("is not known while the node does not tell the earlier blocks", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(found({ latest: away }))
      assert.include(failure.message, "away")
    })
  )
})

describe("the sale of a fee beside others", () => {
  it.effect("is none, and nothing is asked, if they are more than a word of the ABI has", () =>
    Effect.gen(function* () {
      let asked = 0
      const counted: Node = (reads) => {
        asked++
        return paying(reads)
      }
      const first = { beside: maxUint256 - 999n }
      assert.deepStrictEqual(yield* find(counted, first), Option.none())
      assert.strictEqual(asked, 0)
      yield* find(counted, { beside: maxUint256 - 1_000n })
      assert.isAbove(asked, 0)
    })
  )
})
