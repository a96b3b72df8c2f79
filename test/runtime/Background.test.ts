/** What loops say about what goes wrong in them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { repeatedly } from "../../src/runtime/Background.ts"
import { StoreUnavailable } from "../../src/ports/shared/Store.ts"

const outage = Effect.fail(new StoreUnavailable({ operation: "claim", detail: "starting up" }))

/** Levels and messages of a loop that does this once a second, one after another, and then nothing. */
const saidBy = Effect.fnUntraced(function* (runs: ReadonlyArray<Effect.Effect<unknown, unknown>>) {
  const said: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void said.push(`${logLevel} ${[message].flat()[0]}`))
  const rest = [...runs]
  const loop = repeatedly(
    "loop",
    1_000,
    Effect.suspend(() => rest.shift() ?? Effect.void)
  ).pipe(Effect.andThen(Effect.never), Effect.scoped, Effect.provide(Logger.layer([logger])))
  const running = yield* Effect.forkChild(loop)
  for (const _ of [...runs, undefined]) yield* TestClock.adjust(1_000)
  yield* Fiber.interrupt(running)
  return said
})

const WAITS = "Warn loop waits for the database: store unavailable during claim: starting up"

describe("a loop", () => {
  it.effect("says once that the database is away, and once that it is back", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* saidBy([Effect.void, outage, outage, outage, Effect.void, Effect.void, outage]), [
        WAITS,
        "Info loop goes on",
        WAITS,
        "Info loop goes on"
      ])
    })
  )

  it.effect("says of everything else what it is, each time, and runs again", () =>
    Effect.gen(function* () {
      const broken = Effect.die(new Error("broken"))
      const failed = "Error loop failed and will run again"
      assert.deepStrictEqual(yield* saidBy([broken, Effect.fail("odd"), outage, broken, outage, Effect.void]), [
        failed,
        failed,
        WAITS,
        failed,
        "Info loop goes on"
      ])
    })
  )
})
