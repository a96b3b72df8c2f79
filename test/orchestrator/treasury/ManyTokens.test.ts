import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { checksumAddress, numberToHex } from "viem"
import * as Address from "../../../src/domain/Address.ts"
import * as Scene from "../../support/TreasuryScene.ts"
import { LST } from "../../support/TreasuryScene.ts"
import { chain, WHOLE } from "../../support/TreasuryScript.ts"

/** Time after which a running treasury has begun a due round, and then carried its sales on. */
const LOOK = "31 seconds"

const MANY = 1_000

/** Unlisted tokens without a price. Their addresses are below the listed one's. */
const junk = (index: number): Address.Address => Address.of(numberToHex(index + 1, { size: 20 }))

type Made = Effect.Success<ReturnType<typeof Scene.make>>

/** Fees in many unlisted tokens and in a listed one, on a chain that takes 50 ms for an answer. */
const crowded = Effect.fnUntraced(function* (options: Scene.Options = {}) {
  const scene: Made = yield* Scene.make(options)
  scene.script.callMillis = 50
  yield* scene.collectMany(
    Array.from({ length: MANY }, (_, index) => junk(index)),
    WHOLE
  )
  yield* scene.collect("listed", LST, 100n * WHOLE)
  return scene
})

/** Runs a request while time passes, and returns its answer with the milliseconds that it took. */
const timed = Effect.fnUntraced(function* <A, E>(request: Effect.Effect<A, E>) {
  const running = yield* Effect.forkChild(request)
  for (let millis = 0; ; millis += 50) {
    if (running.pollUnsafe() !== undefined) return { answer: yield* Fiber.join(running), millis }
    yield* TestClock.adjust(50)
  }
})

describe("fees in many tokens", () => {
  it.effect("leave time to sell one of them", () =>
    Effect.gen(function* () {
      const scene = yield* crowded()
      yield* scene.start
      yield* TestClock.adjust(LOOK)
      assert.deepStrictEqual(scene.asked.submitted, ["sale-1"])
    })
  )

  it.effect("are shown with their balances in the time of a response", () =>
    Effect.gen(function* () {
      const scene = yield* crowded({ key: "none" })
      const { treasury } = yield* scene.start
      const { answer, millis } = yield* timed(treasury.view)
      assert.isAtMost(millis, 2_000)
      assert.deepStrictEqual(answer.unavailableChains, [])
      assert.strictEqual(answer.entries.filter(({ held }) => held !== undefined).length, MANY + 1)
    })
  )

  it.effect("leave a plan for a Safe in the time of a response", () =>
    Effect.gen(function* () {
      const scene = yield* crowded({ key: "none" })
      const { treasury } = yield* scene.start
      const { answer, millis } = yield* timed(treasury.safePlan(chain.id))
      assert.isAtMost(millis, 4_000)
      assert.lengthOf(Object.values(answer.batch["transactions"] ?? {}), 2)
    })
  )

  it.effect("leave a plan for a Safe in the time of a response when exchanges are slow, the most valuable first", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make({ key: "none" })
      const tokens = Array.from({ length: 40 }, (_, index) => junk(index))
      for (const token of tokens) scene.script.prices.set(token, 10n ** 18n)
      yield* scene.collectMany(tokens, 100n * WHOLE)
      yield* scene.collect("most", LST, 1_000n * WHOLE)
      scene.script.venueMillis = 400
      const { treasury } = yield* scene.start
      const { answer, millis } = yield* timed(treasury.safePlan(chain.id))
      assert.isAtMost(millis, 4_000)
      const calls = Object.values(answer.batch["transactions"] ?? {})
      assert.deepInclude(calls[0], { to: checksumAddress(LST) })
      assert.strictEqual(calls.length / 2 + answer.leftOut.length, tokens.length + 1)
      assert.include(answer.leftOut[0]?.detail, "in time")
    })
  )
})
