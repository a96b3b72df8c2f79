/** Contract of every store of held intents. Each test gets a store of its own. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { HeldIntents } from "../../../src/ports/orchestrator/HeldIntents.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, hash, newIntent, submitted } from "../../support/IntentFixtures.ts"

const LANE = address(0x1a4e)

const carry = (intentIds: ReadonlyArray<string>, seed = intentIds.join()) =>
  Effect.flatMap(RelayTransactions, (transactions) =>
    transactions.allocate({
      chainId: 1,
      lane: LANE,
      chainNonce: 0n,
      intentIds,
      sign: () => Effect.succeed(attempt(seed))
    })
  )

const stuck = (beforeMs: number, limit = 10) =>
  Effect.flatMap(HeldIntents, (held) => held.stuck({ beforeMs, limit })).pipe(
    Effect.map(({ intents, total }) => ({ ids: intents.map(({ id }) => id), total }))
  )

const find = (id: string) =>
  Effect.flatMap(HeldIntents, (held) => held.find(id)).pipe(Effect.flatMap(Effect.fromOption))

export const suite = (adapter: string, stores: Layer.Layer<HeldIntents | Intents | RelayTransactions, unknown>) =>
  describe(`Held intents on ${adapter}`, () => {
    it.effect("lists what was submitted long ago and has not settled, oldest first", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        yield* intents.create(newIntent({ id: "quoted", owner: 9 }))
        for (const [id, owner] of [
          ["b", 1],
          ["a", 2],
          ["c", 3],
          ["d", 4]
        ] as const) {
          yield* TestClock.adjust("1 second")
          yield* submitted({ id, owner })
        }
        yield* intents.apply("c", [{ _tag: "Failed", reason: "expired" }])
        expect(yield* stuck(2_000)).toEqual({ ids: ["b", "a"], total: 2 })
        expect(yield* stuck(4_000)).toEqual({ ids: ["b", "a", "d"], total: 3 })
        expect(yield* stuck(4_000, 1)).toEqual({ ids: ["b"], total: 3 })
        expect(yield* stuck(999)).toEqual({ ids: [], total: 0 })
      }).pipe(Effect.provide(stores))
    )

    it.effect("lists what rests however young, and says until when", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        yield* TestClock.adjust("10 seconds")
        yield* submitted({ id: "a" })
        yield* intents.release(["a"], { notBeforeMs: 13_000 })
        expect(yield* stuck(0)).toEqual({ ids: ["a"], total: 1 })
        expect((yield* find("a")).restsUntilMs).toBe(13_000)
        yield* TestClock.adjust("3 seconds")
        expect(yield* stuck(0)).toEqual({ ids: [], total: 0 })
        expect(yield* find("a")).not.toHaveProperty("restsUntilMs")
      }).pipe(Effect.provide(stores))
    )

    it.effect("says what an intent waits for", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        yield* submitted({ id: "a" })
        yield* intents.release(["a"], { notBeforeMs: 13_000, waitingFor: "gas_price" })
        expect((yield* find("a")).waitingFor).toBe("gas_price")
        yield* intents.release(["a"])
        expect(yield* find("a")).not.toHaveProperty("waitingFor")
      }).pipe(Effect.provide(stores))
    )

    it.effect("says why an intent is no longer sent, until it is free again", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        yield* submitted({ id: "a" })
        const why = { reason: "simulation_failed", detail: "InsufficientOutput" } as const
        yield* intents.giveUp("a", { ...why, notBeforeMs: 13_000 })
        expect(yield* stuck(0)).toEqual({ ids: ["a"], total: 1 })
        expect((yield* find("a")).givenUp).toEqual(why)
        yield* intents.release(["a"])
        expect(yield* find("a")).not.toHaveProperty("givenUp")
      }).pipe(Effect.provide(stores))
    )

    it.effect("lists what settled and was not delivered in the time that was estimated", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        yield* submitted({ id: "a", destChainId: 2, builderId: "bld" })
        yield* TestClock.adjust("5 seconds")
        yield* intents.apply("a", [{ _tag: "SettledAtSource", txHash: hash("settled") }])
        expect((yield* stuck(16_999)).total).toBe(0)
        expect((yield* stuck(17_000)).ids).toEqual(["a"])
        expect(yield* find("a")).toEqual({
          id: "a",
          status: "settled_source",
          owner: address(1),
          sourceChainId: 1,
          destChainId: 2,
          builderId: "bld",
          provider: "test",
          estimatedSeconds: 12,
          submittedAtMs: 0,
          updatedAtMs: 5_000,
          deadline: 1_000n,
          txHash: hash("settled")
        })
        yield* intents.apply("a", [{ _tag: "Delivered", txHash: hash("delivered") }])
        expect((yield* stuck(1_000_000)).total).toBe(0)
      }).pipe(Effect.provide(stores))
    )

    it.effect("says who has it, as long as they do", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        yield* submitted({ id: "a" })
        yield* intents.claim({ chainId: 1, worker: "w", leaseMillis: 1_000, limit: 1 })
        expect((yield* find("a")).leasedUntilMs).toBe(1_000)
        yield* TestClock.adjust("1 second")
        expect(yield* find("a")).not.toHaveProperty("leasedUntilMs")
      }).pipe(Effect.provide(stores))
    )

    it.effect("says what carries it, by its newest version, and how many nonces come before", () =>
      Effect.gen(function* () {
        const transactions = yield* RelayTransactions
        for (const [id, owner] of [
          ["a", 1],
          ["b", 2],
          ["c", 3]
        ] as const)
          yield* submitted({ id, owner })
        yield* carry(["a"])
        const { id } = yield* carry(["b", "c"])
        yield* TestClock.adjust("2 seconds")
        yield* transactions.addAttempt(
          id,
          { ...attempt("dearer"), maxFeePerGas: 2n ** 90n, signedAtMs: 2_000 },
          "sweep"
        )
        yield* transactions.markBroadcast(hash("dearer"))
        const carrier = {
          lane: LANE,
          nonce: 1n,
          kind: "sweep",
          hash: hash("dearer"),
          signedAtMs: 2_000,
          broadcastAtMs: 2_000,
          maxFeePerGas: 2n ** 90n,
          versions: 2,
          behind: 1
        }
        expect((yield* find("b")).carrier).toEqual(carrier)
        expect((yield* find("c")).carrier).toEqual(carrier)
        expect((yield* find("a")).carrier).toMatchObject({ nonce: 0n, versions: 1, behind: 0 })
        expect((yield* find("a")).carrier).not.toHaveProperty("broadcastAtMs")
        expect((yield* find("b")).txHash).toBe(hash("dearer"))

        yield* transactions.setInclusion(id, { hash: hash("dearer"), blockNumber: 7n, blockHash: hash("block") })
        expect((yield* find("b")).carrier).toMatchObject({ blockNumber: 7n })
        yield* transactions.finalize([{ id }])
        expect(yield* find("b")).not.toHaveProperty("carrier")
      }).pipe(Effect.provide(stores))
    )

    it.effect("names the owner's other sweep, for which it waits", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        yield* submitted({ id: "first" })
        yield* TestClock.adjust("1 second")
        yield* submitted({ id: "second" })
        yield* submitted({ id: "elsewhere", chainId: 2 })
        yield* submitted({ id: "stranger", owner: 2 })
        // In the queue, whose turn it is; then leased; then carried.
        expect((yield* find("second")).ownersOther).toBe("first")
        for (const id of ["first", "elsewhere", "stranger"]) {
          expect(yield* find(id)).not.toHaveProperty("ownersOther")
        }
        yield* intents.release(["first"], { notBeforeMs: 60_000 })
        expect(yield* find("second")).not.toHaveProperty("ownersOther")
        expect(yield* find("first")).not.toHaveProperty("ownersOther")
        yield* carry(["second"])
        expect((yield* find("first")).ownersOther).toBe("second")
        expect(yield* find("second")).not.toHaveProperty("ownersOther")
      }).pipe(Effect.provide(stores))
    )

    it.effect("knows what is there, in whatever status", () =>
      Effect.gen(function* () {
        const [held, intents] = [yield* HeldIntents, yield* Intents]
        expect(yield* held.find("nobody's")).toEqual(Option.none())
        yield* intents.create(newIntent({ id: "a" }))
        const quoted = yield* find("a")
        expect(quoted.status).toBe("quoted")
        expect(quoted).not.toHaveProperty("submittedAtMs")
      }).pipe(Effect.provide(stores))
    )
  })
