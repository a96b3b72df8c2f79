import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import * as BuilderLedger from "../../../src/adapters/memory/orchestrator/BuilderLedger.ts"
import { outboxMessages } from "../../../src/domain/Accrual.ts"
import { OutboxDelivery } from "../../../src/orchestrator/outbox/OutboxDelivery.ts"
import { Alerts as AlertsPort } from "../../../src/ports/shared/Alerts.ts"
import { LaneBook } from "../../../src/ports/orchestrator/LaneBook.ts"
import { Outbox as OutboxPort } from "../../../src/ports/orchestrator/Outbox.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { address } from "../../support/FakeChain.ts"
import { counts, deliver, layer, settle, world } from "./outboxScene.ts"

const layerRunning = Layer.provideMerge(OutboxDelivery.layer, world)

const turnLedger = Effect.fnUntraced(function* (available: boolean) {
  yield* Ref.update(yield* BuilderLedger.BuilderLedgerState, (state) => ({ ...state, available }))
})

/** Books other revenue for the settlement, so that the backend rejects the right one. */
const misbook = Effect.gen(function* () {
  const ledger = yield* BuilderLedger.BuilderLedgerState
  const txHash = hash("settlement")
  const entries = outboxMessages(
    {
      sweepId: `${txHash}_0`,
      chainId: 1,
      feeToken: address(0xb1),
      feeAmount: 6n,
      builderFee: 0n,
      txHash,
      settledAtMs: 0
    },
    undefined
  )
  yield* Ref.update(ledger, (state) => ({ ...state, entries }))
})

