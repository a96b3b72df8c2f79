/** Alerts about conflicting events end a day after the last report. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as AlertsInMemory from "../../../src/adapters/memory/shared/Alerts.ts"
import * as EventConflictReview from "../../../src/builder/ledger/EventConflictReview.ts"
import type { AlertKind } from "../../../src/domain/AlertKind.ts"
import { Alerts, type NewAlert } from "../../../src/ports/shared/Alerts.ts"

const raise = (kind: AlertKind, id: string, details: NewAlert["details"]) =>
  Effect.flatMap(Alerts, (alerts) =>
    alerts.raise({ key: `${kind}:${id}`, severity: "warning", kind, message: "A test.", details })
  )

const keys = Effect.flatMap(Alerts, (alerts) =>
  Effect.map(alerts.list, (standing) => standing.map(({ key }) => key).toSorted())
)

describe("an alert about a conflicting event", () => {
  it.effect("ends a day after the last report, and no other alert does", () =>
    Effect.gen(function* () {
      yield* raise("sweep_event_conflict", "first", { lastAtMs: 0 })
      yield* raise("sweep_event_conflict", "again", { lastAtMs: 3_600_000 })
      // Of a release that did not note the time.
      yield* raise("sweep_event_conflict", "former", {})
      yield* raise("accrual_conflict", "booked", { lastAtMs: 0 })
      yield* Layer.build(EventConflictReview.layer)
      yield* TestClock.adjust("23 hours")
      assert.lengthOf(yield* keys, 4)
      yield* TestClock.adjust("61 minutes")
      assert.deepStrictEqual(yield* keys, ["accrual_conflict:booked", "sweep_event_conflict:again"])
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* keys, ["accrual_conflict:booked"])
    }).pipe(Effect.provide(AlertsInMemory.layer))
  )
})
