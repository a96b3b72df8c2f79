/** Claims of intents: the part of the suite of {@link Intents} about leases and turns of owners. */
import { expect, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, hash, newIntent, submission, submitted } from "../../support/IntentFixtures.ts"

const claim = (worker: string, limit = 10, chainId = 1, order?: "oldest" | "fresh") =>
  Effect.flatMap(Intents, (intents) =>
    intents.claim({ chainId, worker, leaseMillis: 1_000, limit, ...(order === undefined ? {} : { order }) })
  ).pipe(Effect.map((claimed) => claimed.map(({ id }) => id)))

const carry = (intentIds: ReadonlyArray<string>) =>
  Effect.flatMap(RelayTransactions, (transactions) =>
    transactions.allocate({
      chainId: 1,
      lane: address(0x1a4e),
      chainNonce: 0n,
      intentIds,
      sign: (nonce) => Effect.succeed(attempt(`carry ${nonce}`))
    })
  )

/** A submitted sweep with these legs on one chain. */
const swept = Effect.fnUntraced(function* (
  id: string,
  legs: ReadonlyArray<string>,
  { chainId = 1, owner = 1 }: { readonly chainId?: number; readonly owner?: number } = {}
) {
  const intents = yield* Intents
  for (const leg of legs) yield* intents.create(newIntent({ id: leg, owner, chainId }))
  yield* intents.submitSweep({
    id,
    owner: address(owner),
    signature: submission().signature,
    legs: legs.map((intentId) => ({ intentId, legHash: hash(intentId) }))
  })
})

