/** Valuations of a fee beside the search for its routes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Ref } from "effect"
import { TestClock } from "effect/testing"
import * as Valuing from "../../../src/orchestrator/quote/Valuing.ts"
import { SimulationFailed } from "../../../src/ports/orchestrator/SweepSimulation.ts"
import * as Quoting from "../../support/Quoting.ts"
import { FAIR, make, UNLISTED } from "./unlistedScene.ts"

/** Valuations that do not end, and the names of those that began and were stopped. */
const scene = () => {
  const events: Array<string> = []
  const valuation = (name: string, value: Effect.Effect<string> = Effect.never) =>
    Effect.sync(() => events.push(`began ${name}`)).pipe(
      Effect.andThen(value),
      Effect.onInterrupt(() => Effect.sync(() => events.push(`stopped ${name}`)))
    )
  return { events, valuation }
}

describe("a valuation", () => {
  it.effect("runs at once, and is waited for where its outcome is needed, as often as that is", () =>
    Effect.gen(function* () {
      const { events, valuation } = scene()
      const begin = yield* Valuing.make
      const worth = yield* begin(valuation("a", Effect.succeed("worth")))
      yield* Effect.yieldNow
      assert.deepStrictEqual(events, ["began a"])
      assert.deepStrictEqual([yield* worth, yield* worth], ["worth", "worth"])
      assert.deepStrictEqual(events, ["began a"])
      const failed = yield* begin(Effect.fail("unknown"))
      assert.deepStrictEqual(yield* Effect.exit(failed), Exit.fail("unknown"))
    }).pipe(Effect.scoped)
  )

  it.effect("has stopped before the next one begins, and is made again if its outcome is needed after all", () =>
    Effect.gen(function* () {
      const { events, valuation } = scene()
      const begin = yield* Valuing.make
      let isKnown = false
      const first = yield* begin(
        valuation(
          "a",
          Effect.suspend(() => (isKnown ? Effect.succeed("a") : Effect.never))
        )
      )
      yield* Effect.yieldNow
      yield* begin(valuation("b"))
      yield* Effect.yieldNow
      assert.deepStrictEqual(events, ["began a", "stopped a", "began b"])
      isKnown = true
      assert.deepStrictEqual([yield* first, yield* first], ["a", "a"])
      assert.deepStrictEqual(events.slice(3), ["stopped b", "began a"])
    }).pipe(Effect.scoped)
  )

  it.effect("ends with its quote, before what comes after that", () =>
    Effect.gen(function* () {
      const { events, valuation } = scene()
      yield* Valuing.make.pipe(
        Effect.flatMap((begin) => begin(valuation("a"))),
        Effect.andThen(Effect.yieldNow),
        Effect.andThen(Effect.fail("no route")),
        Effect.scoped,
        Effect.onError(() => Effect.sync(() => events.push("withdrawn"))),
        Effect.ignore
      )
      assert.deepStrictEqual(events, ["began a", "stopped a", "withdrawn"])
    })
  )
})

describe("the fee of an order that is offered", () => {
  it.effect("is promised last, although the fee of another pricing was being promised when that failed", () =>
    Effect.gen(function* () {
      const promised: Array<bigint> = []
      let asked = 0
      // The statement of the second pricing is on its way when its rehearsal fails, and a database carries it out.
      const slowly =
        <Fee extends { readonly amount: bigint }, A, E>(write: (fee: Fee) => Effect.Effect<A, E>) =>
        (fee: Fee) =>
          Effect.gen(function* () {
            asked++
            yield* Effect.sleep(asked === 3 ? 50 : 1)
            promised.push(fee.amount)
            return yield* write(fee)
          }).pipe(Effect.uninterruptible)
      const scene = yield* make(100n, {
        promises: ({ promise, record, withdraw }) => ({
          withdraw,
          promise: slowly(promise),
          record: slowly(record)
        })
      })
      // A pool: the fee counts for its share of what others promise beside it.
      yield* Ref.set(scene.feeRates, new Map([[UNLISTED, [FAIR, Quoting.WHOLE, 3_000_000n * Quoting.WHOLE]]]))
      // Covered, and so far below the assumption that the order is priced again.
      scene.script.gas = () => 150_000n
      scene.script.simulationMillis = 10
      const failed = new SimulationFailed({ detail: "SwapFailed", revert: "SwapFailed" })
      Object.defineProperty(scene.script, "simulationFails", {
        get: () => (scene.asked.simulated.length > 1 ? failed : undefined)
      })
      const quoting = yield* Effect.forkChild(scene.quote({ tokenIn: UNLISTED, tier: "tier3" }))
      for (let step = 0; step < 100; step++) yield* TestClock.adjust(1)
      const { order } = yield* Fiber.join(quoting)
      const [whole, needed, other] = promised
      assert.strictEqual(whole, order.feeAmount)
      assert.notStrictEqual(other, whole)
      assert.deepStrictEqual(promised, [whole, needed, other, needed])
    })
  )
})
