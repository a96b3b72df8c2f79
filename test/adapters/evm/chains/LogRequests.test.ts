/** Requests of one read of logs, for which endpoints wait. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Scheduler } from "effect"
import * as LogRequests from "../../../../src/adapters/evm/chains/LogRequests.ts"
import type { Endpoint } from "../../../../src/adapters/evm/rpc/JsonRpc.ts"
import { pass } from "../rpc/scriptedNodes.ts"

const endpoint = (name: string): Endpoint => ({
  name,
  request: () => Effect.succeed("0x"),
  requestAll: () => Effect.succeed([])
})

const [ONE, TWO, THREE] = [endpoint("one"), endpoint("two"), endpoint("three")]

/** Takes this long, and its request counts or not. */
const using = (millis: number, counts: boolean) => (taken: LogRequests.Taken) =>
  Effect.suspend(() => {
    taken.counts = counts
    return Effect.sleep(millis)
  })

describe("a request of a read", () => {
  it.effect("is given back if it does not count, to one endpoint alone", () =>
    Effect.gen(function* () {
      const requests = LogRequests.make(1)
      const take = (who: Endpoint, millis: number, counts: boolean) =>
        Effect.forkChild(LogRequests.withRequest(requests, who, using(millis, counts)))
      const one = yield* take(ONE, 100, false)
      yield* pass("0 millis")
      const two = yield* take(TWO, 100, true)
      const three = yield* take(THREE, 100, true)
      yield* pass("100 millis")
      assert.isDefined(one.pollUnsafe())
      assert.strictEqual(requests.left, 0)
      assert.strictEqual(requests.underWay.size, 1)
      yield* pass("100 millis")
      yield* Fiber.join(two)
      assert.strictEqual((yield* Effect.flip(Fiber.join(three)))._tag, "NoRequestLeft")
      assert.deepStrictEqual([...requests.short], [THREE])
    })
  )

  it.effect("is never left under way, whenever its endpoint leaves", () =>
    Effect.gen(function* () {
      for (let operations = 3; operations <= 30; operations++) {
        for (let turns = 0; turns <= 30; turns++) {
          const requests = LogRequests.make(1)
          const leaving = yield* LogRequests.withRequest(requests, ONE, using(1_000, false)).pipe(
            Effect.provideService(Scheduler.MaxOpsBeforeYield, operations),
            Effect.forkChild
          )
          for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow
          yield* Fiber.interrupt(leaving)
          assert.deepStrictEqual([requests.left, requests.underWay.size], [1, 0])
        }
      }
    })
  )
})
