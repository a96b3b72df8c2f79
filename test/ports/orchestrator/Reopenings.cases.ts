/** The part of the suite of {@link RelayTransactions} about transactions that lost a block for good, and about their intents. */
import { expect, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, hash, submitted } from "../../support/IntentFixtures.ts"

const lane = address(0x1a4e)

const find = (id: string) => Effect.flatMap(Intents, (intents) => Effect.map(intents.find(id), Option.getOrThrow))

/** A transaction of three versions, the second of which settled the sweep `a` and not `b`. The last one is a self-send. */
const concluded = Effect.gen(function* () {
  const intents = yield* Intents
  const transactions = yield* RelayTransactions
  yield* submitted({ id: "a", owner: 1 })
  yield* submitted({ id: "b", owner: 2 })
  const { id } = yield* transactions.allocate({
    chainId: 1,
    lane,
    chainNonce: 0n,
    intentIds: ["a", "b"],
    sign: () => Effect.succeed(attempt("first"))
  })
  yield* transactions.addAttempt(id, attempt("second"), "sweep")
  yield* transactions.addAttempt(id, attempt("third"), "cancel")
  yield* intents.apply("a", [{ _tag: "SettledAtSource", txHash: hash("second") }])
  const inclusion = { hash: hash("second"), blockNumber: 9n, blockHash: hash("block") }
  yield* transactions.finalize([{ id, inclusion }])
  yield* TestClock.adjust("70 millis")
  return { id, inclusion, intents, transactions }
})

