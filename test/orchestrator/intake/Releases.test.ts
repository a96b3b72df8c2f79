/** A submission that ends before it is stored keeps no room in the budgets, or one client could hold all of it for nothing. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { StoreUnavailable } from "../../../src/ports/shared/Store.ts"
import { submission } from "../../support/IntentFixtures.ts"
import * as intakeScene from "./intakeScene.ts"
import * as sweepScene from "./sweepScene.ts"

const { ID, chain } = intakeScene

const unavailable = new StoreUnavailable({ operation: "test", detail: "turned off" })

/** A step that reports its start and never ends. */
const silence = Effect.map(Deferred.make<void>(), (started) => ({
  started: Deferred.await(started),
  step: Effect.andThen(Deferred.succeed(started, undefined), Effect.never)
}))

/** Starts two identical submissions at once, and interrupts the one with the index `stops` right before both would be stored. */
const oneOfTwoStops = Effect.fnUntraced(function* (stops: number, settings: intakeScene.Settings = {}) {
  const reached = [yield* Deferred.make<void>(), yield* Deferred.make<void>()] as const
  const proceed = yield* Deferred.make<void>()
  let calls = 0
  const storing = Effect.suspend(() => {
    const index = calls++ === 0 ? 0 : 1
    return Effect.andThen(
      Deferred.succeed(reached[index], undefined),
      index === stops ? Effect.never : Deferred.await(proceed)
    )
  })
  const the = yield* intakeScene.make({ ...settings, storing })
  const first = yield* Effect.forkChild(the.submit())
  yield* Deferred.await(reached[0])
  const second = yield* Effect.forkChild(the.submit())
  yield* Deferred.await(reached[1])
  const [stopping, storedLater] = stops === 0 ? [first, second] : [second, first]
  yield* Fiber.interrupt(stopping)
  const store = Effect.andThen(Deferred.succeed(proceed, undefined), Fiber.join(storedLater))
  return { the, store }
})

describe("a submission", () => {
  const held = (the: Effect.Success<ReturnType<typeof intakeScene.make>>) =>
    Effect.map(the.exposures.reserved([ID]), (reserved) => [...reserved.keys()])

  it.effect("keeps its reservation once it is stored", () =>
    Effect.gen(function* () {
      const the = yield* intakeScene.make()
      yield* the.submit()
      assert.deepStrictEqual(yield* held(the), [ID])
    })
  )

  it.effect("releases it if the database does not store the submission", () =>
    Effect.gen(function* () {
      const the = yield* intakeScene.make({ storing: Effect.fail(unavailable) })
      assert.deepStrictEqual(yield* Effect.flip(the.submit()), unavailable)
      assert.deepStrictEqual(yield* held(the), [])
    })
  )

  it.effect("releases it if its client leaves", () =>
    Effect.gen(function* () {
      const { started, step } = yield* silence
      const the = yield* intakeScene.make({ storing: step })
      const fiber = yield* Effect.forkChild(the.submit())
      yield* started
      assert.deepStrictEqual(yield* held(the), [ID])
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* held(the), [])
    })
  )

  it.effect("leaves the reservation to an identical one that is stored meanwhile", () =>
    Effect.gen(function* () {
      const { started, step } = yield* silence
      let isFirst = true
      const storing = Effect.suspend(() => {
        const isSilent = isFirst
        isFirst = false
        return isSilent ? step : Effect.void
      })
      const the = yield* intakeScene.make({ storing })
      const fiber = yield* Effect.forkChild(the.submit())
      yield* started
      yield* the.submit()
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(yield* the.status, "submitted")
      assert.deepStrictEqual(yield* held(the), [ID])
    })
  )

  it.effect("leaves the reservation to an identical one that is about to be stored, whichever stops", () =>
    Effect.gen(function* () {
      for (const stops of [0, 1]) {
        const { store, the } = yield* oneOfTwoStops(stops)
        assert.deepStrictEqual(yield* held(the), [ID])
        yield* store
        assert.strictEqual(yield* the.status, "submitted")
        assert.deepStrictEqual(yield* held(the), [ID])
      }
    })
  )

  it.effect("keeps its reservation when gas becomes so dear that an identical one would have no room", () =>
    Effect.gen(function* () {
      const { started, step } = yield* silence
      let isFirst = true
      const storing = Effect.suspend(() => {
        const isSilent = isFirst
        isFirst = false
        return isSilent ? step : Effect.fail(unavailable)
      })
      const the = yield* intakeScene.make({ storing })
      yield* Effect.forkChild(the.submit())
      yield* started
      const dear = 10n ** 15n
      yield* the.chain.setFees({ baseFeePerGas: dear, maxFeePerGas: 2n * dear, maxPriorityFeePerGas: 1n })
      assert.deepStrictEqual(yield* Effect.flip(the.submit()), unavailable)
      assert.deepStrictEqual(yield* held(the), [ID])
    })
  )

  it.effect("is answered although the release takes too long", () =>
    Effect.gen(function* () {
      const { started, step } = yield* silence
      const the = yield* intakeScene.make({ storing: Effect.fail(unavailable), releasing: step })
      const fiber = yield* Effect.forkChild(Effect.flip(the.submit()))
      yield* started
      yield* TestClock.adjust(2_000)
      assert.deepStrictEqual(yield* Fiber.join(fiber), unavailable)
    })
  )
})

