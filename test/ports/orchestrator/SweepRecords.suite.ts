/** Contract of every store of records of sweeps. Each test gets a store of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { SweepRecords } from "../../../src/ports/orchestrator/SweepRecords.ts"
import { address, attempt, hash, newIntent, submitted } from "../../support/IntentFixtures.ts"

const LANE = address(0x1a4e)

const carry = (intentIds: ReadonlyArray<string>, seed: string) =>
  Effect.flatMap(RelayTransactions, (transactions) =>
    transactions.allocate({
      chainId: 1,
      lane: LANE,
      chainNonce: 0n,
      intentIds,
      sign: () => Effect.succeed(attempt(seed))
    })
  )

const record = (id: string) =>
  Effect.flatMap(SweepRecords, (records) => records.of(id)).pipe(Effect.flatMap(Effect.fromOption))

const revenue = (id: string, seed: string) =>
  ({
    _tag: "Revenue",
    revenue: {
      sweepId: `${hash(seed)}_${id}`,
      chainId: 1,
      token: address(0xa),
      amount: 3n,
      txHash: hash(seed),
      settledAtMs: 0
    }
  }) as const

export const suite = (adapter: string, stores: Layer.Layer<SweepRecords | Intents | RelayTransactions, unknown>) =>
  describe(`Records of sweeps on ${adapter}`, () => {
    it.effect("finds what an owner signed behind any number of quotes that anybody asked for in its name", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        const { ofOwner } = yield* SweepRecords
        yield* submitted({ id: "signed", owner: 5, chainId: 1, nonce: 1n })
        for (let nonce = 2n; nonce < 210n; nonce++) {
          yield* intents.create(newIntent({ id: `quote ${nonce}`, owner: 5, nonce }))
        }
        assert.deepStrictEqual(yield* ofOwner(address(5), [1, 2], 10), ["signed"])
      }).pipe(Effect.provide(stores))
    )

    it.effect("finds what an owner signed on the chains that are asked for, newest first", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        const { ofOwner } = yield* SweepRecords
        yield* intents.create(newIntent({ id: "quoted", owner: 1, nonce: 9n }))
        for (const [id, owner, chainId, nonce] of [
          ["first", 1, 1, 1n],
          ["second", 1, 2, 1n],
          ["third", 1, 1, 2n],
          ["elsewhere", 1, 3, 1n],
          ["other", 2, 1, 1n]
        ] as const) {
          yield* TestClock.adjust("1 second")
          yield* submitted({ id, owner, chainId, nonce })
        }
        assert.deepStrictEqual(yield* ofOwner(address(1), [1, 2], 10), ["third", "second", "first"])
        assert.deepStrictEqual(yield* ofOwner(address(1), [1, 2], 1), ["third"])
        assert.deepStrictEqual(yield* ofOwner(address(3), [1, 2], 10), [])
        assert.deepStrictEqual(yield* ofOwner(address(1), [], 10), [])
      }).pipe(Effect.provide(stores))
    )

    it.effect("finds sweeps by every version of a transaction, also one that let them go", () =>
      Effect.gen(function* () {
        const { ofTransaction } = yield* SweepRecords
        const relay = yield* RelayTransactions
        yield* submitted({ id: "a", owner: 1 })
        yield* submitted({ id: "b", owner: 2 })
        const { id } = yield* carry(["a", "b"], "first")
        yield* relay.addAttempt(id, attempt("second"), "sweep")
        yield* relay.detach(id, ["b"])
        for (const seed of ["first", "second"]) {
          assert.deepStrictEqual(yield* ofTransaction(hash(seed), [1], 10), ["a", "b"], seed)
        }
        assert.deepStrictEqual(yield* ofTransaction(hash("first"), [1], 1), ["a"])
        assert.deepStrictEqual(yield* ofTransaction(hash("unknown"), [1], 10), [])
        yield* relay.finalize([{ id }])
        yield* carry(["b"], "third")
        assert.deepStrictEqual(yield* ofTransaction(hash("third"), [1], 10), ["b"])
        assert.deepStrictEqual(yield* ofTransaction(hash("first"), [1], 10), ["a", "b"])
      }).pipe(Effect.provide(stores))
    )

    it.effect("finds a sweep by the transaction that delivered it, also if it was found late", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        const { ofTransaction } = yield* SweepRecords
        for (const id of ["at once", "late"]) {
          yield* submitted({ id, owner: id.length, destChainId: 2 })
          yield* intents.apply(id, [{ _tag: "SettledAtSource", txHash: hash(`settled ${id}`) }])
        }
        yield* intents.apply("at once", [{ _tag: "Delivered", txHash: hash("fill") }])
        yield* intents.apply("late", [{ _tag: "Delivered" }])
        yield* intents.noteFill("late", hash("late fill"))
        assert.deepStrictEqual(yield* ofTransaction(hash("fill"), [1], 10), ["at once"])
        assert.deepStrictEqual(yield* ofTransaction(hash("late fill"), [1], 10), ["late"])
      }).pipe(Effect.provide(stores))
    )

    it.effect("tells statuses, transactions with their versions, and messages", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        const relay = yield* RelayTransactions
        yield* submitted({ id: "a", owner: 1, builderId: "bld" })
        yield* submitted({ id: "b", owner: 2 })
        yield* TestClock.adjust("2 seconds")
        const { id } = yield* carry(["a", "b"], "first")
        yield* relay.addAttempt(id, attempt("second"), "sweep")
        const settled = [{ _tag: "SettledAtSource", txHash: hash("second") }] as const
        yield* intents.apply("a", settled, { outbox: [revenue("0", "second")] })
        yield* intents.apply("b", settled, { outbox: [revenue("1", "second")] })
        const inclusion = { hash: hash("second"), blockNumber: 2n ** 40n, blockHash: hash("block") }
        yield* relay.finalize([{ id, inclusion, cost: 2n ** 70n }])
        yield* intents.apply("a", [{ _tag: "Failed", reason: "bridge_refunded" }], { detail: "nobody filled it" })

        const { history, messages, sweepId, transactions } = yield* record("a")
        assert.isUndefined(sweepId)
        assert.deepStrictEqual(history, [
          { status: "submitted", atMs: 0 },
          { status: "settled_source", atMs: 2_000, txHash: hash("second") },
          { status: "failed", atMs: 2_000, reason: "bridge_refunded", detail: "nobody filled it" }
        ])
        const { raw: _first, ...first } = attempt("first")
        const { raw: _second, ...second } = attempt("second")
        assert.deepStrictEqual(transactions, [
          {
            id,
            chainId: 1,
            lane: LANE,
            nonce: 0n,
            kind: "sweep",
            status: "final",
            createdAtMs: 2_000,
            intents: 2,
            attempts: [first, second],
            inclusion,
            cost: 2n ** 70n
          }
        ])
        assert.deepStrictEqual(messages.map(({ attempts, key, state }) => [key, state, attempts]).toSorted(), [
          [`revenue:${hash("second")}_0`, "pending", 0],
          ["sweep:a:failed", "pending", 0],
          ["sweep:a:settled_source", "pending", 0],
          ["sweep:a:submitted", "pending", 0]
        ])

        yield* relay.reopen([{ id, inclusion }])
        const [reopened] = (yield* record("a")).transactions
        assert.strictEqual(reopened?.status, "pending")
        assert.notProperty(reopened, "cost")
      }).pipe(Effect.provide(stores))
    )

    it.effect("tells the messages of a settlement that is in another transaction since a reorganisation", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        yield* submitted({ id: "a", owner: 1 })
        const settled = (seed: string) => [{ _tag: "SettledAtSource", txHash: hash(seed) }] as const
        yield* intents.apply("a", settled("lost"), { outbox: [revenue("0", "lost")] })
        yield* intents.resettle([{ id: "a", events: settled("true") }])
        const { messages } = yield* record("a")
        assert.deepStrictEqual(
          messages.map(({ key }) => key),
          [`revenue:${hash("lost")}_0`]
        )
      }).pipe(Effect.provide(stores))
    )

    it.effect("knows a quote that nobody signed, and no id that was never issued", () =>
      Effect.gen(function* () {
        const intents = yield* Intents
        const records = yield* SweepRecords
        yield* intents.create(newIntent({ id: "quoted" }))
        assert.deepStrictEqual(yield* record("quoted"), { history: [], transactions: [], messages: [] })
        assert.deepStrictEqual(yield* records.of("unknown"), Option.none())
      }).pipe(Effect.provide(stores))
    )
  })
