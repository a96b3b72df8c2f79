import { assert, it } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import * as Retention from "../../../src/builder/shared/Retention.ts"
import { BuilderSettings } from "../../../src/builder/shared/BuilderSettings.ts"
import { builderDefaults } from "../../../src/config/Builder.ts"
import { KeptData } from "../../../src/ports/builder/KeptData.ts"

const DAY = 86_400_000

it.effect("old rows are deleted by their kind's age, and sums are taken up", () =>
  Effect.gen(function* () {
    const ages = yield* Ref.make<Readonly<Record<string, number>>>({})
    const sums = yield* Ref.make(0)
    const kept = KeptData.of({
      prune: (kind, beforeMs) =>
        Effect.as(
          Ref.update(ages, (all) => ({ [kind]: 400 * DAY - beforeMs, ...all })),
          0
        ),
      sumUp: Ref.update(sums, (count) => count + 1)
    })
    yield* TestClock.adjust("400 days")
    yield* Layer.build(
      Retention.layer.pipe(Layer.provide([Layer.succeed(KeptData, kept), BuilderSettings.layer(builderDefaults)]))
    )
    yield* TestClock.adjust("1 millis")
    assert.deepStrictEqual(yield* Ref.get(ages), { events: 365 * DAY, alerts: 90 * DAY, sessions: 0, nonces: 0 })
    yield* TestClock.adjust("1 minute")
    assert.isAtLeast(yield* Ref.get(sums), 10)
  })
)
