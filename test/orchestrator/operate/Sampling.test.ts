import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { backlog } from "../../../src/orchestrator/operate/Sampling.ts"
import { Backlog } from "../../../src/ports/orchestrator/Backlog.ts"
import { StoreUnavailable } from "../../../src/ports/shared/Store.ts"
import * as Sampling from "../../../src/runtime/Sampling.ts"
import { isolated, series } from "../../support/Metrics.ts"

const intents = Effect.succeed({ quoted: undefined, queued: 4_000, settled_source: 9_000 })

const outbox = Effect.succeed({
  ledger: { waiting: 2, oldestMs: 7_000 },
  events: { waiting: 0, oldestMs: undefined }
})

const down = Effect.fail(new StoreUnavailable({ operation: "backlog", detail: "down" }))

const sample = (parts: Pick<Backlog["Service"], "intents" | "outbox">) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(10_000)
    yield* Sampling.round(backlog)
    return {
      intents: yield* series("sweep_intents_oldest_seconds"),
      outbox: yield* series("sweep_outbox_oldest_seconds"),
      samples: yield* series("sweep_telemetry_samples_total")
    }
  }).pipe(Effect.provideService(Backlog, { ...parts, poolWaitMillis: Effect.succeed(0) }), isolated)

const AGES = {
  intents: [
    'sweep_intents_oldest_seconds{waiting="queued"} 6',
    'sweep_intents_oldest_seconds{waiting="quoted"} 0',
    'sweep_intents_oldest_seconds{waiting="settled_source"} 1'
  ],
  outbox: ['sweep_outbox_oldest_seconds{topic="events"} 0', 'sweep_outbox_oldest_seconds{topic="ledger"} 3']
}

it.effect("shows the ages of intents and messages", () =>
  Effect.gen(function* () {
    const { samples, ...ages } = yield* sample({ intents, outbox })
    assert.deepStrictEqual(ages, AGES)
    assert.deepStrictEqual(samples, ['sweep_telemetry_samples_total{outcome="complete"} 1'])
  })
)

it.effect("shows the ages of messages while those of intents cannot be read, and the reverse", () =>
  Effect.gen(function* () {
    const partial = { samples: ['sweep_telemetry_samples_total{outcome="partial"} 1'] }
    assert.deepStrictEqual(yield* sample({ intents: down, outbox }), { ...AGES, ...partial, intents: [] })
    assert.deepStrictEqual(yield* sample({ intents, outbox: down }), { ...AGES, ...partial, outbox: [] })
  })
)
