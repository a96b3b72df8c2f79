/** Releases and ends by a worker that may have lost its lease: a part of the suite of {@link Intents}. */
import { expect, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, submitted } from "../../support/IntentFixtures.ts"

const refused = { reason: "simulation_failed", detail: "InsufficientOutput", notBeforeMs: 60_000 } as const

const claim = (worker: string) =>
  Effect.flatMap(Intents, (intents) => intents.claim({ chainId: 1, worker, leaseMillis: 1_000, limit: 10 })).pipe(
    Effect.map((claimed) => claimed.map(({ id }) => id))
  )

export const leaseCases = (stores: Layer.Layer<Intents | RelayTransactions, unknown>) => {
  it.effect("takes back no lease, and ends no rest, that another worker has set since", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      yield* submitted({ id: "a" })
      expect(yield* claim("w1")).toEqual(["a"])
      yield* TestClock.adjust("1 second")
      expect(yield* claim("w2")).toEqual(["a"])
      yield* intents.release(["a"], { worker: "w1" })
      yield* intents.release(["a"], { notBeforeMs: 9_000, waitingFor: "gas_price", worker: "w1" })
      expect(yield* claim("w3")).toEqual([])
      expect(yield* intents.waiting(1, "gas_price")).toBe(0)
      yield* intents.release(["a"], { notBeforeMs: 5_000, worker: "w2" })
      yield* intents.release(["a"], { worker: "w1" })
      expect(yield* claim("w3")).toEqual([])
      yield* TestClock.adjust("4 seconds")
      expect(yield* claim("w3")).toEqual(["a"])
      // A release without a worker is the operator's.
      yield* intents.release(["a"])
      expect(yield* claim("w4")).toEqual(["a"])
      yield* intents.release(["a"], { worker: "w4" })
      yield* intents.release(["a"], { notBeforeMs: 9_000, worker: "w4" })
      expect(yield* claim("w5")).toEqual([])
    }).pipe(Effect.provide(stores))
  )

  it.effect("gives up nothing that another worker has leased, put off or sent since", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      const transactions = yield* RelayTransactions
      const giveUp = (worker: string) => intents.giveUp("a", { ...refused, worker })
      const givenUp = Effect.map(intents.givenUp("a"), Option.isSome)
      yield* submitted({ id: "a" })
      expect(yield* claim("w1")).toEqual(["a"])
      yield* TestClock.adjust("1 second")
      expect(yield* claim("w2")).toEqual(["a"])
      expect([yield* giveUp("w1"), yield* givenUp]).toEqual([false, false])
      // The lease of the second worker still stands.
      expect(yield* claim("w3")).toEqual([])
      yield* intents.release(["a"], { notBeforeMs: 5_000, worker: "w2" })
      expect([yield* giveUp("w1"), yield* givenUp]).toEqual([false, false])
      yield* TestClock.adjust("4 seconds")
      expect(yield* claim("w3")).toEqual(["a"])
      const { id } = yield* transactions.allocate({
        chainId: 1,
        lane: address(0x1a4e),
        chainNonce: 0n,
        intentIds: ["a"],
        sign: () => Effect.succeed(attempt("leased"))
      })
      expect([yield* giveUp("w3"), yield* givenUp]).toEqual([false, false])
      yield* transactions.finalize([{ id }])
      expect(yield* claim("w4")).toEqual(["a"])
      expect([yield* giveUp("w4"), yield* givenUp]).toEqual([true, true])
    }).pipe(Effect.provide(stores))
  )

  it.effect("gives up what its worker holds, and anything for the watcher", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      yield* submitted({ id: "a" })
      expect(yield* claim("w1")).toEqual(["a"])
      yield* TestClock.adjust("1 second")
      // Nobody else has claimed it since the lease ended.
      expect(yield* intents.giveUp("a", { ...refused, worker: "w1" })).toBe(true)
      expect(yield* intents.giveUp("a", refused)).toBe(true)
      yield* intents.apply("a", [{ _tag: "Failed", reason: "expired" }])
      expect(yield* intents.giveUp("a", refused)).toBe(false)
    }).pipe(Effect.provide(stores))
  )
}
