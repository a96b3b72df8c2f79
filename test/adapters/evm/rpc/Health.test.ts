/** Heads far above all others, which may be those of another chain. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result, Scheduler } from "effect"
import * as Health from "../../../../src/adapters/evm/rpc/Health.ts"
import { EndpointFailed, type RpcFailure } from "../../../../src/adapters/evm/rpc/JsonRpc.ts"
import type { PacedEndpoint } from "../../../../src/adapters/evm/rpc/Paced.ts"
import { pass } from "./scriptedNodes.ts"

const OTHER = new EndpointFailed({ endpoint: "one", detail: "serves chain 0x1, not 31337", isOtherChain: true })

/** Endpoints whose checks of the chain take a second, and the count of those that began. */
const checked = (outcome: () => Effect.Effect<void, RpcFailure> = () => Effect.void, blockTimeMillis = 250) => {
  const checks = { begun: 0 }
  const recheck = Effect.suspend(() => {
    checks.begun += 1
    return Effect.andThen(Effect.sleep("1 second"), Effect.suspend(outcome))
  })
  const endpoint = (name: string): PacedEndpoint => ({
    name,
    request: () => Effect.succeed("0x"),
    requestAll: () => Effect.succeed([]),
    waitMillis: () => 0,
    recheck
  })
  const health = Health.make([endpoint("one"), endpoint("two")], blockTimeMillis)
  const [one, two] = health.endpoints
  assert.isDefined(one)
  assert.isDefined(two)
  return { checks, health, one, two }
}

describe("a head", () => {
  it.effect("is not checked if the chain may have made the blocks since the highest known one", () =>
    Effect.gen(function* () {
      for (const [blockTimeMillis, blocks] of [
        [250, 236n],
        [100, 590n],
        [12_000, 4n],
        [undefined, 236n]
      ] as const) {
        const { checks, health, one } = checked(undefined, blockTimeMillis)
        yield* health.recordHeight(one, 1_000n)
        yield* pass("59 seconds")
        yield* health.recordHeight(one, 1_100n + blocks)
        assert.strictEqual(checks.begun, 0)
        assert.strictEqual(yield* health.heightOf(one), 1_100n + blocks)
      }
    })
  )

  it.effect("is checked if it has more blocks than the chain may have made", () =>
    Effect.gen(function* () {
      for (const [blockTimeMillis, blocks] of [
        [250, 236n],
        [12_000, 4n]
      ] as const) {
        const { checks, health, one, two } = checked(undefined, blockTimeMillis)
        yield* health.recordHeight(one, 1_000n)
        yield* pass("59 seconds")
        const recording = yield* Effect.forkChild(health.recordHeight(two, 1_101n + blocks))
        yield* pass("1 second")
        yield* Fiber.join(recording)
        assert.strictEqual(checks.begun, 1)
      }
    })
  )

  it.effect("is judged by the age of the highest known one, not of a lower one", () =>
    Effect.gen(function* () {
      const { checks, health, one, two } = checked(undefined, 250)
      yield* health.recordHeight(one, 1_000n)
      yield* pass("50 seconds")
      yield* health.recordHeight(two, 1_001n)
      const recording = yield* Effect.forkChild(health.recordHeight(one, 1_102n))
      yield* pass("1 second")
      yield* Fiber.join(recording)
      assert.strictEqual(checks.begun, 1)
    })
  )
})

describe("the check of an endpoint with a head far above the others", () => {
  it.effect("is shared by all that wait for it", () =>
    Effect.gen(function* () {
      const { checks, health, one } = checked()
      yield* health.recordHeight(one, 100n)
      const recording = yield* Effect.forEach([5_000n, 5_001n, 5_002n], (height) =>
        Effect.forkChild(health.recordHeight(one, height))
      )
      yield* pass("1 second")
      yield* Fiber.joinAll(recording)
      assert.strictEqual(checks.begun, 1)
      assert.strictEqual(yield* health.heightOf(one), 5_002n)
    })
  )

  it.effect("fails for all that wait for it", () =>
    Effect.gen(function* () {
      const { checks, health, one } = checked(() => Effect.fail(OTHER))
      yield* health.recordHeight(one, 100n)
      const recording = yield* Effect.forEach([5_000n, 5_001n, 5_002n], (height) =>
        Effect.forkChild(Effect.result(health.recordHeight(one, height)))
      )
      yield* pass("1 second")
      for (const outcome of yield* Fiber.joinAll(recording)) assert.deepStrictEqual(outcome, Result.fail(OTHER))
      assert.strictEqual(checks.begun, 1)
      assert.isUndefined(yield* health.heightOf(one))
    })
  )

  it.effect("proves nothing about a head that came after it began and is far above the checked one", () =>
    Effect.gen(function* () {
      let answers = 0
      const { checks, health, one } = checked(() => (++answers === 1 ? Effect.void : Effect.fail(OTHER)))
      yield* health.recordHeight(one, 100n)
      const honest = yield* Effect.forkChild(health.recordHeight(one, 5_000n))
      yield* pass("500 millis")
      const foreign = yield* Effect.forkChild(Effect.result(health.recordHeight(one, 1_000_000n)))
      yield* pass("500 millis")
      yield* Fiber.join(honest)
      yield* pass("1 second")
      assert.deepStrictEqual(yield* Fiber.join(foreign), Result.fail(OTHER))
      assert.strictEqual(checks.begun, 2)
    })
  )

  it.effect("is made again for those that wait for it if its own caller leaves", () =>
    Effect.gen(function* () {
      const { checks, health, one } = checked()
      yield* health.recordHeight(one, 100n)
      const leaving = yield* Effect.forkChild(health.recordHeight(one, 5_000n))
      yield* pass("500 millis")
      const staying = yield* Effect.forkChild(health.recordHeight(one, 5_001n))
      yield* pass("0 millis")
      yield* Fiber.interrupt(leaving)
      yield* pass("1 second")
      yield* Fiber.join(staying)
      assert.strictEqual(checks.begun, 2)
      assert.strictEqual(yield* health.heightOf(one), 5_001n)
    })
  )

  it.effect("ends for those that wait for it, whenever its own caller leaves", () =>
    Effect.gen(function* () {
      const later: Array<Fiber.Fiber<void, RpcFailure>> = []
      for (let operations = 3; operations <= 30; operations++) {
        for (let turns = 0; turns <= 30; turns++) {
          const { health, one } = checked()
          yield* health.recordHeight(one, 100n)
          const leaving = yield* health
            .recordHeight(one, 5_000n)
            .pipe(Effect.provideService(Scheduler.MaxOpsBeforeYield, operations), Effect.forkChild)
          for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow
          yield* Fiber.interrupt(leaving)
          later.push(yield* Effect.forkChild(health.recordHeight(one, 5_001n)))
        }
      }
      yield* pass("1 second")
      assert.strictEqual(later.filter((fiber) => fiber.pollUnsafe() === undefined).length, 0)
    })
  )
})
