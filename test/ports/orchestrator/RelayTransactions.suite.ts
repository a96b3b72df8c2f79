/** Contract of every store of relay transactions. Each test gets a store of its own. */
import { describe, expect, it } from "@effect/vitest"
import { Data, Deferred, Effect, Exit, Fiber, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import type { Address } from "../../../src/domain/Address.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { IntentTaken, RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, hash, newIntent, submitted } from "../../support/IntentFixtures.ts"
import { endedCases } from "./EndedTransactions.cases.ts"
import { frontCases } from "./LaneFronts.cases.ts"
import { missedNonceCases } from "./MissedNonces.cases.ts"
import { reopeningCases } from "./Reopenings.cases.ts"
import { reserveCases } from "./Reserves.cases.ts"

const lane = address(0x1a4e)

class CannotSign extends Data.TaggedError("CannotSign") {}

const allocate = (
  intentIds: ReadonlyArray<string>,
  options: { readonly lane?: Address; readonly chainNonce?: bigint; readonly chainId?: number } = {}
) =>
  Effect.flatMap(RelayTransactions, (transactions) =>
    transactions.allocate({
      chainId: options.chainId ?? 1,
      lane: options.lane ?? lane,
      chainNonce: options.chainNonce ?? 0n,
      intentIds,
      sign: (nonce) => Effect.succeed(attempt(`${options.chainId}${options.lane}${nonce}`))
    })
  )

const find = (id: string) => Effect.flatMap(Intents, (intents) => Effect.map(intents.find(id), Option.getOrThrow))

const claim = Effect.flatMap(Intents, (intents) =>
  intents.claim({ chainId: 1, worker: "w", leaseMillis: 1_000, limit: 10 })
).pipe(Effect.map((claimed) => claimed.map(({ id }) => id)))

export const suite = (adapter: string, stores: Layer.Layer<Intents | RelayTransactions, unknown>) =>
  describe(`RelayTransactions on ${adapter}`, () => {
    it.effect("stores the signed bytes and the link to the intents before they may be broadcast", () =>
      Effect.gen(function* () {
        const transactions = yield* RelayTransactions
        yield* submitted({ id: "b", owner: 1 })
        yield* submitted({ id: "a", owner: 2 })
        yield* TestClock.adjust("7 millis")
        const transaction = yield* allocate(["b", "a"], { chainNonce: 12n })
        expect(transaction).toEqual({
          id: transaction.id,
          chainId: 1,
          lane,
          nonce: 12n,
          kind: "sweep",
          intentIds: ["b", "a"],
          status: "pending",
          attempts: [attempt("undefinedundefined12")],
          createdAtMs: 7
        })
        expect(yield* transactions.unfinished(1)).toEqual([{ ...transaction, wantedUntil: 1_000n }])
        expect(yield* transactions.unfinished(2)).toEqual([])
        expect(yield* find("a")).toMatchObject({
          status: "submitted",
          txHash: hash("undefinedundefined12"),
          updatedAtMs: 7
        })
      }).pipe(Effect.provide(stores))
    )

    it.effect("gives a lane's nonces without gap or repetition to many at once", () =>
      Effect.gen(function* () {
        const transactions = yield* RelayTransactions
        const owners = Array.from({ length: 30 }, (_, i) => i + 1)
        yield* Effect.forEach(owners, (owner) => submitted({ id: `i${owner}`, owner }), { concurrency: 10 })
        const allocated = yield* Effect.forEach(owners, (owner) => allocate([`i${owner}`], { chainNonce: 5n }), {
          concurrency: "unbounded"
        })
        expect(allocated.map(({ nonce }) => Number(nonce)).toSorted((a, b) => a - b)).toEqual(owners.map((o) => o + 4))
        expect((yield* transactions.unfinished(1)).map(({ nonce }) => nonce)).toEqual(owners.map((o) => BigInt(o) + 4n))
      }).pipe(Effect.provide(stores))
    )

    it.effect("follows the chain's nonce when that is ahead, and its own rows when the chain lags", () =>
      Effect.gen(function* () {
        const nonce = (chainNonce: bigint, options: Parameters<typeof allocate>[1] = {}) =>
          Effect.map(allocate([], { ...options, chainNonce }), (transaction) => transaction.nonce)
        expect(yield* nonce(3n)).toBe(3n)
        expect(yield* nonce(0n)).toBe(4n)
        expect(yield* nonce(9n)).toBe(9n)
        expect(yield* nonce(9n)).toBe(10n)
        expect(yield* nonce(0n, { lane: address(2) })).toBe(0n)
        expect(yield* nonce(0n, { chainId: 2 })).toBe(0n)
      }).pipe(Effect.provide(stores))
    )

    it.effect("uses no nonce, and changes nothing, when signing fails, dies or is interrupted", () =>
      Effect.gen(function* () {
        const transactions = yield* RelayTransactions
        yield* submitted({ id: "a" })
        expect(yield* claim).toEqual(["a"])
        const before = yield* find("a")
        const failing = <E>(sign: Effect.Effect<never, E>) =>
          transactions.allocate({ chainId: 1, lane, chainNonce: 0n, intentIds: ["a"], sign: () => sign })
        expect(yield* Effect.flip(failing(Effect.fail(new CannotSign())))).toBeInstanceOf(CannotSign)
        expect(Exit.hasDies(yield* Effect.exit(failing(Effect.die(new Error("bug")))))).toBe(true)
        const signing = yield* Deferred.make<void>()
        const hanging = yield* Effect.forkChild(
          failing(Effect.andThen(Deferred.succeed(signing, undefined), Effect.never))
        )
        yield* Deferred.await(signing)
        yield* Fiber.interrupt(hanging)
        expect(yield* transactions.unfinished(1)).toEqual([])
        expect(yield* find("a")).toEqual(before)
        expect(yield* allocate(["a"])).toMatchObject({ nonce: 0n })
      }).pipe(Effect.provide(stores))
    )

    it.effect("refuses intents that are not submitted, unknown, of another chain or carried", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        const transactions = yield* RelayTransactions
        yield* submitted({ id: "free", owner: 1 })
        yield* submitted({ id: "carried", owner: 2 })
        yield* submitted({ id: "failed", owner: 3 })
        yield* submitted({ id: "elsewhere", owner: 4, chainId: 2 })
        yield* intents.create(newIntent({ id: "quoted", owner: 5 }))
        yield* allocate(["carried"])
        yield* intents.apply("failed", [{ _tag: "Failed", reason: "expired" }])
        for (const id of ["carried", "failed", "elsewhere", "quoted", "unknown"]) {
          expect(yield* Effect.flip(allocate(["free", id]))).toBeInstanceOf(IntentTaken)
        }
        expect((yield* find("free")).txHash).toBeUndefined()
        expect(yield* transactions.unfinished(1)).toHaveLength(1)
        expect(yield* allocate(["free"])).toMatchObject({ nonce: 1n })
      }).pipe(Effect.provide(stores))
    )

    it.effect("carries intents of one owner by one transaction at a time", () =>
      Effect.gen(function* () {
        const transactions = yield* RelayTransactions
        for (const id of ["a", "b", "c"]) yield* submitted({ id })
        yield* submitted({ id: "other", owner: 2 })
        const { id, intentIds } = yield* allocate(["a", "other", "b"])
        expect(intentIds).toEqual(["a", "other", "b"])
        const next = allocate(["c"], { lane: address(2) })
        expect(yield* Effect.flip(next)).toBeInstanceOf(IntentTaken)
        // As long as it carries any of the owner's.
        yield* transactions.detach(id, ["b", "other"])
        expect(yield* Effect.flip(next)).toBeInstanceOf(IntentTaken)
        yield* transactions.finalize([{ id }])
        expect(yield* next).toMatchObject({ intentIds: ["c"] })
        expect(yield* Effect.flip(allocate(["a", "b"]))).toBeInstanceOf(IntentTaken)
      }).pipe(Effect.provide(stores))
    )

    it.effect("lets an owner's next intent go once every one of a transaction is detached, also at once", () =>
      Effect.gen(function* () {
        const transactions = yield* RelayTransactions
        const ids = ["a", "b", "c", "d"]
        for (const id of ids) yield* submitted({ id })
        const { id } = yield* allocate(ids)
        yield* Effect.forEach(ids, (each) => transactions.detach(id, [each]), { concurrency: "unbounded" })
        expect(yield* allocate(["b", "d"], { lane: address(2) })).toMatchObject({ intentIds: ["b", "d"] })
      }).pipe(Effect.provide(stores))
    )

    it.effect("lets one of many lanes that want the same intent have it", () =>
      Effect.gen(function* () {
        yield* submitted({ id: "a" })
        const exits = yield* Effect.forEach(
          Array.from({ length: 20 }, (_, i) => i + 1),
          (n) => Effect.exit(allocate(["a"], { lane: address(n) })),
          { concurrency: "unbounded" }
        )
        expect(exits.filter(Exit.isSuccess)).toHaveLength(1)
      }).pipe(Effect.provide(stores))
    )

    it.effect("keeps every attempt, and shows clients the newest sweep's hash", () =>
      Effect.gen(function* () {
        const transactions = yield* RelayTransactions
        yield* submitted({ id: "a" })
        const { attempts, id } = yield* allocate(["a"])
        yield* transactions.addAttempt(id, attempt("dearer"), "sweep")
        yield* transactions.addAttempt(id, attempt("dearer"), "sweep")
        expect((yield* find("a")).txHash).toBe(hash("dearer"))
        yield* TestClock.adjust("4 millis")
        yield* transactions.markBroadcast(hash("dearer"))
        yield* transactions.addAttempt(id, attempt("cancel"), "cancel")
        expect((yield* find("a")).txHash).toBe(hash("dearer"))
        const expected = [...attempts, { ...attempt("dearer"), broadcastAtMs: 4 }, attempt("cancel")]
        expect(yield* transactions.unfinished(1)).toMatchObject([
          { kind: "cancel", attempts: expected, intentIds: ["a"] }
        ])
      }).pipe(Effect.provide(stores))
    )

    it.effect("follows a transaction into a block, out of it again, and to its end", () =>
      Effect.gen(function* () {
        const transactions = yield* RelayTransactions
        const inclusion = { hash: hash("x"), blockNumber: 9n, blockHash: hash("block") }
        const { id } = yield* allocate([])
        yield* transactions.setInclusion(id, inclusion)
        expect(yield* transactions.unfinished(1)).toMatchObject([{ id, status: "mined", inclusion }])
        yield* transactions.clearInclusion(id, inclusion)
        const [pending] = yield* transactions.unfinished(1)
        expect(pending).toMatchObject({ id, kind: "cancel", status: "pending" })
        expect(pending).not.toHaveProperty("inclusion")
        yield* transactions.setInclusion(id, inclusion)
        yield* transactions.finalize([{ id }])
        yield* transactions.clearInclusion(id, inclusion)
        yield* transactions.finalize([{ id }])
        expect(yield* transactions.unfinished(1)).toEqual([])
      }).pipe(Effect.provide(stores))
    )

    it.effect("books the cost of a transaction once, and takes it back with its block", () =>
      Effect.gen(function* () {
        const transactions = yield* RelayTransactions
        const inclusion = { hash: hash("x"), blockNumber: 9n, blockHash: hash("block") }
        const spent = transactions.spending(1, 0)
        const { id } = yield* allocate([])
        const other = yield* allocate([])
        yield* transactions.finalize([
          { id, inclusion, cost: 7n },
          { id: other.id, inclusion: { ...inclusion, blockNumber: 10n }, cost: 5n }
        ])
        expect(yield* spent).toBe(12n)
        yield* TestClock.adjust("2 hours")
        yield* transactions.reopen([{ id, inclusion }])
        yield* transactions.reopen([{ id, inclusion }])
        expect(yield* spent).toBe(5n)
        yield* transactions.finalize([{ id, inclusion, cost: 8n }])
        expect(yield* spent).toBe(13n)
        expect(yield* transactions.spending(1, 7_200_000)).toBe(8n)
      }).pipe(Effect.provide(stores))
    )

    it.effect("books the late receipt of a transaction that ended without a block, once", () =>
      Effect.gen(function* () {
        const transactions = yield* RelayTransactions
        const inclusion = { hash: hash("x"), blockNumber: 9n, blockHash: hash("block") }
        yield* TestClock.adjust("100 millis")
        const lost = yield* allocate([])
        const mined = yield* allocate([])
        yield* allocate([])
        yield* transactions.addAttempt(lost.id, attempt("dearer"), "cancel")
        yield* transactions.finalize([{ id: lost.id }, { id: mined.id, inclusion, cost: 5n }])
        const hashes = [...lost.attempts.map((each) => each.hash), hash("dearer")]
        expect(yield* transactions.displaced(1, 99)).toEqual([{ id: lost.id, lane, nonce: lost.nonce, hashes }])
        expect(yield* transactions.displaced(1, 100)).toEqual([])
        expect(yield* transactions.displaced(2, 0)).toEqual([])

        const late = { ...inclusion, blockNumber: 8n }
        yield* transactions.recover({ id: lost.id, inclusion: late, cost: 7n })
        yield* transactions.recover({ id: lost.id, inclusion: late, cost: 7n })
        yield* transactions.recover({ id: mined.id, inclusion: late, cost: 7n })
        expect(yield* transactions.spending(1, 0)).toBe(12n)
        expect(yield* transactions.displaced(1, 0)).toEqual([])
        // It can lose its block as any other.
        expect(yield* transactions.finalFrom(1, 8n)).toMatchObject([
          { id: lost.id, inclusion: late },
          { id: mined.id, inclusion }
        ])
        yield* transactions.reopen([{ id: lost.id, inclusion: late }])
        expect(yield* transactions.spending(1, 0)).toBe(5n)
      }).pipe(Effect.provide(stores))
    )

    endedCases(stores)

    frontCases(stores)

    missedNonceCases(stores)

    reopeningCases(stores)

    reserveCases(stores)

    it.effect("lets go of intents that it did not settle, so that they can be claimed again", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        const transactions = yield* RelayTransactions
        yield* submitted({ id: "a", owner: 1 })
        yield* submitted({ id: "b", owner: 2 })
        yield* submitted({ id: "c", owner: 3 })
        expect(yield* claim).toEqual(["a", "b", "c"])
        const { id } = yield* allocate(["a", "b", "c"])
        yield* intents.apply("a", [{ _tag: "SettledAtSource", txHash: hash("t") }])
        yield* transactions.detach(id, ["b", "unknown"])
        yield* transactions.detach(id, [])
        expect((yield* transactions.unfinished(1))[0]?.intentIds).toEqual(["a", "c"])
        expect(yield* claim).toEqual(["b"])
        yield* transactions.finalize([{ id }])
        expect(yield* claim).toEqual(["c"])
        expect(yield* allocate(["b", "c"])).toMatchObject({ intentIds: ["b", "c"] })
      }).pipe(Effect.provide(stores))
    )
  })
