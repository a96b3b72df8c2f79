/** Contract of every store of {@link BridgeFlights}, together with the states of the intents that count. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { BridgeFlights, UNSUBMITTED_MILLIS } from "../../../src/ports/orchestrator/BridgeFlights.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { hash, newIntent, submitted } from "../../support/IntentFixtures.ts"

/** Limit of the stores in the tests, in the unit of the values. */
export const LIMIT = 1_000n

export const suite = (adapter: string, stores: Layer.Layer<Intents, unknown>): void => {
  describe(`${adapter} BridgeFlights`, () => {
    it.effect("carries no more than the limit, for each bridge alone", () =>
      Effect.gen(function* () {
        const flights = yield* BridgeFlights
        assert.strictEqual(yield* flights.room("relay"), LIMIT)
        assert.isTrue(yield* flights.reserve([{ id: "a", bridge: "relay", value: 600n }], "submission"))
        // Again, for a submission that is repeated.
        assert.isTrue(yield* flights.reserve([{ id: "a", bridge: "relay", value: 600n }], "submission"))
        assert.strictEqual(yield* flights.room("relay"), 400n)
        assert.isFalse(yield* flights.reserve([{ id: "b", bridge: "relay", value: 401n }], "submission"))
        assert.isTrue(yield* flights.reserve([{ id: "b", bridge: "relay", value: 400n }], "submission"))
        assert.strictEqual(yield* flights.room("relay"), 0n)
        assert.strictEqual(yield* flights.room("other"), LIMIT)
        assert.isTrue(yield* flights.reserve([{ id: "c", bridge: "other", value: LIMIT }], "submission"))
      }).pipe(Effect.provide(stores))
    )

    it.effect("carries no more than the limit by many reservations at once", () =>
      Effect.gen(function* () {
        const flights = yield* BridgeFlights
        const ids = Array.from({ length: 12 }, (_, index) => `at-once-${index}`)
        const reserved = yield* Effect.forEach(
          ids,
          (id) => flights.reserve([{ id, bridge: "relay", value: 300n }], "submission"),
          {
            concurrency: "unbounded"
          }
        )
        assert.strictEqual(reserved.filter((done) => done).length, 3)
      }).pipe(Effect.provide(stores))
    )

    it.effect("carries a submitted sweep until it is delivered or fails", () =>
      Effect.gen(function* () {
        const flights = yield* BridgeFlights
        const intents = yield* Intents
        for (const id of ["ends", "fails"]) {
          yield* submitted({ id })
          assert.isTrue(yield* flights.reserve([{ id, bridge: "relay", value: 500n }], "submission"))
        }
        yield* TestClock.adjust(2 * UNSUBMITTED_MILLIS)
        assert.strictEqual(yield* flights.room("relay"), 0n)
        yield* intents.apply("ends", [{ _tag: "SettledAtSource", txHash: hash("settled") }])
        assert.strictEqual(yield* flights.room("relay"), 0n)
        yield* intents.apply("ends", [{ _tag: "Delivered", txHash: hash("fill") }])
        assert.strictEqual(yield* flights.room("relay"), 500n)
        yield* intents.apply("fails", [{ _tag: "Failed", reason: "expired" }])
        assert.strictEqual(yield* flights.room("relay"), LIMIT)
        assert.isTrue(yield* flights.reserve([{ id: "next", bridge: "relay", value: LIMIT }], "submission"))
      }).pipe(Effect.provide(stores))
    )

    it.effect("keeps the value of a sweep whose submission is repeated late", () =>
      Effect.gen(function* () {
        const flights = yield* BridgeFlights
        assert.isTrue(yield* flights.reserve([{ id: "late", bridge: "relay", value: 500n }], "submission"))
        yield* TestClock.adjust(UNSUBMITTED_MILLIS - 1)
        assert.isTrue(yield* flights.reserve([{ id: "late", bridge: "relay", value: 500n }], "submission"))
        yield* TestClock.adjust(1)
        // Before the sweep is stored.
        assert.isFalse(yield* flights.reserve([{ id: "next", bridge: "relay", value: LIMIT }], "submission"))
        yield* submitted({ id: "late" })
        assert.strictEqual(yield* flights.room("relay"), 500n)
      }).pipe(Effect.provide(stores))
    )

    it.effect("reserves several sweeps together, or none of them", () =>
      Effect.gen(function* () {
        const flights = yield* BridgeFlights
        const flight = (id: string, value: bigint, bridge = "relay") => ({ id, bridge, value })
        assert.isFalse(yield* flights.reserve([flight("a", 600n), flight("b", 401n)], "submission"))
        // A later leg without room leaves nothing of its siblings, also of those over other bridges.
        assert.isFalse(yield* flights.reserve([flight("a", 600n, "other"), flight("b", LIMIT + 1n)], "submission"))
        assert.strictEqual(yield* flights.room("relay"), LIMIT)
        assert.strictEqual(yield* flights.room("other"), LIMIT)
        assert.isTrue(
          yield* flights.reserve([flight("a", 600n), flight("b", 300n), flight("c", LIMIT, "other")], "submission")
        )
        assert.strictEqual(yield* flights.room("relay"), 100n)
        assert.strictEqual(yield* flights.room("other"), 0n)
        // Repeated with a leg more.
        assert.isFalse(yield* flights.reserve([flight("a", 600n), flight("b", 300n), flight("d", 101n)], "submission"))
        assert.isTrue(yield* flights.reserve([flight("a", 600n), flight("b", 300n), flight("d", 100n)], "submission"))
        assert.isTrue(yield* flights.reserve([], "submission"))
      }).pipe(Effect.provide(stores))
    )

    it.effect("releases the sweeps of a holder that are still quoted, and no others", () =>
      Effect.gen(function* () {
        const flights = yield* BridgeFlights
        const intents = yield* Intents
        for (const id of ["a", "b"]) yield* intents.create(newIntent({ id }))
        yield* submitted({ id: "queued", owner: 2 })
        const values = { a: 300n, queued: 200n, b: 100n, unknown: 50n }
        const wanted = Object.entries(values).map(([id, value]) => ({
          id,
          bridge: "relay",
          value
        }))
        assert.isTrue(yield* flights.reserve(wanted, "submission"))
        yield* flights.releaseQuoted(["a", "queued", "unknown"], "another")
        yield* flights.releaseQuoted([], "submission")
        assert.strictEqual(yield* flights.room("relay"), LIMIT - 650n)
        yield* flights.releaseQuoted(["a", "queued", "unknown", "none"], "submission")
        assert.strictEqual(yield* flights.room("relay"), LIMIT - 350n)
        yield* flights.releaseQuoted(["queued", "b"], "submission")
        assert.strictEqual(yield* flights.room("relay"), LIMIT - 250n)
      }).pipe(Effect.provide(stores))
    )

    it.effect("keeps a sweep until its last holder releases it", () =>
      Effect.gen(function* () {
        const flights = yield* BridgeFlights
        yield* (yield* Intents).create(newIntent({ id: "a" }))
        const wanted = [{ id: "a", bridge: "relay", value: 300n }]
        for (const holder of ["first", "second", "first"]) assert.isTrue(yield* flights.reserve(wanted, holder))
        yield* flights.releaseQuoted(["a"], "first")
        yield* flights.releaseQuoted(["a"], "first")
        assert.strictEqual(yield* flights.room("relay"), LIMIT - 300n)
        yield* flights.releaseQuoted(["a"], "second")
        assert.strictEqual(yield* flights.room("relay"), LIMIT)
      }).pipe(Effect.provide(stores))
    )

    it.effect("forgets a sweep that is not submitted", () =>
      Effect.gen(function* () {
        const flights = yield* BridgeFlights
        assert.isTrue(yield* flights.reserve([{ id: "left", bridge: "relay", value: 500n }], "submission"))
        yield* TestClock.adjust(UNSUBMITTED_MILLIS - 1)
        assert.strictEqual(yield* flights.room("relay"), 500n)
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* flights.room("relay"), LIMIT)
        assert.isTrue(yield* flights.reserve([{ id: "next", bridge: "relay", value: LIMIT }], "submission"))
      }).pipe(Effect.provide(stores))
    )
  })
}
