import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import * as Alerts from "../../../src/adapters/memory/shared/Alerts.ts"
import * as BuilderLedger from "../../../src/adapters/memory/orchestrator/BuilderLedger.ts"
import * as Intents from "../../../src/adapters/memory/orchestrator/Intents.ts"
import * as Outbox from "../../../src/adapters/memory/orchestrator/Outbox.ts"
import { outboxMessages } from "../../../src/domain/Accrual.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import { OutboxDelivery } from "../../../src/orchestrator/outbox/OutboxDelivery.ts"
import { Alerts as AlertsPort } from "../../../src/ports/shared/Alerts.ts"
import { Intents as IntentsPort } from "../../../src/ports/orchestrator/Intents.ts"
import { Outbox as OutboxPort } from "../../../src/ports/orchestrator/Outbox.ts"
import { hash, submitted } from "../../support/IntentFixtures.ts"
import { address } from "../../support/FakeChain.ts"

const world = Layer.mergeAll(
  Intents.layer,
  Outbox.layer,
  Alerts.layer,
  BuilderLedger.layer(),
  OrchestratorSettings.layer(orchestratorDefaults)
)
const layer = Layer.provideMerge(OutboxDelivery.layerOnDemand, world)
const layerRunning = Layer.provideMerge(OutboxDelivery.layer, world)

/** Settles an intent, which owes one entry of revenue. */
const settle = Effect.fnUntraced(function* (id: string, owner: number, feeAmount = 5n, name = "settlement") {
  const intents = yield* IntentsPort
  yield* submitted({ id, owner })
  const outbox = outboxMessages(
    {
      sweepId: `${hash(name)}_0`,
      chainId: 1,
      feeToken: address(0xb1),
      feeAmount,
      builderFee: 0n,
      txHash: hash(name),
      settledAtMs: 0
    },
    undefined
  )
  yield* intents.apply(id, [{ _tag: "SettledAtSource", txHash: hash(name) }], { outbox })
})

const deliver = Effect.flatMap(OutboxDelivery, (delivery) => delivery.runOnce)
const counts = Effect.flatMap(OutboxPort, (outbox) => outbox.counts)

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
      assert.isFalse(yield* close("0"))
      assert.lengthOf(yield* list, 1)

      assert.isTrue(yield* close(id))
      assert.deepStrictEqual(yield* list, [])
      assert.deepStrictEqual(yield* counts, { pending: 0, rejected: 0 })
      assert.isFalse(yield* close(id))
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

  it.effect("tells builders, and takes a refusal of what it tells for a warning", () =>
    Effect.gen(function* () {
      const ledger = yield* BuilderLedger.BuilderLedgerState
      yield* submitted({ id: "a", builderId: "bld_1" })
      assert.deepStrictEqual(yield* deliver, { delivered: 1, deferred: 0, rejected: 0 })
      const [told] = (yield* Ref.get(ledger)).events
      assert.deepInclude(told, { id: "a:submitted", builderId: "bld_1", status: "submitted" })

      yield* submitted({ id: "b", owner: 2, builderId: "bld_1" })
      const other = told === undefined ? [] : [{ ...told, id: "b:submitted", amountIn: 1n }]
      yield* Ref.update(ledger, (state) => ({ ...state, events: other }))
      assert.deepStrictEqual(yield* deliver, { delivered: 0, deferred: 0, rejected: 1 })
      const [alert, ...others] = yield* (yield* AlertsPort).list
      assert.deepInclude(alert, { kind: "sweep_event_rejected", severity: "warning" })
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual(yield* counts, { pending: 0, rejected: 0 })
    }).pipe(Effect.provide(layer))
  )

  it.effect("offers events for about an hour to a backend that does not know them, while money is booked", () =>
    Effect.gen(function* () {
      const ledger = yield* BuilderLedger.BuilderLedgerState
      yield* Ref.update(ledger, (state) => ({ ...state, takesEvents: false }))
      yield* submitted({ id: "told", owner: 2, builderId: "bld_1" })
      yield* settle("a", 1)
      assert.deepStrictEqual(yield* deliver, { delivered: 1, deferred: 1, rejected: 0 })
      let last = yield* deliver
      let millis = 0
      while (last.rejected === 0) {
        yield* TestClock.adjust(60_000)
        millis += 60_000
        last = yield* deliver
      }
      assert.isAbove(millis, 30 * 60_000)
      assert.isBelow(millis, 3 * 3_600_000)
      const [alert] = yield* (yield* AlertsPort).list
      assert.deepInclude(alert, { kind: "sweep_event_rejected", severity: "warning" })
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

  it.effect("clears the alert about events when the backend takes them, or a day after the last one", () =>
    Effect.gen(function* () {
      const ledger = yield* BuilderLedger.BuilderLedgerState
      const alerts = yield* AlertsPort
      const { lookAgain } = yield* OutboxDelivery
      const raise = (status: number, lastAtMs: number) =>
        alerts.raise({
          key: `sweep_event_rejected:${status}`,
          severity: "warning",
          kind: "sweep_event_rejected",
          message: "A test.",
          details: { lastAtMs }
        })
      const keys = Effect.map(alerts.list, (standing) => standing.map(({ key }) => key).toSorted())
      yield* raise(404, 0)
      yield* raise(409, 0)
      yield* raise(422, 1)
      yield* submitted({ id: "told", owner: 2, builderId: "bld_1" })
      yield* deliver
      assert.lengthOf((yield* Ref.get(ledger)).events, 1)
      assert.deepStrictEqual(yield* keys, ["sweep_event_rejected:409", "sweep_event_rejected:422"])
      yield* TestClock.adjust("1 day")
      yield* lookAgain
      assert.deepStrictEqual(yield* keys, ["sweep_event_rejected:422"])
      yield* TestClock.adjust("1 millis")
      yield* lookAgain
      assert.deepStrictEqual(yield* keys, [])
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
