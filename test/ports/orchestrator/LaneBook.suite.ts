/** Contract of every store of lanes. Each test gets a store of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import type { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { LaneBook } from "../../../src/ports/orchestrator/LaneBook.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, hash, submitted } from "../../support/IntentFixtures.ts"

const LANE = address(0x1a4e)
const OTHER = address(0x1a4f)

const allocate = (lane = LANE) =>
  Effect.flatMap(RelayTransactions, (transactions) =>
    transactions.allocate({
      chainId: 1,
      lane,
      chainNonce: 0n,
      intentIds: [],
      sign: (nonce) => Effect.succeed(attempt(`${lane}${nonce}`))
    })
  )

const record = (action: string) => ({ actor: "admin-token", action, subject: LANE, details: { reason: "new key" } })

const drain = Effect.flatMap(LaneBook, ({ move }) => move(LANE, "active", "draining", record("lane.draining")))

export const suite = (adapter: string, stores: Layer.Layer<LaneBook | Intents | RelayTransactions, unknown>) =>
  describe(`LaneBook on ${adapter}`, () => {
    it.effect("keeps the states of lanes, and records each change", () =>
      Effect.gen(function* () {
        const book = yield* LaneBook
        assert.strictEqual((yield* book.states).size, 0)
        yield* TestClock.adjust("7 millis")
        assert.isTrue(yield* drain)
        assert.deepStrictEqual((yield* book.states).get(LANE), { state: "draining", sinceMs: 7 })
        assert.isFalse(yield* drain)
        assert.isTrue(yield* book.move(LANE, "draining", "active", record("lane.active")))
        const [last, first, ...more] = yield* book.log(10)
        assert.lengthOf(more, 0)
        assert.deepInclude(first, { atMs: 7, ...record("lane.draining") })
        assert.deepInclude(last, record("lane.active"))
        assert.lengthOf(yield* book.log(1), 1)
      }).pipe(Effect.provide(stores))
    )

    it.effect("never drains the last two lanes by changes at the same moment", () =>
      Effect.gen(function* () {
        const book = yield* LaneBook
        const lanes = [LANE, OTHER, address(0x1a50)] as const
        const drained = yield* Effect.forEach(
          lanes,
          (lane) =>
            book.move(
              lane,
              "active",
              "draining",
              { ...record("lane.draining"), subject: lane },
              lanes.filter((each) => each !== lane)
            ),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(drained.filter((done) => done).length, 2)
        assert.strictEqual((yield* book.states).size, 2)
        assert.lengthOf(yield* book.log(10), 2)
        // The way back needs no other lane.
        const first = lanes.find((_, index) => drained[index]) ?? assert.fail()
        assert.isTrue(yield* book.move(first, "draining", "active", record("lane.active"), []))
        assert.isFalse(yield* book.move(first, "active", "draining", record("lane.draining"), []))
      }).pipe(Effect.provide(stores))
    )

    it.effect("gives a drained lane no transactions, and retires it when none is in flight", () =>
      Effect.gen(function* () {
        const book = yield* LaneBook
        yield* submitted({ id: "a", owner: 1 })
        const { id } = yield* allocate()
        yield* drain
        assert.strictEqual((yield* Effect.flip(allocate()))._tag, "LaneClosed")
        yield* allocate(OTHER)
        assert.deepStrictEqual(yield* book.inFlight(LANE), new Map([[1, 1]]))
        assert.isFalse(yield* book.move(LANE, "draining", "retired", record("lane.retired")))
        yield* (yield* RelayTransactions).finalize([{ id }])
        assert.strictEqual((yield* book.inFlight(LANE)).size, 0)
        assert.isTrue(yield* book.move(LANE, "draining", "retired", record("lane.retired")))
        assert.strictEqual((yield* Effect.flip(allocate()))._tag, "LaneClosed")
        assert.isTrue(yield* book.move(LANE, "retired", "active", record("lane.active")))
        assert.strictEqual((yield* allocate()).nonce, 1n)
      }).pipe(Effect.provide(stores))
    )

    it.effect("stores one transfer of a retired lane for each nonce", () =>
      Effect.gen(function* () {
        const book = yield* LaneBook
        const transfer = {
          chainId: 1,
          lane: LANE,
          nonce: 5n,
          recipient: OTHER,
          amount: 2n ** 200n,
          raw: "0xabcd",
          hash: hash("a")
        } as const
        assert.isTrue(Option.isNone(yield* book.withdraw(transfer, record("lane.empty"))))
        yield* drain
        assert.isTrue(Option.isNone(yield* book.withdraw(transfer, record("lane.empty"))))
        yield* book.move(LANE, "draining", "retired", record("lane.retired"))
        assert.deepStrictEqual(yield* book.withdraw(transfer, record("lane.empty")), Option.some(transfer))
        const again = yield* book.withdraw({ ...transfer, amount: 1n, hash: hash("b") }, record("lane.empty"))
        assert.deepStrictEqual(again, Option.some(transfer))
        assert.deepStrictEqual(yield* book.withdrawal(1, LANE, 5n), Option.some(transfer))
        assert.isTrue(Option.isNone(yield* book.withdrawal(1, LANE, 6n)))
        assert.strictEqual((yield* book.lastWithdrawals(OTHER)).size, 0)
        for (const next of [
          { ...transfer, nonce: 7n, hash: hash("d") },
          { ...transfer, chainId: 2, nonce: 3n, hash: hash("e") }
        ]) {
          assert.deepStrictEqual(yield* book.withdraw(next, record("lane.empty")), Option.some(next))
        }
        const last = new Map([
          [1, 7n],
          [2, 3n]
        ])
        assert.deepStrictEqual(new Map([...(yield* book.lastWithdrawals(LANE))].toSorted(([a], [b]) => a - b)), last)
        assert.lengthOf(yield* book.log(10), 5)
        // Another replica takes the lane into use between the reading of its state and the transfer.
        yield* book.move(LANE, "retired", "active", record("lane.active"))
        const late = { ...transfer, nonce: 6n, hash: hash("c") }
        assert.isTrue(Option.isNone(yield* book.withdraw(late, record("lane.empty"))))
        assert.isTrue(Option.isNone(yield* book.withdrawal(1, LANE, 6n)))
      }).pipe(Effect.provide(stores))
    )

    it.effect("records changes of other things, newest first", () =>
      Effect.gen(function* () {
        const book = yield* LaneBook
        const change = (subject: string) => ({ ...record("alert.closed"), subject, details: { message: "a\0b" } })
        yield* book.note(change("alert:a"))
        yield* TestClock.adjust("1 second")
        yield* book.note(change("alert:b"))
        const [last, first] = yield* book.log(10)
        assert.deepInclude(first, { action: "alert.closed", subject: "alert:a", atMs: 0 })
        assert.deepInclude(last, { action: "alert.closed", subject: "alert:b", atMs: 1_000 })
      }).pipe(Effect.provide(stores))
    )
  })