describe("the outbox delivery", () => {
  it.effect("books a message once and is done with it", () =>
    Effect.gen(function* () {
      yield* settle("a", 1)
      assert.deepStrictEqual(yield* deliver, { delivered: 1, deferred: 0, rejected: 0 })
      assert.deepStrictEqual(yield* counts, { pending: 0, rejected: 0 })
      assert.deepStrictEqual(yield* deliver, { delivered: 0, deferred: 0, rejected: 0 })
    }).pipe(Effect.provide(layer))
  )

  it.effect("books again what was booked before a crash, which changes nothing", () =>
    Effect.gen(function* () {
      yield* settle("a", 1)
      const ledger = yield* BuilderLedger.BuilderLedgerState
      const [entry] = yield* (yield* OutboxPort).claim({ topic: "ledger", limit: 1, leaseMillis: 30_000 })
      const message = entry?.message
      if (message?._tag !== "Revenue") return yield* Effect.die("no entry")
      // The process died between the booking and its acknowledgement; the lease ends by itself.
      yield* Ref.update(ledger, (state) => ({
        ...state,
        entries: [message]
      }))
      assert.strictEqual((yield* deliver).delivered, 0)
      yield* TestClock.adjust(30_000)
      assert.strictEqual((yield* deliver).delivered, 1)
      assert.lengthOf((yield* Ref.get(ledger)).entries, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("closes a message that the books will never agree with, and no other", () =>
    Effect.gen(function* () {
      const { close, lookAgain } = yield* OutboxDelivery
      const { list } = yield* AlertsPort
      yield* misbook
      yield* settle("a", 1)
      yield* settle("b", 2, 5n, "another settlement")
      assert.deepStrictEqual(yield* deliver, { delivered: 1, deferred: 0, rejected: 1 })
      const [alert] = yield* list
      const id = String(alert?.details["outboxId"])
      assert.isFalse(yield* close("0", "ann"))
      assert.lengthOf(yield* list, 1)

      assert.isTrue(yield* close(id, "ann"))
      assert.deepStrictEqual(yield* list, [])
      assert.deepStrictEqual(yield* counts, { pending: 0, rejected: 0 })
      assert.isFalse(yield* close(id, "ann"))
      const [record, ...others] = yield* (yield* LaneBook).log(10)
      assert.deepInclude(record, { actor: "ann", action: "outbox.closed", subject: `outbox:${id}` })
      assert.lengthOf(others, 0)
      yield* lookAgain
      assert.deepStrictEqual(yield* deliver, { delivered: 0, deferred: 0, rejected: 0 })
      assert.deepStrictEqual(yield* list, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("tries again ever later while the ledger is down, at most five minutes apart", () =>
    Effect.gen(function* () {
      yield* settle("a", 1)
      yield* turnLedger(false)
      assert.deepStrictEqual(yield* deliver, { delivered: 0, deferred: 1, rejected: 0 })
      assert.strictEqual((yield* deliver).deferred, 0)
      yield* TestClock.adjust(1_000)
      assert.strictEqual((yield* deliver).deferred, 1)
      for (let failures = 2; failures < 20; failures++) {
        yield* TestClock.adjust(300_000)
        assert.strictEqual((yield* deliver).deferred, 1)
      }
      yield* turnLedger(true)
      yield* TestClock.adjust(300_000)
      assert.strictEqual((yield* deliver).delivered, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("books income together, and a refused line of it by itself", () =>
    Effect.gen(function* () {
      const ledger = yield* BuilderLedger.BuilderLedgerState
      yield* settle("a", 1)
      yield* settle("b", 2, 5n, "other")
      yield* settle("c", 3, 5n, "third")
      const [entry] = yield* (yield* OutboxPort).claim({ topic: "ledger", limit: 1, leaseMillis: 1 })
      if (entry?.message._tag !== "Revenue") return yield* Effect.die("no income")
      const { revenue } = entry.message
      yield* Ref.update(ledger, (state) => ({
        ...state,
        entries: [{ _tag: "Revenue" as const, revenue: { ...revenue, amount: 6n } }]
      }))
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* deliver, { delivered: 2, deferred: 0, rejected: 1 })
      assert.deepStrictEqual(yield* counts, { pending: 0, rejected: 1 })
      assert.lengthOf((yield* Ref.get(ledger)).entries, 3)
    }).pipe(Effect.provide(layer))
  )

  it.effect("gives a refused message to the operator and does not try it again", () =>
    Effect.gen(function* () {
      yield* settle("a", 1)
      yield* misbook
      assert.deepStrictEqual(yield* deliver, { delivered: 0, deferred: 0, rejected: 1 })
      assert.deepStrictEqual(yield* counts, { pending: 0, rejected: 1 })
      const [alert] = yield* (yield* AlertsPort).list
      assert.strictEqual(alert?.kind, "outbox_rejected")
      assert.strictEqual(alert?.details["status"], 409)
      yield* TestClock.adjust(600_000)
      assert.deepStrictEqual(yield* deliver, { delivered: 0, deferred: 0, rejected: 0 })
    }).pipe(Effect.provide(layer))
  )

  it.effect("books a rejected message once the backend takes it, and clears its alert", () =>
    Effect.gen(function* () {
      const ledger = yield* BuilderLedger.BuilderLedgerState
      const kinds = Effect.map((yield* AlertsPort).list, (alerts) => alerts.map(({ kind }) => kind))
      const { lookAgain } = yield* OutboxDelivery
      yield* misbook
      yield* settle("a", 1)
      assert.deepStrictEqual(yield* deliver, { delivered: 0, deferred: 0, rejected: 1 })
      assert.deepStrictEqual(yield* kinds, ["outbox_rejected"])

      // It is still refused, so the alert stays.
      yield* lookAgain
      assert.deepStrictEqual(yield* kinds, ["outbox_rejected"])
      assert.deepStrictEqual(yield* deliver, { delivered: 0, deferred: 0, rejected: 1 })

      // The backend is away just then, which says nothing about the message.
      yield* lookAgain
      yield* turnLedger(false)
      assert.deepStrictEqual(yield* deliver, { delivered: 0, deferred: 1, rejected: 0 })
      yield* lookAgain
      assert.deepStrictEqual(yield* kinds, ["outbox_rejected"])

      // The wrong booking is taken out.
      yield* turnLedger(true)
      yield* Ref.update(ledger, (state) => ({ ...state, entries: [] }))
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* deliver, { delivered: 1, deferred: 0, rejected: 0 })
      yield* lookAgain
      assert.deepStrictEqual(yield* kinds, [])
      assert.lengthOf((yield* Ref.get(ledger)).entries, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("looks again by itself when running", () =>
    Effect.gen(function* () {
      const ledger = yield* BuilderLedger.BuilderLedgerState
      const { list } = yield* AlertsPort
      yield* misbook
      yield* settle("a", 1)
      yield* TestClock.adjust("10 seconds")
      assert.lengthOf(yield* list, 1)
      yield* Ref.update(ledger, (state) => ({ ...state, entries: [] }))
      yield* TestClock.adjust("11 minutes")
      assert.deepStrictEqual(yield* list, [])
    }).pipe(Effect.provide(layerRunning))
  )

  it.effect("delivers by itself when running", () =>
    Effect.gen(function* () {
      yield* settle("a", 1)
      yield* TestClock.adjust(2_000)
      assert.deepStrictEqual(yield* counts, { pending: 0, rejected: 0 })
    }).pipe(Effect.provide(layerRunning))
  )
})
