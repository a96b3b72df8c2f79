import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { NotAccepted } from "../../src/ports/shared/AlertDestinations.ts"
import * as Heartbeat from "../../src/runtime/Heartbeat.ts"

it.effect("a heartbeat is sent each minute while the service can work", () =>
  Effect.gen(function* () {
    let beats = 0
    let isAble = true
    const beat = Effect.suspend(() => {
      beats += 1
      return beats === 1 ? Effect.fail(new NotAccepted({ detail: "HTTP 500" })) : Effect.void
    })
    yield* Layer.build(
      Heartbeat.layer(
        beat,
        Effect.sync(() => isAble)
      )
    )
    yield* TestClock.adjust("2 minutes")
    assert.strictEqual(beats, 3)
    isAble = false
    yield* TestClock.adjust("5 minutes")
    assert.strictEqual(beats, 3)
    isAble = true
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(beats, 4)
  })
)
