import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Latch, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import { StoreUnavailable } from "../../src/ports/shared/Store.ts"
import { loop, supervisor } from "../../src/runtime/Background.ts"

const outage = Effect.fail(new StoreUnavailable({ operation: "claim", detail: "starting up" }))

/** Log events of a loop that does one of `runs` a second, in order, and then nothing. */
const eventsOf = Effect.fnUntraced(function* (runs: ReadonlyArray<Effect.Effect<unknown, unknown>>) {
  const events: Array<string> = []
  const logger = Logger.make(({ fiber, logLevel, message }) => {
    const { chain, detail = "", loop: name } = fiber.getRef(References.CurrentLogAnnotations)
    events.push([logLevel, [message].flat()[0], name, chain, detail].join(" ").trim())
  })
  const rest = [...runs]
  const running = yield* loop(
    supervisor("relayer", { chain: "Base" }),
    { pauseMillis: 1_000 },
    Effect.suspend(() => rest.shift() ?? Effect.void)
  ).pipe(Effect.andThen(Effect.never), Effect.scoped, Effect.provide(Logger.layer([logger])), Effect.forkChild)
  for (const _ of [...runs, undefined]) yield* TestClock.adjust(1_000)
  yield* Fiber.interrupt(running)
  return events
})

const LOST = "Warn background.database_lost relayer Base store unavailable during claim: starting up"
const RECOVERED = "Info background.database_recovered relayer Base"
const FAILED = "Error background.failed relayer Base"

describe("supervisor", () => {
  it.effect("logs the begin and the end of a database outage once each", () =>
    Effect.gen(function* () {
      const events = yield* eventsOf([Effect.void, outage, outage, outage, Effect.void, Effect.void, outage])
      assert.deepStrictEqual(events, [LOST, RECOVERED, LOST, RECOVERED])
    })
  )

  it.effect("logs every other failure and defect, and the loop continues", () =>
    Effect.gen(function* () {
      const broken = Effect.die(new Error("broken"))
      const events = yield* eventsOf([broken, Effect.fail("odd"), outage, broken, outage, Effect.void])
      assert.deepStrictEqual(events, [FAILED, FAILED, LOST, FAILED, RECOVERED])
    })
  )
})

describe("loop", () => {
  it.effect("starts the next round at once when an event came during the round, and pauses otherwise", () =>
    Effect.gen(function* () {
      const wake = yield* Latch.make()
      let rounds = 0
      const round = Effect.suspend(() => (++rounds === 1 ? wake.open : Effect.void))
      yield* loop(supervisor("loop"), { pauseMillis: 1_000, wake }, round)
      yield* TestClock.adjust(0)
      assert.strictEqual(rounds, 2)
      yield* TestClock.adjust(999)
      assert.strictEqual(rounds, 2)
      yield* TestClock.adjust(1)
      assert.strictEqual(rounds, 3)
      yield* wake.open
      yield* TestClock.adjust(0)
      assert.strictEqual(rounds, 4)
    })
  )

  it.effect("starts no round before it is admitted, and none after the scope closes", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      let rounds = 0
      const round = Effect.sync(() => void rounds++)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* loop(supervisor("loop"), { pauseMillis: 10, admission: Deferred.await(gate) }, round)
          yield* TestClock.adjust(100)
          assert.strictEqual(rounds, 0)
          yield* Deferred.succeed(gate, undefined)
          yield* TestClock.adjust(15)
          assert.strictEqual(rounds, 2)
        })
      )
      yield* TestClock.adjust(100)
      assert.strictEqual(rounds, 2)
    })
  )
})
