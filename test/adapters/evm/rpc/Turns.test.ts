import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Scheduler } from "effect"
import { TestClock } from "effect/testing"
import * as Turns from "../../../../src/adapters/evm/rpc/Turns.ts"
import { at, type Priority } from "../../../../src/ports/shared/Priority.ts"
import { pass } from "./scriptedNodes.ts"

const cost = { requests: 1, computeUnits: 20 }

/** Turns at an endpoint whose burst is used up, and the order in which takers get their turns. */
const busy = Effect.fnUntraced(function* (requestsPerSecond: number) {
  const turns = Turns.make({ requestsPerSecond }, yield* Clock.currentTimeMillis)
  for (let index = 0; index < requestsPerSecond; index++) yield* turns.take(cost)
  const order: Array<string> = []
  const taker = (priority: Priority, name: string = priority) =>
    Effect.forkChild(at(priority)(Effect.tap(turns.take(cost), () => Effect.sync(() => order.push(name)))), {
      startImmediately: true
    })
  return { turns, order, taker }
})

/** Lets a fiber, or one that it starts, yield once: at the operation of this number. */
class YieldingAt extends Scheduler.MixedScheduler {
  private operations = 0
  private readonly operation: number
  constructor(operation: number) {
    super()
    this.operation = operation
  }
  override shouldYield() {
    this.operations += 1
    return this.operations === this.operation
  }
}

/** Operations of two takes and the fibers that give the turns, with a margin. */
const OPERATIONS = 120

/** Runs `interleaved` once for each operation at which fibers may yield. Returns the operations at which it was false. */
const failing = (interleaved: (scheduler: Scheduler.Scheduler) => Effect.Effect<boolean, number>) =>
  Effect.filter(
    Array.from({ length: OPERATIONS }, (_, index) => index + 1),
    (operation) => Effect.map(interleaved(new YieldingAt(operation)), (isRight) => !isRight)
  )

describe("turns", () => {
  it.effect("are given at once while the budget allows it", () =>
    Effect.gen(function* () {
      const turns = Turns.make({ requestsPerSecond: 5 }, 0)
      for (let index = 0; index < 5; index++) assert.strictEqual(yield* turns.take(cost), 0)
      assert.isAbove(turns.waitOf(cost, "relay", 0), 0)
    })
  )

  it.effect("go to the highest priority first", () =>
    Effect.gen(function* () {
      const { order, taker } = yield* busy(10)
      for (const priority of ["portfolio", "quote", "watch", "intake", "relay"] as const) yield* taker(priority)
      yield* TestClock.adjust("510 millis")
      assert.deepStrictEqual(order, ["relay", "intake", "watch", "quote", "portfolio"])
    })
  )

  it.effect("come to the lowest priority as well, however many others there are", () =>
    Effect.gen(function* () {
      const { order, taker } = yield* busy(10)
      yield* taker("portfolio")
      for (let round = 0; round < 100; round++) {
        yield* taker("relay")
        yield* TestClock.adjust("90 millis")
        if (order.includes("portfolio")) break
      }
      assert.include(order, "portfolio")
      assert.isAtMost(order.length, 8)
    })
  )

  it.effect("are refused at once to a request that would wait longer than its priority does", () =>
    Effect.gen(function* () {
      const { taker, turns } = yield* busy(1)
      yield* taker("relay")
      yield* taker("relay")
      assert.strictEqual(yield* Effect.flip(at("portfolio")(turns.take(cost))), 3_000)
      // The relayer waits longer.
      const waits = yield* taker("relay")
      yield* TestClock.adjust("3 seconds")
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(waits)))
    })
  )

  it.effect("end at a deadline", () =>
    Effect.gen(function* () {
      const { taker, turns } = yield* busy(1)
      const late = yield* taker("portfolio")
      // Requests of higher priority arrive before it has its turn.
      for (let index = 0; index < 3; index++) yield* taker("relay")
      yield* TestClock.adjust("1300 millis")
      assert.isTrue(Exit.isFailure(yield* Fiber.await(late)))
      yield* TestClock.adjust("3 seconds")
      // The deadline gave its place back.
      assert.strictEqual(turns.waitOf(cost, "portfolio", yield* Clock.currentTimeMillis), 0)
    })
  )

  it.effect("are given back by a request that is interrupted", () =>
    Effect.gen(function* () {
      const { order, taker } = yield* busy(10)
      const first = yield* taker("quote", "first")
      yield* taker("quote", "second")
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust("100 millis")
      assert.deepStrictEqual(order, ["second"])
    })
  )

  it.effect("come to each request, wherever fibers yield to each other", () =>
    Effect.gen(function* () {
      const hung = yield* failing((scheduler) =>
        Effect.gen(function* () {
          const { turns } = yield* busy(20)
          // The second request arrives while the first one has its turn.
          const taken = Effect.andThen(turns.take(cost), Effect.andThen(Effect.yieldNow, turns.take(cost)))
          const fiber = yield* Effect.forkChild(Effect.provideService(taken, Scheduler.Scheduler, scheduler))
          for (let step = 0; step < 3; step++) yield* pass("50 millis")
          const hasEnded = fiber.pollUnsafe() !== undefined
          yield* Fiber.interrupt(fiber)
          return hasEnded
        })
      )
      assert.deepStrictEqual(hung, [])
    })
  )

  it.effect("come to the next request wherever one is interrupted", () =>
    Effect.gen(function* () {
      const hung = yield* failing((scheduler) =>
        Effect.gen(function* () {
          const { order, taker, turns } = yield* busy(5)
          const first = yield* Effect.forkChild(
            Effect.provideService(turns.take(cost), Scheduler.Scheduler, scheduler),
            {
              startImmediately: true
            }
          )
          yield* Fiber.interrupt(first)
          const second = yield* taker("relay")
          yield* pass("200 millis")
          yield* Fiber.interrupt(second)
          return order.length === 1
        })
      )
      assert.deepStrictEqual(hung, [])
    })
  )
})