describe("a submission over a bridge on trust", () => {
  const FREE = intakeScene.FLIGHT_LIMIT
  const LEFT = FREE - 40n * 10n ** 18n
  const room = ({ flights }: Effect.Success<ReturnType<typeof intakeScene.make>>) => flights.room("relay")

  it.effect("keeps its value once it is stored", () =>
    Effect.gen(function* () {
      const the = yield* intakeScene.make({ isOnTrust: true })
      yield* the.submit()
      assert.strictEqual(yield* room(the), LEFT)
    })
  )

  it.effect("releases it if the database does not store the submission", () =>
    Effect.gen(function* () {
      const the = yield* intakeScene.make({ isOnTrust: true, storing: Effect.fail(unavailable) })
      assert.deepStrictEqual(yield* Effect.flip(the.submit()), unavailable)
      assert.strictEqual(yield* room(the), FREE)
    })
  )

  it.effect("releases it if its client leaves", () =>
    Effect.gen(function* () {
      const { started, step } = yield* silence
      const the = yield* intakeScene.make({ isOnTrust: true, storing: step })
      const fiber = yield* Effect.forkChild(the.submit())
      yield* started
      assert.strictEqual(yield* room(the), LEFT)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(yield* room(the), FREE)
    })
  )

  it.effect("keeps it while an identical one that is about to be stored has reserved it, whichever stops", () =>
    Effect.gen(function* () {
      for (const stops of [0, 1]) {
        const { store, the } = yield* oneOfTwoStops(stops, { isOnTrust: true })
        assert.strictEqual(yield* room(the), LEFT)
        yield* store
        assert.strictEqual(yield* the.status, "submitted")
        assert.strictEqual(yield* room(the), LEFT)
      }
    })
  )
})

describe("a sweep of many tokens", () => {
  const made = Effect.fnUntraced(function* (changes: sweepScene.Changes) {
    const the = yield* sweepScene.make(changes)
    // Low enough that the budget has room for all legs.
    const fees = { baseFeePerGas: 10n ** 9n, maxFeePerGas: 2n * 10n ** 9n, maxPriorityFeePerGas: 1n }
    yield* (yield* the.chains.get(chain.id)).setFees(fees)
    const held = Effect.map(the.exposures.reserved(["a", "b", "relayed"]), (reserved) => [...reserved.keys()])
    return { ...the, held }
  })

  it.effect("releases its first legs if the database does not reserve the next one", () =>
    Effect.gen(function* () {
      let calls = 0
      const reserving = Effect.suspend(() => (++calls === 2 ? Effect.fail(unavailable) : Effect.void))
      const { held, submit } = yield* made({ reserving })
      assert.deepStrictEqual(yield* Effect.flip(submit(["a", "b"])), unavailable)
      assert.strictEqual(calls, 2)
      assert.deepStrictEqual(yield* held, [])
    })
  )

  it.effect("releases all legs if the database does not reserve their bridge", () =>
    Effect.gen(function* () {
      const flights = {
        room: () => Effect.succeed(0n),
        reserve: () => Effect.fail(unavailable),
        releaseQuoted: () => Effect.void
      }
      const { held, submit } = yield* made({ flights })
      assert.deepStrictEqual(yield* Effect.flip(submit(["a", "relayed"])), unavailable)
      assert.deepStrictEqual(yield* held, [])
    })
  )

  it.effect("releases the legs that stay quoted if another one was submitted meanwhile", () =>
    Effect.gen(function* () {
      const { held, submit } = yield* made({
        storing: (intents) => Effect.asVoid(Effect.orDie(intents.submit("b", submission())))
      })
      const refusal = yield* Effect.flip(submit(["a", "b"]))
      assert.deepInclude(refusal, { reason: "already_submitted" })
      assert.deepStrictEqual(yield* held, ["b"])
    })
  )

  it.effect("releases its bridge if another leg was submitted meanwhile", () =>
    Effect.gen(function* () {
      const { flights, submit } = yield* made({
        flightLimit: 10n ** 18n,
        storing: (intents) => Effect.asVoid(Effect.orDie(intents.submit("b", submission())))
      })
      assert.deepInclude(yield* Effect.flip(submit(["relayed", "b"])), {
        reason: "already_submitted"
      })
      assert.strictEqual(yield* flights.room("relay"), 10n ** 18n)
    })
  )

  it.effect("releases all legs if its client leaves", () =>
    Effect.gen(function* () {
      const { started, step } = yield* silence
      const { held, submit } = yield* made({ storing: () => step })
      const fiber = yield* Effect.forkChild(submit(["a", "b"]))
      yield* started
      assert.deepStrictEqual((yield* held).toSorted(), ["a", "b"])
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* held, [])
    })
  )
})
