/** Shows how soon a replica follows what an operator chose through another one. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryOverrides from "../../src/adapters/memory/orchestrator/Overrides.ts"
import { Overrides } from "../../src/ports/shared/Overrides.ts"
import { KeptOverrides } from "../../src/runtime/KeptOverrides.ts"

/** The replica's store, whose notices of changes are lost if it is deaf. */
const replica = (isDeaf: boolean) =>
  KeptOverrides.layer.pipe(
    Layer.provide(
      Layer.effect(
        Overrides,
        Effect.map(Overrides, (overrides) => (isDeaf ? { ...overrides, changes: Stream.never } : overrides))
      )
    ),
    Layer.provideMerge(MemoryOverrides.layer)
  )

const choose = Effect.flatMap(Overrides, ({ set }) =>
  set({ name: "a", value: "1", reason: "" }, { actor: "admin", action: "set", subject: "a", details: {} })
)

/** The replica has read what stood at its start. */
const started = TestClock.adjust(1)

const names = Effect.flatMap(KeptOverrides, ({ current }) => Effect.map(current, (all) => all.map(({ name }) => name)))

it.effect("a change is followed at its notice", () =>
  Effect.gen(function* () {
    yield* started
    yield* choose
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(yield* names, ["a"])
  }).pipe(Effect.provide(replica(false)))
)

it.effect("a change whose notice is lost is followed within two seconds", () =>
  Effect.gen(function* () {
    yield* started
    yield* choose
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(yield* names, [])
    yield* TestClock.adjust("2 seconds")
    assert.deepStrictEqual(yield* names, ["a"])
  }).pipe(Effect.provide(replica(true)))
)