export const reopeningCases = (stores: Layer.Layer<Intents | RelayTransactions, unknown>) => {
  it.effect("remembers when a transaction lost its block, and which version that had", () =>
    Effect.gen(function* () {
      const { id, inclusion, transactions } = yield* concluded
      const { id: other } = yield* transactions.allocate({
        chainId: 1,
        lane,
        chainNonce: 0n,
        intentIds: [],
        sign: () => Effect.succeed(attempt("other"))
      })
      expect(yield* transactions.reopen([id, other].map((each) => ({ id: each, inclusion })))).toEqual([id])
      const [reopened, untouched] = yield* transactions.unfinished(1)
      expect(reopened).toMatchObject({
        id,
        kind: "sweep",
        status: "pending",
        intentIds: ["a"],
        reopened: { atMs: 70, hash: hash("second") }
      })
      expect(reopened).not.toHaveProperty("inclusion")
      expect(reopened?.attempts.map((each) => each.hash)).toEqual(["first", "second", "third"].map(hash))
      expect(untouched).not.toHaveProperty("reopened")

      // Again, in another version.
      const third = { ...inclusion, hash: hash("third") }
      yield* transactions.finalize([{ id, inclusion: third }])
      yield* TestClock.adjust("5 millis")
      yield* transactions.reopen([{ id, inclusion: third }])
      expect((yield* transactions.unfinished(1))[0]?.reopened).toEqual({ atMs: 75, hash: hash("third") })
    }).pipe(Effect.provide(stores))
  )

  it.effect("reopens what is not final only if its block settled a sweep", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      const transactions = yield* RelayTransactions
      yield* submitted({ id: "a", owner: 1 })
      yield* submitted({ id: "b", owner: 2 })
      const { id } = yield* transactions.allocate({
        chainId: 1,
        lane,
        chainNonce: 0n,
        intentIds: ["a", "b"],
        sign: () => Effect.succeed(attempt("first"))
      })
      yield* transactions.addAttempt(id, attempt("second"), "sweep")
      yield* transactions.addAttempt(id, attempt("third"), "cancel")
      const inclusion = { hash: hash("second"), blockNumber: 9n, blockHash: hash("block") }
      yield* intents.apply("a", [{ _tag: "SettledAtSource", txHash: hash("second") }])
      expect(yield* transactions.reopen([{ id, inclusion }])).toEqual([])
      const first = { ...inclusion, hash: hash("first") }
      yield* transactions.setInclusion(id, first)
      expect(yield* transactions.reopen([{ id, inclusion: first }])).toEqual([])
      expect((yield* transactions.unfinished(1))[0]).toMatchObject({ status: "mined", kind: "cancel" })
      yield* transactions.setInclusion(id, inclusion)
      expect(yield* transactions.reopen([{ id, inclusion }])).toEqual([id])
      const [reopened] = yield* transactions.unfinished(1)
      const expected = { status: "pending", kind: "sweep", intentIds: ["a", "b"], reopened: { hash: hash("second") } }
      expect(reopened).toMatchObject(expected)
      expect(reopened).not.toHaveProperty("inclusion")
    }).pipe(Effect.provide(stores))
  )

  it.effect("reopens no transaction that another block or version is recorded of by now", () =>
    Effect.gen(function* () {
      const { id, inclusion, transactions } = yield* concluded
      const lost = { id, inclusion }
      expect(yield* transactions.reopen([lost])).toEqual([id])
      const moved = { ...inclusion, blockNumber: 10n, blockHash: hash("moved") }
      yield* transactions.finalize([{ id, inclusion: moved }])
      expect(yield* transactions.reopen([lost])).toEqual([])
      expect(yield* transactions.reopen([{ id, inclusion: { ...moved, hash: hash("first") } }])).toEqual([])
      expect(yield* transactions.finalFrom(1, 0n)).toEqual([{ id, inclusion: moved }])
      expect(yield* transactions.reopen([{ id, inclusion: moved }])).toEqual([id])
    }).pipe(Effect.provide(stores))
  )

  it.effect("forgets the block that a process saw, and no other", () =>
    Effect.gen(function* () {
      const { id, inclusion, transactions } = yield* concluded
      expect(yield* transactions.clearInclusion(id, inclusion)).toBe(false)
      yield* transactions.reopen([{ id, inclusion }])
      expect(yield* transactions.clearInclusion(id, inclusion)).toBe(false)
      const moved = { ...inclusion, blockHash: hash("moved") }
      yield* transactions.setInclusion(id, moved)
      expect(yield* transactions.clearInclusion(id, inclusion)).toBe(false)
      expect(yield* transactions.clearInclusion(id, { ...moved, hash: hash("first") })).toBe(false)
      expect((yield* transactions.unfinished(1))[0]).toMatchObject({ status: "mined", inclusion: moved })
      expect(yield* transactions.clearInclusion(id, moved)).toBe(true)
      const [pending] = yield* transactions.unfinished(1)
      expect(pending).toMatchObject({ status: "pending" })
      expect(pending).not.toHaveProperty("inclusion")
    }).pipe(Effect.provide(stores))
  )

  it.effect("notes the blocks of many transactions, except of those that are final", () =>
    Effect.gen(function* () {
      const { id: final, inclusion, transactions } = yield* concluded
      const allocate = (seed: string) =>
        transactions.allocate({
          chainId: 1,
          lane,
          chainNonce: 0n,
          intentIds: [],
          sign: () => Effect.succeed(attempt(seed))
        })
      const { id: one } = yield* allocate("one")
      const { id: other } = yield* allocate("other")
      const later = { hash: hash("one"), blockNumber: 10n, blockHash: hash("later") }
      const latest = { hash: hash("other"), blockNumber: 11n, blockHash: hash("latest") }
      yield* transactions.setInclusions([])
      yield* transactions.setInclusions([
        { id: other, inclusion: latest },
        { id: final, inclusion: latest },
        { id: one, inclusion: later }
      ])
      expect(yield* transactions.unfinished(1)).toMatchObject([
        { id: one, status: "mined", inclusion: later },
        { id: other, status: "mined", inclusion: latest }
      ])
      expect(yield* transactions.finalFrom(1, 0n)).toEqual([{ id: final, inclusion }])
    }).pipe(Effect.provide(stores))
  )

  it.effect("keeps the place of a version that is signed again, and notes when that was", () =>
    Effect.gen(function* () {
      const { id, inclusion, transactions } = yield* concluded
      yield* transactions.reopen([{ id, inclusion }])
      yield* transactions.markBroadcast(hash("second"))
      yield* transactions.addAttempt(id, { ...attempt("second"), signedAtMs: 90 }, "sweep")
      yield* transactions.addAttempt(id, { ...attempt("second"), signedAtMs: 80 }, "sweep")
      expect((yield* transactions.unfinished(1))[0]?.attempts).toEqual([
        attempt("first"),
        { ...attempt("second"), signedAtMs: 90, broadcastAtMs: 70 },
        attempt("third")
      ])
    }).pipe(Effect.provide(stores))
  )

  it.effect("names the transaction that settled an intent in the end", () =>
    Effect.gen(function* () {
      const { id, inclusion, intents, transactions } = yield* concluded
      yield* submitted({ id: "c", owner: 3 })
      const lost = hash("lost")
      yield* intents.apply("c", [
        { _tag: "SettledAtSource", txHash: lost },
        { _tag: "Delivered", txHash: lost, amountOut: 4n }
      ])
      yield* submitted({ id: "d", owner: 4 })
      yield* intents.apply("d", [{ _tag: "Failed", reason: "reverted" }])
      yield* transactions.reopen([{ id, inclusion }])
      const txHash = hash("first")
      const settled = { _tag: "SettledAtSource", txHash } as const
      const steps = [
        ...["a", "b", "d", "nobody's"].map((each) => ({ id: each, events: [settled] })),
        { id: "c", events: [settled, { _tag: "Delivered", txHash, amountOut: 5n } as const] }
      ]
      yield* intents.resettle([])
      const before = yield* find("b")
      yield* intents.resettle(steps)
      expect(yield* find("a")).toMatchObject({ status: "settled_source", txHash, updatedAtMs: 70 })
      expect(yield* find("a")).not.toHaveProperty("deliveryTxHash")
      expect(yield* find("c")).toMatchObject({ status: "delivered", txHash, deliveryTxHash: txHash, amountOut: 5n })
      expect(yield* find("b")).toEqual(before)
      expect(yield* find("d")).toMatchObject({ status: "failed" })
      // It is still the transaction's.
      expect((yield* transactions.unfinished(1))[0]?.intentIds).toEqual(["a"])
      yield* TestClock.adjust("5 millis")
      yield* intents.resettle(steps)
      expect((yield* find("a")).updatedAtMs).toBe(70)
    }).pipe(Effect.provide(stores))
  )
}
