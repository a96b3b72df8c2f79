/** The end of alerts that only an operator can end. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as LaneBookInMemory from "../../../src/adapters/memory/orchestrator/LaneBook.ts"
import * as AlertsInMemory from "../../../src/adapters/memory/shared/Alerts.ts"
import type { AlertKind } from "../../../src/domain/AlertKind.ts"
import * as AlertClosing from "../../../src/orchestrator/operate/AlertClosing.ts"
import { LaneBook } from "../../../src/ports/orchestrator/LaneBook.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"

const raise = (kind: AlertKind) =>
  Effect.flatMap(Alerts, (alerts) => alerts.raise({ key: kind, severity: "critical", kind, message: "", details: {} }))

const standing = Effect.flatMap(Alerts, ({ list }) => list)

const kinds = Effect.map(standing, (all) => all.map(({ kind }) => kind))

it.effect("an operator closes alerts about settlements that contradict the books, and no others", () =>
  Effect.gen(function* () {
    const close = yield* AlertClosing.make
    yield* raise("lane_low")
    yield* raise("settled_after_failure")
    yield* raise("settlement_lost")
    const ids = new Map((yield* standing).map(({ id, kind }) => [kind, id]))
    const closing = (kind: AlertKind) => close(ids.get(kind) ?? "none", "ann")
    assert.isFalse(yield* closing("lane_low"))
    assert.isTrue(yield* closing("settled_after_failure"))
    assert.sameMembers(yield* kinds, ["lane_low", "settlement_lost"])
    assert.isFalse(yield* closing("settled_after_failure"))
    assert.isTrue(yield* closing("settlement_lost"))
    assert.deepStrictEqual(yield* kinds, ["lane_low"])
    const records = yield* (yield* LaneBook).log(10)
    assert.deepStrictEqual(
      records.map(({ action, actor, subject }) => [actor, action, subject]),
      [
        ["ann", "alert.closed", "settlement_lost"],
        ["ann", "alert.closed", "settled_after_failure"]
      ]
    )
  }).pipe(Effect.provide([AlertsInMemory.layer, LaneBookInMemory.layer]))
)
