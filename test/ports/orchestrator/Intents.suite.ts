/** What every store of intents must do. Each test gets a store of its own. */
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, type Layer, Option, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { OutboxMessage } from "../../../src/domain/Accrual.ts"
import { type SweepStatus, sweepEvent } from "../../../src/domain/SweepEvent.ts"
import { IntentExists, Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { Outbox } from "../../../src/ports/orchestrator/Outbox.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, hash, newIntent, submission, submitted } from "../../support/IntentFixtures.ts"

const claim = (worker: string, limit = 10, chainId = 1) =>
  Effect.flatMap(Intents, (intents) => intents.claim({ chainId, worker, leaseMillis: 1_000, limit })).pipe(
    Effect.map((claimed) => claimed.map(({ id }) => id))
  )

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

const revenue = (sweepId: string): OutboxMessage => ({
  _tag: "Revenue",
  revenue: { sweepId, chainId: 1, token: address(0xa), amount: 3n, txHash: hash("tx"), settledAtMs: 1 }
})

export const suite = (adapter: string, stores: Layer.Layer<Intents | RelayTransactions | Outbox, unknown>) =>
  describe(`Intents on ${adapter}`, () => {
    it.effect("issues consecutive nonces to each owner and chain, to many at once", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        const issued = yield* Effect.forEach(
          Array.from({ length: 100 }),
          () => intents.nextOrderNonce(1, address(1), 0n),
          { concurrency: "unbounded" }
        )
        expect(issued.toSorted((a, b) => Number(a - b))).toEqual(Array.from({ length: 100 }, (_, i) => BigInt(i)))
        expect(yield* intents.nextOrderNonce(2, address(1), 0n)).toBe(0n)
        expect(yield* intents.nextOrderNonce(1, address(2), 7n)).toBe(7n)
        expect(yield* intents.nextOrderNonce(1, address(2), 7n)).toBe(8n)
        expect(yield* intents.nextOrderNonce(1, address(2), 2n ** 255n)).toBe(2n ** 255n)
        expect(yield* intents.nextOrderNonce(1, address(2), 0n)).toBe(2n ** 255n + 1n)
      }).pipe(Effect.provide(stores))
    )

    it.effect("keeps what a quote locked in and what the owner signed", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        yield* TestClock.adjust("10 millis")
        const intent = {
          ...newIntent({ id: "a", chainId: 8453 }),
          userId: "nul \0 in it".replaceAll("\0", "\uFFFD"),
          attributed: { builderId: "bld_1", payoutMode: "ledger" as const }
        }
        yield* intents.create(intent)
        const quoted = { ...intent, id: "a", status: "quoted", createdAtMs: 10, updatedAtMs: 10 }
        expect(yield* intents.find("a")).toEqual(Option.some(quoted))
        yield* TestClock.adjust("5 millis")
        const signed = {
          ...quoted,
          status: "submitted",
          submission: submission(8453),
          submittedAtMs: 15,
          updatedAtMs: 15
        }
        expect(yield* intents.submit("a", submission(8453))).toEqual(signed)
        expect(yield* intents.find("a")).toEqual(Option.some(signed))
      }).pipe(Effect.provide(stores))
    )

    it.effect("tells the states of those that it knows", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        yield* intents.create(newIntent({ id: "a" }))
        yield* intents.create(newIntent({ id: "b", owner: 2 }))
        yield* intents.submit("b", submission())
        expect(yield* intents.states([])).toEqual([])
        const quoted = { id: "a", status: "quoted", crossChain: newIntent({ id: "a" }).quote.crossChain }
        expect(yield* intents.states(["x", "a", "\0"])).toEqual([quoted])
        const both = yield* intents.states(["a", "b"])
        expect(both.toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual([
          quoted,
          { ...quoted, id: "b", status: "submitted" }
        ])
      }).pipe(Effect.provide(stores))
    )

    it.effect("does not know what was never created, whatever its name", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        for (const id of ["", "x", "\0", "'; --", "ü".repeat(5_000)]) {
          expect(yield* intents.find(id)).toEqual(Option.none())
        }
      }).pipe(Effect.provide(stores))
    )

    it.effect("refuses a second quote of the same id, digest or order nonce", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        yield* intents.create(newIntent({ id: "a", nonce: 5n }))
        const other = newIntent({ id: "b", nonce: 6n })
        for (const same of [
          { ...newIntent({ id: "a", nonce: 6n }), orderDigest: hash("x") },
          { ...other, orderDigest: newIntent({ id: "a" }).orderDigest },
          newIntent({ id: "b", nonce: 5n })
        ]) {
          expect(yield* Effect.flip(intents.create(same))).toEqual(new IntentExists({ id: same.quote.id }))
        }
        yield* intents.create(newIntent({ id: "c", nonce: 5n, owner: 2 }))
        yield* intents.create(newIntent({ id: "d", nonce: 5n, chainId: 2 }))
        yield* intents.create(other)
      }).pipe(Effect.provide(stores))
    )

    it.effect("lets one of 500 simultaneous submissions win", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        yield* intents.create(newIntent({ id: "a" }))
        const exits = yield* Effect.forEach(
          Array.from({ length: 500 }),
          () => Effect.exit(intents.submit("a", submission())),
          { concurrency: "unbounded" }
        )
        expect(exits.filter(Exit.isSuccess)).toHaveLength(1)
        const refusal = yield* Effect.flip(intents.submit("a", submission()))
        expect(refusal).toMatchObject({ _tag: "IllegalTransition", from: "submitted", event: "Submitted" })
        expect((yield* intents.counts).submitted).toBe(1)
      }).pipe(Effect.provide(stores))
    )

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
        yield* intents.release(["a", "unknown"], 50)
        expect(yield* claim("w")).toEqual(["b"])
        yield* intents.release(["b"], 60)
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

    it.effect("applies events with their consequences, all or none", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        const outbox = yield* Outbox
        yield* submitted({ id: "a" })
        const events = [
          { _tag: "SettledAtSource", txHash: hash("source") },
          { _tag: "Delivered", txHash: hash("destination") }
        ] as const
        const refused = intents.apply("a", [...events, { _tag: "Failed", reason: "expired" }], {
          outbox: [revenue("never")]
        })
        expect(yield* Effect.flip(refused)).toMatchObject({ from: "delivered", event: "Failed" })
        expect(yield* outbox.counts).toEqual({ pending: 0, rejected: 0 })
        expect((yield* intents.counts).submitted).toBe(1)

        yield* TestClock.adjust("3 millis")
        const delivered = yield* intents.apply("a", events, {
          outbox: [revenue("s_0"), revenue("s_0"), revenue("s_1")]
        })
        expect(delivered).toMatchObject({
          status: "delivered",
          txHash: hash("source"),
          deliveryTxHash: hash("destination"),
          updatedAtMs: 3
        })
        expect(yield* intents.find("a")).toEqual(Option.some(delivered))
        const messages = yield* outbox.claim({ topic: "ledger", limit: 10, leaseMillis: 1 })
        expect(messages.map(({ message }) => message)).toEqual([revenue("s_0"), revenue("s_1")])

        const again = yield* Effect.flip(intents.apply("a", events, { outbox: [revenue("s_2")] }))
        expect(again).toMatchObject({ _tag: "IllegalTransition", from: "delivered", event: "SettledAtSource" })
        expect((yield* outbox.counts).pending).toBe(2)
      }).pipe(Effect.provide(stores))
    )

    it.effect("keeps the reason of a failure, and what chains say of it", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        yield* submitted({ id: "a" })
        expect(yield* claim("w")).toEqual(["a"])
        yield* submitted({ id: "b" })
        const failed = yield* intents.apply("a", [{ _tag: "Failed", reason: "reverted" }], { detail: "TooLittle()" })
        expect(failed).toMatchObject({ status: "failed", failureReason: "reverted", failureDetail: "TooLittle()" })
        expect(yield* claim("w")).toEqual(["b"])
        const nul = yield* intents.apply("b", [{ _tag: "Failed", reason: "expired" }], { detail: "a\0b" })
        expect(nul.status).toBe("failed")
        expect(yield* Effect.flip(intents.submit("a", submission()))).toMatchObject({ from: "failed" })
      }).pipe(Effect.provide(stores))
    )

    it.effect("lets one of many who apply the same event win", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        yield* submitted({ id: "a" })
        const exits = yield* Effect.forEach(
          Array.from({ length: 50 }, (_, i) => i),
          (i) =>
            Effect.exit(
              intents.apply("a", [{ _tag: "SettledAtSource", txHash: hash("t") }], { outbox: [revenue(`s_${i}`)] })
            ),
          { concurrency: "unbounded" }
        )
        expect(exits.filter(Exit.isSuccess)).toHaveLength(1)
        expect((yield* (yield* Outbox).counts).pending).toBe(1)
      }).pipe(Effect.provide(stores))
    )

    it.effect("tells the builder of each status that an attributed intent reaches, and of nothing else", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        const outbox = yield* Outbox
        const told = Effect.map(outbox.claim({ topic: "events", limit: 50, leaseMillis: 60_000 }), (entries) =>
          entries.map(({ message }) => message)
        )
        const event = (id: string, status: SweepStatus, atMs: number) =>
          Effect.map(intents.find(id), (intent) => ({
            _tag: "SweepEvent",
            event: sweepEvent(Option.getOrThrow(intent), "bld_1", status, atMs)
          }))
        yield* TestClock.adjust("7 millis")
        const races = yield* Effect.andThen(
          intents.create(newIntent({ id: "a", builderId: "bld_1" })),
          Effect.forEach(Array.from({ length: 20 }), () => Effect.exit(intents.submit("a", submission())), {
            concurrency: "unbounded"
          })
        )
        expect(races.filter(Exit.isSuccess)).toHaveLength(1)
        yield* submitted({ id: "b", owner: 2, builderId: "bld_1", destChainId: 10 })
        yield* submitted({ id: "c", owner: 3, builderId: "bld_1" })
        yield* submitted({ id: "d", owner: 4, chainId: 8453, builderId: "bld_1", destChainId: 2 ** 40 })
        yield* submitted({ id: "nobody's", owner: 5 })
        const first = yield* told
        expect(first).toEqual([
          yield* event("a", "submitted", 7),
          yield* event("b", "submitted", 7),
          yield* event("c", "submitted", 7),
          yield* event("d", "submitted", 7)
        ])

        yield* TestClock.adjust("2 millis")
        const settled = { _tag: "SettledAtSource", txHash: hash("source") } as const
        const delivered = { _tag: "Delivered", txHash: hash("destination") } as const
        yield* intents.apply("a", [settled, delivered], { outbox: [revenue("a_0")] })
        yield* intents.applyAll([
          { id: "b", events: [settled], outbox: [revenue("b_0")] },
          { id: "c", events: [settled, delivered] },
          { id: "nobody's", events: [settled, delivered] }
        ])
        yield* intents.apply("d", [{ _tag: "Failed", reason: "reverted" }], { detail: "why" })
        const both = yield* Effect.result(intents.apply("a", [settled, delivered]))
        expect(both._tag).toBe("Failure")
        const { deliveryTxHash: _, ...settledOnly } = (yield* event("a", "settled_source", 9)).event
        const second = yield* told
        expect(second).toHaveLength(6)
        expect(second.slice(0, 2)).toEqual([
          { _tag: "SweepEvent", event: settledOnly },
          yield* event("a", "delivered", 9)
        ])
        expect(second).toContainEqual(yield* event("b", "settled_source", 9))
        expect(second).toContainEqual(yield* event("c", "settled_source", 9))
        expect(second).toContainEqual(yield* event("c", "delivered", 9))
        expect(second).toContainEqual(yield* event("d", "failed", 9))

        yield* intents.apply("b", [{ _tag: "Failed", reason: "bridge_refunded" }])
        expect(yield* told).toEqual([yield* event("b", "failed", 9)])
        expect(
          (yield* outbox.claim({ topic: "ledger", limit: 50, leaseMillis: 1 })).map(({ message }) => message)
        ).toEqual([revenue("a_0"), revenue("b_0")])
      }).pipe(Effect.provide(stores))
    )

    it.effect("lists by status, oldest first, and counts", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        yield* submitted({ id: "b", owner: 1 })
        yield* TestClock.adjust("1 millis")
        yield* submitted({ id: "a", owner: 2 })
        yield* submitted({ id: "c", owner: 3 })
        yield* submitted({ id: "x", chainId: 2 })
        yield* intents.create(newIntent({ id: "q", owner: 4 }))
        yield* intents.apply("c", [{ _tag: "SettledAtSource", txHash: hash("t") }])
        const ids = (statuses: Parameters<typeof intents.inStatus>[1], limit = 10) =>
          Effect.map(intents.inStatus(1, statuses, limit), (found) => found.map(({ id }) => id))
        expect(yield* ids(["submitted"])).toEqual(["b", "a"])
        expect(yield* ids(["submitted", "settled_source"])).toEqual(["b", "a", "c"])
        expect(yield* ids(["submitted", "settled_source"], 1)).toEqual(["b"])
        expect(yield* ids([])).toEqual([])
        expect(yield* intents.counts).toEqual({ quoted: 1, submitted: 3, settled_source: 1, delivered: 0, failed: 0 })
      }).pipe(Effect.provide(stores))
    )

    it.effect("wakes a worker when an owner submits", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        const listening = yield* Deferred.make<void>()
        const woken = yield* intents.wakes.pipe(
          Stream.onStart(Deferred.succeed(listening, undefined)),
          Stream.take(1),
          Stream.runDrain,
          Effect.forkChild({ startImmediately: true })
        )
        yield* Deferred.await(listening)
        yield* submitted({ id: "a" })
        yield* Fiber.join(woken)
      }).pipe(Effect.provide(stores))
    )
  })
