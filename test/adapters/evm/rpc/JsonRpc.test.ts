/** Checks of an endpoint's chain whose answers come late or in another order. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { type Endpoint, verified } from "../../../../src/adapters/evm/rpc/JsonRpc.ts"
import { at, Current, type Priority } from "../../../../src/ports/shared/Priority.ts"
import { settled } from "../../../support/EventLoop.ts"

const CHAIN = 1
const RIGHT = "0x1"
const OTHER = "0x2"

/** An endpoint whose checks a test answers, and the priority of each request. */
const scene = Effect.gen(function* () {
  const checks: Array<Deferred.Deferred<string>> = []
  const priorities: Array<readonly [string, Priority]> = []
  const bare: Endpoint = {
    name: "node",
    request: Effect.fnUntraced(function* (method) {
      priorities.push([method, yield* Current])
      if (method !== "eth_chainId") return "0x10"
      const check = yield* Deferred.make<string>()
      checks.push(check)
      return yield* Deferred.await(check)
    }),
    requestAll: () => Effect.succeed([])
  }
  const endpoint = yield* verified(bare, CHAIN)
  const answer = (index: number, chainId: string) =>
    Effect.andThen(Deferred.succeed(checks[index] ?? assert.fail("no such check"), chainId), settled)
  /** Begins a check. */
  const check = Effect.tap(Effect.forkChild(Effect.result(endpoint.recheck)), () => settled)
  const ask = endpoint.request("eth_getBalance", [])
  return { answer, ask, check, checks, endpoint, priorities }
})

describe("a check of the chain", () => {
  it.effect("has the highest priority, whoever needs it", () =>
    Effect.gen(function* () {
      const { answer, ask, priorities } = yield* scene
      const low = yield* Effect.forkChild(at("portfolio")(ask))
      yield* settled
      const high = yield* Effect.forkChild(at("relay")(ask))
      yield* settled
      assert.deepStrictEqual(priorities, [["eth_chainId", "relay"]])
      yield* answer(0, RIGHT)
      yield* Fiber.joinAll([low, high])
      assert.deepStrictEqual(
        priorities
          .slice(1)
          .map(([, priority]) => priority)
          .toSorted(),
        ["portfolio", "relay"]
      )
    })
  )

  it.effect("does not undo one that began later and found another chain", () =>
    Effect.gen(function* () {
      const { answer, ask, check, checks } = yield* scene
      const first = yield* check
      const second = yield* check
      yield* answer(1, OTHER)
      yield* answer(0, RIGHT)
      assert.deepStrictEqual(
        [(yield* Fiber.join(first))._tag, (yield* Fiber.join(second))._tag],
        ["Failure", "Failure"]
      )
      const asking = yield* Effect.forkChild(Effect.result(ask))
      yield* settled
      assert.lengthOf(checks, 3, "the next request waits for a check")
      yield* answer(2, RIGHT)
      assert.strictEqual((yield* Fiber.join(asking))._tag, "Success")
    })
  )

  it.effect("counts if it began after one that found another chain, also in the same millisecond", () =>
    Effect.gen(function* () {
      const { answer, ask, check } = yield* scene
      yield* check
      yield* check
      yield* answer(0, OTHER)
      yield* answer(1, RIGHT)
      assert.strictEqual(yield* ask, "0x10")
    })
  )
})
