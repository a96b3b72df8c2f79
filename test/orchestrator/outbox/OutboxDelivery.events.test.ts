/** Delivery of events for builders. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import { TestClock } from "effect/testing"
import * as BuilderLedger from "../../../src/adapters/memory/orchestrator/BuilderLedger.ts"
import { OutboxDelivery } from "../../../src/orchestrator/outbox/OutboxDelivery.ts"
import { Alerts as AlertsPort } from "../../../src/ports/shared/Alerts.ts"
import { submitted } from "../../support/IntentFixtures.ts"
import { counts, deliver, layer, settle } from "./outboxScene.ts"

describe("the outbox delivery of events", () => {
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
})
