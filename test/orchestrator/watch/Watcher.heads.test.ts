import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { layerRunning, scene } from "../../support/RelayScene.ts"
import { sweptLog } from "../../support/RelayFixtures.ts"

const eventually = <E>(condition: Effect.Effect<boolean, E>) =>
  Effect.yieldNow.pipe(Effect.andThen(condition), Effect.repeat({ until: (isTrue) => isTrue }))

describe("the running watcher", () => {
  it.effect("moves on with the block that settles, and does not wait for its timer", () =>
    Effect.gen(function* () {
      const { bury, intent, mineLane, pending, sent, submit } = yield* scene
      // Whatever the first looks wait for is behind them.
      yield* TestClock.adjust(1_000)
      const submitted = yield* submit({ id: "a" })
      yield* eventually(Effect.map(sent, (all) => all.length === 1))
      const hash = (yield* pending).attempts[0]?.hash ?? "0x"
      yield* mineLane({ hash, logs: [sweptLog(submitted)] })
      yield* bury(2)
      yield* eventually(Effect.map(intent("a"), ({ status }) => status === "delivered"))
      assert.strictEqual((yield* intent("a")).txHash, hash)
    }).pipe(Effect.provide(layerRunning))
  )
})
