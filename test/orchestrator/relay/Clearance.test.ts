/** Parties of a claimed sweep are screened again once their clearance is old. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as ScreeningInMemory from "../../../src/adapters/memory/shared/Screening.ts"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import * as Clearance from "../../../src/orchestrator/relay/Clearance.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { layer, scene } from "../../support/RelayScene.ts"

const LIFETIME_MILLIS = 60_000

const unavailable = Layer.merge(
  ScreeningInMemory.layer({ available: false }),
  OrchestratorSettings.layer({ ...orchestratorDefaults, clearanceLifetimeMillis: LIFETIME_MILLIS })
)

it.effect("a sweep is screened again when its clearance is old, or is from before the clock was set back", () =>
  Effect.gen(function* () {
    const { client, submit } = yield* scene
    const screen = yield* Clearance.make.pipe(Effect.provide(unavailable))
    const { submittedAtMs: _, ...intent } = yield* submit({ id: "a", owner: 1 })
    const now = 10_000_000
    yield* TestClock.setTime(now)
    const isScreened = (submittedAtMs: number) =>
      Effect.map(screen(client, [{ ...intent, submittedAtMs }]), (blocked) => blocked.has("a"))
    assert.isFalse(yield* isScreened(now - LIFETIME_MILLIS))
    assert.isTrue(yield* isScreened(now - LIFETIME_MILLIS - 1))
    assert.isTrue(yield* isScreened(now + 3_600_000))
  }).pipe(Effect.provide(layer))
)
