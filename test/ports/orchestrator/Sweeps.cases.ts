/** Sweeps of many intents under one signature: the part of the suite of {@link Intents} about batches. */
import { expect, it } from "@effect/vitest"
import { Array, Effect, Exit, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { IllegalTransition } from "../../../src/domain/Intent.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import type { NewSweep } from "../../../src/ports/orchestrator/Sweeps.ts"
import { address, hash, newIntent, submission, submitted } from "../../support/IntentFixtures.ts"

const { authorization } = submission(2)

/** Two legs, of which the second one has an authorization. */
const sweep = (id: string, legs: readonly [string, string], owner = 1): NewSweep => ({
  id,
  owner: address(owner),
  signature: `0x${"cd".repeat(65)}`,
  legs: [
    { intentId: legs[0], legHash: hash(`leg ${legs[0]}`) },
    { intentId: legs[1], legHash: hash(`leg ${legs[1]}`), authorization, waitingFor: "gas_price" }
  ],
  network: "10.0.0.0/24"
})

const quoted = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, owner = 1) {
  const intents = yield* Intents
  for (const [index, id] of ids.entries()) yield* intents.create(newIntent({ id, owner, chainId: 1 + (index % 2) }))
})

export const sweepCases = (stores: Layer.Layer<Intents, unknown>) => {
  it.effect("submits all legs of a sweep with its signature, in signing order", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      yield* quoted(["b", "a"])
      yield* TestClock.adjust("5 millis")
      yield* intents.submitSweep(sweep("s", ["b", "a"]))
      const legHashes = [hash("leg b"), hash("leg a")]
      const signature = `0x${"cd".repeat(65)}`
      const of = (id: string) => Effect.map(intents.find(id), Option.getOrThrow)
      expect(yield* of("b")).toMatchObject({ status: "submitted", submittedAtMs: 5, network: "10.0.0.0/24" })
      expect((yield* of("b")).submission).toEqual({ signature, batch: { sweepId: "s", legHashes, leg: 0 } })
      expect((yield* of("a")).submission).toEqual({
        signature,
        authorization,
        batch: { sweepId: "s", legHashes, leg: 1 }
      })
      const states = yield* intents.states(["a", "b"])
      expect(states.map(({ id, waitingFor }) => [id, waitingFor]).toSorted()).toEqual([
        ["a", "gas_price"],
        ["b", undefined]
      ])
      const [claimed] = yield* intents.claim({ chainId: 1, worker: "w", leaseMillis: 1_000, limit: 5 })
      expect(claimed?.submission?.batch).toEqual({ sweepId: "s", legHashes, leg: 0 })
      expect(yield* intents.findSweep("s")).toMatchObject(
        Option.some({ id: "s", owner: address(1), intentIds: ["b", "a"], createdAtMs: 5 })
      )
      expect(yield* intents.findSweep("unknown")).toEqual(Option.none())
    }).pipe(Effect.provide(stores))
  )

  it.effect("submits all legs or none", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      yield* quoted(["a"])
      yield* submitted({ id: "taken", owner: 2 })
      const failure = yield* Effect.flip(intents.submitSweep(sweep("s", ["a", "taken"])))
      expect(failure).toEqual(new IllegalTransition({ from: "submitted", event: "Submitted" }))
      expect((yield* Effect.map(intents.find("a"), Option.getOrThrow)).status).toBe("quoted")
      expect(yield* intents.findSweep("s")).toEqual(Option.none())
      expect(yield* intents.claim({ chainId: 1, worker: "w", leaseMillis: 1_000, limit: 5 })).toHaveLength(1)
    }).pipe(Effect.provide(stores))
  )

  it.effect("takes a quote that a sweep has twice as submitted before", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      yield* quoted(["a", "b"])
      for (const legs of [
        ["a", "a"],
        ["b", "b"]
      ] as const) {
        const failure = yield* Effect.flip(intents.submitSweep(sweep("s", legs)))
        expect(failure).toEqual(new IllegalTransition({ from: "submitted", event: "Submitted" }))
      }
      expect((yield* intents.states(["a", "b"])).map(({ status }) => status)).toEqual(["quoted", "quoted"])
      expect(yield* intents.findSweep("s")).toEqual(Option.none())
      yield* intents.submitSweep(sweep("s", ["a", "b"]))
    }).pipe(Effect.provide(stores))
  )

  it.effect("accepts one of many sweeps of the same quotes", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      yield* quoted(["a", "b"])
      const outcomes = yield* Effect.forEach(
        Array.range(1, 8),
        (n) => Effect.exit(intents.submitSweep(sweep(`s${n}`, n % 2 === 0 ? ["a", "b"] : ["b", "a"]))),
        { concurrency: "unbounded" }
      )
      expect(outcomes.filter(Exit.isSuccess)).toHaveLength(1)
      expect(yield* intents.sweepsOf(address(1), { limit: 10 })).toHaveLength(1)
    }).pipe(Effect.provide(stores))
  )

  it.effect("lists the sweeps of an owner, newest first and page by page", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      for (const n of [1, 2, 3]) {
        yield* quoted([`a${n}`, `b${n}`])
        yield* intents.submitSweep(sweep(`s${n}`, [`a${n}`, `b${n}`]))
      }
      yield* quoted(["x", "y"], 2)
      yield* intents.submitSweep(sweep("other", ["x", "y"], 2))
      const first = yield* intents.sweepsOf(address(1), { limit: 2 })
      expect(first.map(({ id }) => id)).toEqual(["s3", "s2"])
      const rest = yield* intents.sweepsOf(address(1), { limit: 2, before: first[1]?.number })
      expect(rest.map(({ id, intentIds }) => [id, intentIds])).toEqual([["s1", ["a1", "b1"]]])
      expect(yield* intents.sweepsOf(address(3), { limit: 2 })).toEqual([])
    }).pipe(Effect.provide(stores))
  )
}
