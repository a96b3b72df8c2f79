/** Sales of fees on exchanges that answer for some tokens only. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import {
  atMost,
  away,
  burnt,
  DAY_SECONDS,
  find,
  finding,
  type Node,
  OTHER,
  paying,
  QUOTER,
  type Read,
  TOKEN
} from "./silentScene.ts"

/** True for reads of the exchange of the quoter, which is not that of pairs. */
const isOfQuoter = (reads: ReadonlyArray<Read>) => reads.some(({ target }) => target === QUOTER)

describe("the sale of a fee in a token that uses up the gas of its quotes", () => {
  it.effect("is none, since the node answered", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* find(() => burnt), Option.none())
      const before = { minPoolAgeSeconds: DAY_SECONDS, before: () => burnt }
      assert.deepStrictEqual(yield* find(paying, before), Option.none())
    })
  )

  it.effect("is what other exchanges pay, for certain", () =>
    Effect.gen(function* () {
      const found = yield* find((reads) => (isOfQuoter(reads) ? burnt : paying(reads)))
      assert.strictEqual(atMost(found), 900n)
      assert.isUndefined(Option.getOrThrow(found).unanswered)
    })
  )
})

describe("the sale of a fee while an exchange does not answer about earlier blocks, and others do", () => {
  /** The exchange of pairs is silent while `state` says so. */
  const scene = (state: { isSilent: boolean }) => {
    const before: Node = (reads) => (state.isSilent && !isOfQuoter(reads) ? away : paying(reads))
    return finding(paying, { minPoolAgeSeconds: DAY_SECONDS, before })
  }

  it.effect("is none after ten minutes, for each token", () =>
    Effect.gen(function* () {
      const again = yield* scene({ isSilent: true })
      // The node has had old states once the other exchange has been read.
      yield* Effect.ignore(again())
      for (let minute = 0; minute < 10; minute++) {
        assert.include((yield* Effect.flip(again())).message, "away")
        yield* TestClock.adjust("1 minute")
      }
      assert.deepStrictEqual(yield* again(OTHER), Option.none())
    })
  )

  it.effect("is not known for ten minutes more after an answer", () =>
    Effect.gen(function* () {
      const state = { isSilent: true }
      const again = yield* scene(state)
      // The node has had old states once the other exchange has been read.
      yield* Effect.ignore(again())
      for (let minute = 0; minute < 9; minute++) {
        assert.include((yield* Effect.flip(again())).message, "away")
        yield* TestClock.adjust("1 minute")
      }
      state.isSilent = false
      assert.strictEqual(atMost(yield* again()), 900n)
      state.isSilent = true
      yield* TestClock.adjust("2 minutes")
      assert.include((yield* Effect.flip(again(OTHER))).message, "away")
    })
  )
})

describe("the sale of a fee while an exchange does not answer", () => {
  it.effect("is that of another one, and may be more", () =>
    Effect.gen(function* () {
      const found = yield* find((reads) => (isOfQuoter(reads) ? away : paying(reads)))
      assert.include(Option.getOrThrow(found).unanswered?.message, "away")
    })
  )

  /** A node that answers nothing for the token while `state` says so, and says that others have no route. */
  const partly =
    (state: { isSilent: boolean }, answer: Node = () => undefined): Node =>
    (reads) =>
      state.isSilent && reads.some(({ data }) => data.includes(TOKEN.slice(2).toLowerCase())) ? away : answer(reads)

  it.effect("is none after ten minutes in which exchanges answered for other tokens", () =>
    Effect.gen(function* () {
      const state = { isSilent: true }
      const again = yield* finding(partly(state))
      for (let minute = 0; minute < 10; minute++) {
        assert.include((yield* Effect.flip(again())).message, "away")
        yield* again(OTHER)
        yield* TestClock.adjust("1 minute")
      }
      assert.deepStrictEqual(yield* again(), Option.none())
      // An answer ends it.
      state.isSilent = false
      assert.deepStrictEqual(yield* again(), Option.none())
      state.isSilent = true
      assert.include((yield* Effect.flip(again())).message, "away")
    })
  )

  it.effect("stays unknown while exchanges answer for no token", () =>
    Effect.gen(function* () {
      const again = yield* finding(() => away)
      for (let minute = 0; minute < 15; minute++) {
        assert.include((yield* Effect.flip(again())).message, "away")
        yield* TestClock.adjust("1 minute")
      }
    })
  )

  it.effect("stays unknown while exchanges answer about earlier blocks only", () =>
    Effect.gen(function* () {
      const again = yield* finding(() => away, { minPoolAgeSeconds: DAY_SECONDS, before: paying })
      for (let minute = 0; minute < 15; minute++) {
        assert.include((yield* Effect.flip(again())).message, "away")
        yield* TestClock.adjust("1 minute")
      }
    })
  )

  it.effect("stays unknown for a token that is valued only now and then", () =>
    Effect.gen(function* () {
      const again = yield* finding(partly({ isSilent: true }))
      for (let hour = 0; hour < 3; hour++) {
        yield* again(OTHER)
        assert.include((yield* Effect.flip(again())).message, "away")
        yield* TestClock.adjust("1 hour")
      }
    })
  )

  it.effect("is for certain what another one pays, after ten minutes", () =>
    Effect.gen(function* () {
      const again = yield* finding((reads) => (isOfQuoter(reads) ? away : paying(reads)))
      for (let minute = 0; minute < 10; minute++) {
        assert.isDefined(Option.getOrThrow(yield* again()).unanswered)
        yield* TestClock.adjust("1 minute")
      }
      const found = yield* again()
      assert.strictEqual(atMost(found), 900n)
      assert.isUndefined(Option.getOrThrow(found).unanswered)
    })
  )
})
