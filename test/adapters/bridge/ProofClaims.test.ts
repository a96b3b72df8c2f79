import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as ProofClaims from "../../../src/adapters/bridge/ProofClaims.ts"
import * as MemoryIdempotency from "../../../src/adapters/memory/shared/Idempotency.ts"
import { Idempotency } from "../../../src/ports/shared/Idempotency.ts"
import { StoreUnavailable } from "../../../src/ports/shared/Store.ts"

const ALL = ["a", "b", "c"]

/** Claims of replicas whose reads and writes in the store alternate. */
const scene = Effect.gen(function* () {
  const store = yield* Idempotency
  const { take } = ProofClaims.makeOne({
    ...store,
    fingerprints: (ids) => Effect.tap(store.fingerprints(ids), () => Effect.yieldNow)
  })
  const heldBy = (order: string) =>
    Effect.map(store.fingerprints(ALL), (found) => ALL.filter((id) => found.get(id) === order))
  return { heldBy, store, take }
})

describe("the claims of orders that have several proofs", () => {
  it.effect("give an order one proof, also if two replicas see different ones at the same time", () =>
    Effect.gen(function* () {
      const { heldBy, take } = yield* scene
      const both = yield* Effect.all([take(["a", "b"], ALL, "one"), take(["b"], ALL, "one")], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(both, [{ _tag: "Own", id: "a" }, { _tag: "Later" }])
      assert.deepStrictEqual(yield* heldBy("one"), ["a"])
      // The order waits for its own proof, and another one gets the next.
      assert.deepStrictEqual(yield* take(["b"], ALL, "one"), { _tag: "None" })
      assert.deepStrictEqual(yield* take(["a", "b"], ALL, "two"), { _tag: "Own", id: "b" })
      assert.deepStrictEqual(yield* take(["c", "a"], ALL, "one"), { _tag: "Own", id: "a" })
      assert.deepStrictEqual(yield* heldBy("one"), ["a"])
    }).pipe(Effect.provide(MemoryIdempotency.layer))
  )

  it.effect("wait for a claim of the order that a replica makes now, and leave the next proof free", () =>
    Effect.gen(function* () {
      const { heldBy, store } = yield* scene
      // The claim is made after the read of the holders.
      const { take } = ProofClaims.makeOne({ ...store, fingerprints: () => Effect.succeed(new Map()) })
      const lease = { leaseMillis: 10_000, lifetimeMillis: 3_650 * 86_400_000 }
      yield* store.claim({ id: "a", attempt: "one", fingerprint: "one", ...lease })
      assert.deepStrictEqual(yield* take(["a", "b"], ALL, "one"), { _tag: "Later" })
      assert.deepStrictEqual(yield* heldBy("one"), ["a"])
      assert.deepStrictEqual(yield* take(["b"], ALL, "two"), { _tag: "Own", id: "b" })
    }).pipe(Effect.provide(MemoryIdempotency.layer))
  )

  it.effect("wait for the turn of a replica that stopped, until its lease ends", () =>
    Effect.gen(function* () {
      const { store, take } = yield* scene
      const stopped = ProofClaims.makeOne({
        ...store,
        fingerprints: () => Effect.fail(new StoreUnavailable({ operation: "read", detail: "no answer" })),
        release: () => Effect.void
      })
      yield* Effect.flip(stopped.take(["a"], ALL, "one"))
      assert.deepStrictEqual(yield* take(["a"], ALL, "one"), { _tag: "Later" })
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* take(["a"], ALL, "one"), { _tag: "Own", id: "a" })
    }).pipe(Effect.provide(MemoryIdempotency.layer))
  )
})
