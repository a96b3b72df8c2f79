/** Contract of every store of intents. Each test gets a store of its own. */
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, type Layer, Option, Stream } from "effect"
import { TestClock } from "effect/testing"
import { IntentExists, Intents } from "../../../src/ports/orchestrator/Intents.ts"
import type { Outbox } from "../../../src/ports/orchestrator/Outbox.ts"
import type { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, details, hash, newIntent, submission, submitted } from "../../support/IntentFixtures.ts"
import { creationCases } from "./IntentCreations.cases.ts"
import { deliveryCases } from "./IntentDeliveries.cases.ts"
import { moveCases } from "./IntentMoves.cases.ts"
import { givenUpCases } from "./GivenUpIntents.cases.ts"
import { leaseCases } from "./IntentLeases.cases.ts"
import { queueCases } from "./IntentQueue.cases.ts"
import { sweepCases } from "./Sweeps.cases.ts"

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
        expect(yield* intents.nextOrderNonce(1, address(3), 4n, 5)).toBe(4n)
        expect(yield* intents.nextOrderNonce(1, address(3), 0n, 2)).toBe(9n)
        expect(yield* intents.nextOrderNonce(1, address(3), 0n)).toBe(11n)
      }).pipe(Effect.provide(stores))
    )

    it.effect("keeps what a quote locked in and what the owner signed", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        yield* TestClock.adjust("10 millis")
        const made = newIntent({ id: "a", chainId: 8453 })
        const intent = {
          ...made,
          quote: { ...made.quote, ...details },
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

    it.effect("keeps the gas that a rollup takes for data", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        yield* intents.create({ ...newIntent({ id: "a" }), dataGas: 70_000n })
        yield* intents.create(newIntent({ id: "b" }))
        expect(Option.getOrThrow(yield* intents.find("a")).dataGas).toBe(70_000n)
        expect(Option.getOrThrow(yield* intents.find("b"))).not.toHaveProperty("dataGas")
      }).pipe(Effect.provide(stores))
    )

    it.effect("keeps a quote of a release that did not store what its fee covers", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        const { cover: _cover, ...intent } = newIntent({ id: "a" })
        yield* intents.create(intent)
        expect(Option.getOrThrow(yield* intents.find("a"))).not.toHaveProperty("cover")
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

    it.effect("keeps the amount that a sweep delivered, and tells it with the state", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        const amountOut = 2n ** 256n - 1n
        yield* submitted({ id: "a" })
        yield* submitted({ id: "b", owner: 2 })
        const events = [
          { _tag: "SettledAtSource", txHash: hash("tx") },
          { _tag: "Delivered", txHash: hash("tx"), amountOut }
        ] as const
        expect((yield* intents.apply("a", events)).amountOut).toBe(amountOut)
        yield* intents.applyAll([{ id: "b", events }])
        for (const id of ["a", "b"]) {
          expect(Option.getOrThrow(yield* intents.find(id)).amountOut).toBe(amountOut)
          expect((yield* intents.states([id]))[0]?.amountOut).toBe(amountOut)
        }
      }).pipe(Effect.provide(stores))
    )

    it.effect("reads the quotes of those that it knows", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        const made = newIntent({ id: "a", chainId: 8453, destChainId: 10 })
        const detailed = { ...made, quote: { ...made.quote, ...details } }
        const plain = newIntent({ id: "b", owner: 2 })
        yield* intents.create(detailed)
        yield* intents.create(plain)
        expect(yield* intents.quotes([])).toEqual(new Map())
        expect(yield* intents.quotes(["a", "x", "b", "\0"])).toEqual(
          new Map([
            ["a", detailed.quote],
            ["b", plain.quote]
          ])
        )
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

    it.effect("knows the owners with a settled sweep on one of the chains", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        yield* submitted({ id: "settled", owner: 1 })
        yield* submitted({ id: "elsewhere", owner: 2, chainId: 2 })
        yield* submitted({ id: "delivered", owner: 3 })
        yield* submitted({ id: "failed", owner: 4 })
        yield* submitted({ id: "submitted", owner: 5 })
        yield* intents.create(newIntent({ id: "quoted", owner: 1, nonce: 7n }))
        const settlement = { _tag: "SettledAtSource", txHash: hash("t") } as const
        for (const id of ["settled", "elsewhere"]) yield* intents.apply(id, [settlement])
        yield* intents.apply("delivered", [settlement, { _tag: "Delivered", txHash: hash("d") }])
        yield* intents.apply("failed", [{ _tag: "Failed", reason: "reverted" }])
        const known = (chainIds: ReadonlyArray<number>) =>
          Effect.filter([1, 2, 3, 4, 5, 6], (owner) => intents.hasSettled(address(owner), chainIds), {
            concurrency: "unbounded"
          })
        expect(yield* known([1])).toEqual([1, 3])
        expect(yield* known([2])).toEqual([2])
        expect(yield* known([1, 2])).toEqual([1, 2, 3])
        expect(yield* known([])).toEqual([])
      }).pipe(Effect.provide(stores))
    )

    it.effect("knows the owners whose sweeps ever settled, however many quotes came after", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        const owners = [1, 2, 3, 4, 5, 6].map(address)
        const settlement = { _tag: "SettledAtSource", txHash: hash("t") } as const
        for (const owner of [1, 2, 3, 4, 5]) yield* submitted({ id: `${owner}`, owner, nonce: 0n })
        yield* submitted({ id: "elsewhere", owner: 6, nonce: 0n, chainId: 2 })
        yield* intents.create(newIntent({ id: "quoted", owner: 6, nonce: 0n }))
        yield* intents.applyAll(["1", "elsewhere"].map((id) => ({ id, events: [settlement] })))
        yield* intents.apply("2", [settlement, { _tag: "Delivered", txHash: hash("d") }])
        yield* intents.apply("3", [settlement])
        yield* intents.apply("3", [{ _tag: "Failed", reason: "bridge_refunded" }])
        yield* intents.apply("4", [{ _tag: "Failed", reason: "reverted" }])
        yield* Effect.forEach(
          Array.from({ length: 101 }, (_, n) => BigInt(n + 1)),
          (nonce) => intents.create(newIntent({ id: `q${nonce}`, owner: 1, nonce })),
          { concurrency: "unbounded", discard: true }
        )
        expect([...(yield* intents.settledOf(1, owners))].toSorted()).toEqual([1, 2, 3].map(address))
        expect([...(yield* intents.settledOf(2, owners))]).toEqual([address(6)])
        expect((yield* intents.settledOf(1, [])).size).toBe(0)
        const has = (chainId: number) =>
          Effect.filter(owners, (owner) => intents.hasSettled(owner, [chainId]), { concurrency: "unbounded" })
        expect(yield* has(1)).toEqual([1, 2, 3].map(address))
        expect(yield* has(2)).toEqual([address(6)])
        // A second sweep of an owner who is known.
        yield* submitted({ id: "again", owner: 1, nonce: 200n })
        yield* intents.apply("again", [settlement])
        expect([...(yield* intents.settledOf(1, [address(1)]))]).toEqual([address(1)])
      }).pipe(Effect.provide(stores))
    )

    it.effect("keeps where searches of logs continue", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        yield* submitted({ id: "a" })
        const searches = Effect.map(intents.find("a"), (found) => Option.getOrThrow(found).searches)
        expect(yield* searches).toBe(undefined)
        yield* intents.noteSearches("a", { settlement: 10n, cancellations: 2n ** 60n })
        yield* intents.noteSearches("a", { settlement: 20n, fill: 0n })
        expect(yield* searches).toEqual({ settlement: 20n, cancellations: 2n ** 60n, fill: 0n })
        yield* intents.noteSearches("a", { settlement: undefined, cancellations: undefined })
        expect(yield* searches).toEqual({ fill: 0n })
        yield* intents.noteSearches("a", { fill: undefined })
        expect(yield* searches).toBe(undefined)
      }).pipe(Effect.provide(stores))
    )

    it.effect("wakes a worker when an owner submits", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        const listening = yield* Deferred.make<void>()
        const woken = yield* intents
          .wakes(1)
          .pipe(
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

    creationCases(stores)
    deliveryCases(stores)
    queueCases(stores)
    leaseCases(stores)
    givenUpCases(stores)
    moveCases(stores)
    sweepCases(stores)
  })
