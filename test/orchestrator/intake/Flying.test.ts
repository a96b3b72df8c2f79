import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Flying from "../../../src/orchestrator/intake/Flying.ts"
import { BridgeFlights, type Flight } from "../../../src/ports/orchestrator/BridgeFlights.ts"
import type { Quote } from "../../../src/domain/Quote.ts"
import { newIntent } from "../../support/IntentFixtures.ts"

const USD = 10n ** 18n

/** Submits a sweep with this quote. Returns what was reserved, and the refusal if there is one. */
const flown = (change: Partial<Quote>, hasRoom = true) =>
  Effect.gen(function* () {
    const reserved: Array<Flight> = []
    const { quote } = newIntent({ id: "a" })
    const fly = yield* Effect.provideService(Flying.make, BridgeFlights, {
      room: () => Effect.die("not asked for"),
      releaseQuoted: () => Effect.die("not asked for"),
      reserve: (flights) =>
        Effect.sync(() => {
          reserved.push(...flights)
          return hasRoom
        })
    })
    const outcome = yield* Effect.result(fly([{ id: "a", quote: { ...quote, ...change } }], "submission"))
    const refusal =
      outcome._tag === "Failure" && outcome.failure._tag === "SubmissionRefused" ? outcome.failure : undefined
    return { reserved, refusal }
  })

const overRelay = { crossChain: true, provider: "relay", estimatedAmountOutUsd: "12.5", priceImpactBps: 0 } as const

describe("a sweep over a bridge on trust", () => {
  it.effect("reserves its value before it is accepted", () =>
    Effect.gen(function* () {
      const { refusal, reserved } = yield* flown(overRelay)
      assert.isUndefined(refusal)
      assert.deepStrictEqual(reserved, [{ id: "a", bridge: "relay", value: (25n * USD) / 2n }])
    })
  )

  it.effect("reserves the value of its deposit, however little its service promises", () =>
    Effect.gen(function* () {
      const { reserved } = yield* flown({ ...overRelay, estimatedAmountOutUsd: "70", priceImpactBps: 3_000 })
      assert.deepStrictEqual(reserved, [{ id: "a", bridge: "relay", value: 100n * USD }])
      const gaining = yield* flown({ ...overRelay, estimatedAmountOutUsd: "101", priceImpactBps: -100 })
      assert.deepStrictEqual(gaining.reserved, [{ id: "a", bridge: "relay", value: 101n * USD }])
      for (const priceImpactBps of [null, 10_000]) {
        const unknown = yield* flown({ ...overRelay, priceImpactBps })
        assert.strictEqual(unknown.refusal?.reason, "budget_spent")
        assert.deepStrictEqual(unknown.reserved, [])
      }
    })
  )

  it.effect("is refused for a while without room, and without a value", () =>
    Effect.gen(function* () {
      const { refusal } = yield* flown(overRelay, false)
      assert.deepInclude(refusal, { reason: "budget_spent", retryAfterMillis: 60_000 })
      const unpriced = yield* flown({ ...overRelay, estimatedAmountOutUsd: null })
      assert.strictEqual(unpriced.refusal?.reason, "budget_spent")
      assert.deepStrictEqual(unpriced.reserved, [])
    })
  )

  it.effect("is refused where nothing keeps the reservations", () =>
    Effect.gen(function* () {
      const fly = yield* Flying.make
      const { quote } = newIntent({ id: "a" })
      assert.strictEqual(
        (yield* Effect.flip(fly([{ id: "a", quote: { ...quote, ...overRelay } }], "submission")))._tag,
        "SubmissionRefused"
      )
    })
  )

  it.effect("reserves all legs of a batch together, or none", () =>
    Effect.gen(function* () {
      const asked: Array<ReadonlyArray<string>> = []
      const fly = yield* Effect.provideService(Flying.make, BridgeFlights, {
        room: () => Effect.die("not asked for"),
        releaseQuoted: () => Effect.die("not asked for"),
        reserve: (flights) =>
          Effect.sync(() => {
            asked.push(flights.map(({ id }) => id))
            return true
          })
      })
      const { quote } = newIntent({ id: "a" })
      const leg = (id: string, change: Partial<Quote> = {}) => ({
        id,
        quote: { ...quote, ...overRelay, ...change }
      })
      yield* fly([leg("a"), leg("b", { provider: "across" }), leg("c")], "submission")
      yield* Effect.flip(fly([leg("d"), leg("e", { estimatedAmountOutUsd: null })], "submission"))
      assert.deepStrictEqual(asked, [["a", "c"]])
    })
  )

  it.effect("is none by another bridge, nor on one chain", () =>
    Effect.gen(function* () {
      for (const change of [{ provider: "across" }, { provider: "lifi" }, { crossChain: false }]) {
        const { refusal, reserved } = yield* flown({ ...overRelay, ...change }, false)
        assert.isUndefined(refusal)
        assert.deepStrictEqual(reserved, [])
      }
    })
  )
})