export const queueCases = (stores: Layer.Layer<Intents | RelayTransactions, unknown>) => {
  it.effect("claims the oldest first, one of each owner, and only of its chain", () =>
    Effect.gen(function* () {
      yield* submitted({ id: "z", owner: 1 })
      yield* TestClock.adjust("1 millis")
      yield* submitted({ id: "a", owner: 1 })
      yield* submitted({ id: "b", owner: 2 })
      yield* submitted({ id: "c", owner: 3 })
      yield* submitted({ id: "d", owner: 1, chainId: 2 })
      yield* Effect.flatMap(Intents, (intents) => intents.create(newIntent({ id: "quoted", owner: 9 })))
      expect(yield* claim("w", 2)).toEqual(["z", "b"])
      expect(yield* claim("w", 10)).toEqual(["c"])
      expect(yield* claim("w", 10)).toEqual([])
      expect(yield* claim("w", 10, 2)).toEqual(["d"])
    }).pipe(Effect.provide(stores))
  )

  it.effect("claims the legs of a sweep on its chain together", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      const transactions = yield* RelayTransactions
      yield* submitted({ id: "early", owner: 2 })
      yield* TestClock.adjust("1 millis")
      yield* swept("s", ["s3", "s1", "s2"])
      yield* swept("elsewhere", ["e1"], { chainId: 2 })
      yield* TestClock.adjust("1 millis")
      yield* submitted({ id: "later", owner: 1 })
      yield* submitted({ id: "late", owner: 3 })
      expect(yield* claim("w")).toEqual(["early", "s1", "s2", "s3", "late"])
      expect(yield* claim("w", 10, 2)).toEqual(["e1"])
      // A leg that is postponed waits until its siblings' transaction has ended.
      yield* intents.release(["s2"], { notBeforeMs: 1_000 })
      const { id } = yield* carry(["s1", "s3"])
      yield* TestClock.adjust("1 hour")
      expect(yield* claim("w")).toEqual(["early", "late"])
      yield* transactions.detach(id, ["s3"])
      expect(yield* claim("w")).toEqual([])
      yield* intents.apply("s1", [{ _tag: "SettledAtSource", txHash: hash("t") }])
      yield* transactions.finalize([{ id }])
      expect(yield* claim("w")).toEqual(["s2", "s3"])
    }).pipe(Effect.provide(stores))
  )

  it.effect("does not divide a sweep, and claims one beyond the limit alone", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      yield* submitted({ id: "a", owner: 9 })
      yield* TestClock.adjust("1 millis")
      yield* swept("s", ["s1", "s2", "s3"])
      yield* TestClock.adjust("1 millis")
      yield* submitted({ id: "b", owner: 8 })
      expect(yield* claim("w", 3)).toEqual(["a"])
      expect(yield* claim("w", 2)).toEqual(["s1", "s2", "s3"])
      expect(yield* claim("w", 2)).toEqual(["b"])
      yield* intents.release(["a", "s1", "s2", "s3", "b"])
      expect(yield* claim("w", 4)).toEqual(["a", "s1", "s2", "s3"])
      yield* intents.release(["a", "s1", "s2", "s3"])
      yield* intents.release(["s2"], { notBeforeMs: 1_000 })
      expect(yield* claim("w", 3)).toEqual(["a", "s1", "s3"])
    }).pipe(Effect.provide(stores))
  )

  it.effect("claims those that were never put off first, on request, and others as far as there is room", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      for (const [index, id] of ["a", "b", "c", "d", "e"].entries()) {
        yield* submitted({ id, owner: index + 1 })
        yield* TestClock.adjust("1 millis")
      }
      yield* submitted({ id: "behind", owner: 1 })
      yield* intents.release(["a", "c"], { notBeforeMs: 50 })
      yield* intents.release(["b"])
      yield* TestClock.adjust("100 millis")
      const taken = Effect.fnUntraced(function* (limit: number, order?: "oldest" | "fresh") {
        const ids = yield* claim("w", limit, 1, order)
        yield* TestClock.adjust("1 second")
        return ids
      })
      expect(yield* taken(2, "fresh")).toEqual(["b", "d"])
      expect(yield* taken(3, "oldest")).toEqual(["a", "b", "c"])
      // A lease ends the delay.
      yield* intents.release(["a", "c"], { notBeforeMs: 1 })
      expect((yield* taken(4, "fresh")).toSorted()).toEqual(["a", "b", "d", "e"])
      yield* intents.release(["b", "d", "e"], { notBeforeMs: 1 })
      expect(yield* taken(10, "fresh")).toEqual(["a", "b", "c", "d", "e"])
    }).pipe(Effect.provide(stores))
  )

  it.effect("takes those first that rested until the earliest time, if there is no room for all", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      for (const [index, id] of ["a", "b", "c", "d"].entries()) {
        yield* submitted({ id, owner: index + 1 })
        yield* TestClock.adjust("1 millis")
      }
      for (const [id, until] of [
        ["a", 40],
        ["b", 30],
        ["c", 20],
        ["d", 1_000]
      ] as const) {
        yield* intents.release([id], { notBeforeMs: until })
      }
      yield* TestClock.adjust("100 millis")
      expect(yield* claim("w", 2, 1, "fresh")).toEqual(["b", "c"])
      yield* intents.release(["b", "c"])
      expect(yield* claim("w", 2, 1, "oldest")).toEqual(["a", "b"])
      expect(yield* claim("w", 2, 1, "oldest")).toEqual(["c"])
    }).pipe(Effect.provide(stores))
  )

  it.effect("tells what an intent waits for until it is released otherwise, given up or carried", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      const waitingFor = Effect.map(intents.states(["a"]), ([state]) => state?.waitingFor)
      const wait = intents.release(["a"], { notBeforeMs: 5_000, waitingFor: "gas_price" })
      yield* submitted({ id: "a", owner: 1 })
      yield* submitted({ id: "b", owner: 2 })
      expect(yield* waitingFor).toBeUndefined()
      yield* wait
      expect(yield* waitingFor).toBe("gas_price")
      expect(yield* intents.waiting(1, "gas_price")).toBe(1)
      expect(yield* intents.waiting(2, "gas_price")).toBe(0)
      yield* TestClock.adjust("5 seconds")
      // A claim in between does not hide it.
      expect(yield* claim("w")).toEqual(["a", "b"])
      expect(yield* waitingFor).toBe("gas_price")
      yield* intents.release(["a"], { notBeforeMs: 6_000 })
      expect(yield* waitingFor).toBeUndefined()
      yield* wait
      yield* intents.giveUp("a", { reason: "simulation_failed", detail: "", notBeforeMs: 7_000 })
      expect(yield* waitingFor).toBeUndefined()
      yield* wait
      yield* carry(["a"])
      expect(yield* waitingFor).toBeUndefined()
      expect(yield* intents.waiting(1, "gas_price")).toBe(0)
    }).pipe(Effect.provide(stores))
  )

  it.effect("tells from its submission on what an intent waits for, and lets it be claimed", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      for (const [index, id] of ["a", "b", "c"].entries()) yield* intents.create(newIntent({ id, owner: index }))
      yield* Effect.all(
        [
          intents.submit("a", submission(), undefined, "gas_price"),
          intents.submit("b", submission()),
          intents.submit("c", submission(), "203.0.113.0/24", "gas_price")
        ],
        { concurrency: "unbounded" }
      )
      const states = yield* intents.states(["a", "b", "c"])
      expect(new Map(states.map(({ id, waitingFor }) => [id, waitingFor]))).toEqual(
        new Map([
          ["a", "gas_price"],
          ["b", undefined],
          ["c", "gas_price"]
        ])
      )
      expect(yield* intents.waiting(1, "gas_price")).toBe(2)
      // A second submission changes nothing.
      yield* Effect.flip(intents.submit("b", submission(), undefined, "gas_price"))
      expect(yield* intents.waiting(1, "gas_price")).toBe(2)
      expect((yield* claim("w")).toSorted()).toEqual(["a", "b", "c"])
    }).pipe(Effect.provide(stores))
  )

  it.effect("never gives an intent, or two of one owner, to workers that claim at once", () =>
    Effect.gen(function* () {
      yield* Effect.forEach(
        Array.from({ length: 60 }, (_, i) => i),
        (i) => submitted({ id: `i${i}`, owner: 1 + (i % 20) }),
        { concurrency: 10 }
      )
      const claims = yield* Effect.forEach(Array.from({ length: 12 }), (_, i) => claim(`w${i}`, 3), {
        concurrency: "unbounded"
      })
      const ids = claims.flat()
      const intents = yield* Intents
      const owners = yield* Effect.forEach(ids, (id) =>
        Effect.map(intents.find(id), (intent) => Option.getOrThrow(intent).order.owner)
      )
      expect(new Set(ids).size).toBe(ids.length)
      expect(new Set(owners).size).toBe(owners.length)
      expect(owners).toHaveLength(20)
    }).pipe(Effect.provide(stores))
  )

  it.effect("ends a lease after its time, and not before", () =>
    Effect.gen(function* () {
      yield* submitted({ id: "a" })
      expect(yield* claim("w1")).toEqual(["a"])
      yield* TestClock.adjust("999 millis")
      expect(yield* claim("w2")).toEqual([])
      yield* TestClock.adjust("1 millis")
      expect(yield* claim("w2")).toEqual(["a"])
    }).pipe(Effect.provide(stores))
  )

  it.effect("takes leases back, delayed when told, and lets the owner's next one pass meanwhile", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      yield* submitted({ id: "a" })
      yield* submitted({ id: "b" })
      expect(yield* claim("w")).toEqual(["a"])
      yield* intents.release(["a"])
      expect(yield* claim("w")).toEqual(["a"])
      yield* intents.release(["a", "unknown"], { notBeforeMs: 50 })
      expect(yield* claim("w")).toEqual(["b"])
      yield* intents.release(["b"], { notBeforeMs: 60 })
      expect(yield* claim("w")).toEqual([])
      yield* TestClock.adjust("50 millis")
      expect(yield* claim("w")).toEqual(["a"])
      yield* intents.release([])
    }).pipe(Effect.provide(stores))
  )

  it.effect("claims none of an owner whose intent a transaction carries, until that is final", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      const transactions = yield* RelayTransactions
      yield* submitted({ id: "a" })
      yield* submitted({ id: "b" })
      expect(yield* claim("w")).toEqual(["a"])
      const { id } = yield* carry(["a"])
      yield* intents.release(["a"])
      yield* TestClock.adjust("1 hour")
      expect(yield* claim("w")).toEqual([])
      yield* intents.apply("a", [{ _tag: "SettledAtSource", txHash: hash("t") }])
      expect(yield* claim("w")).toEqual([])
      yield* transactions.finalize([{ id }])
      expect(yield* claim("w")).toEqual(["b"])
    }).pipe(Effect.provide(stores))
  )

  it.effect("shows overdue intents in pages, by their deadlines", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      const deadlines = { late: 990n, b: 980n, a: 980n, c: 980n, first: 970n, open: 1_000n }
      for (const [index, [id, deadline]] of Object.entries(deadlines).entries()) {
        const { order, ...intent } = newIntent({ id, owner: index + 1 })
        yield* intents.create({ ...intent, order: { ...order, deadline } })
        yield* intents.submit(id, submission())
      }
      const page = (limit: number, deadline?: bigint, ...without: ReadonlyArray<string>) =>
        Effect.map(
          intents.overdue(1, 1_000n, limit, deadline === undefined ? undefined : { deadline, without }),
          (overdue) => overdue.map(({ id }) => id)
        )
      expect(yield* page(1)).toEqual(["first"])
      const second = yield* page(2, 970n, "first")
      const third = yield* page(2, 980n, ...second)
      expect([...second, ...third.slice(0, 1)].toSorted()).toEqual(["a", "b", "c"])
      expect(third.slice(1)).toEqual(["late"])
      expect(yield* page(2, 990n, "late")).toEqual([])
    }).pipe(Effect.provide(stores))
  )
}
