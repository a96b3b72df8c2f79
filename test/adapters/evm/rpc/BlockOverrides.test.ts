import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as BlockOverrides from "../../../../src/adapters/evm/rpc/BlockOverrides.ts"
import { type Endpoint, EndpointFailed, RpcError, type RpcFailure } from "../../../../src/adapters/evm/rpc/JsonRpc.ts"

const NUMBER = `0x${"2a2a2a2a2a2a".padStart(64, "0")}`

/** An endpoint that answers calls as `answer` says, and the number of calls. */
const endpointOf = (answer: (params: ReadonlyArray<unknown>) => Effect.Effect<unknown, RpcFailure>) => {
  const endpoint: Endpoint & { calls: number } = {
    name: "node",
    calls: 0,
    request: (_, params) =>
      Effect.suspend(() => {
        endpoint.calls++
        return answer(params)
      }),
    requestAll: () => Effect.die("nobody asks for many")
  }
  return endpoint
}

const refusal = new RpcError({ endpoint: "node", code: -32_602, text: "too many arguments", data: undefined })

describe("BlockOverrides", () => {
  it.effect("are taken by a node that runs the call in the other block", () =>
    Effect.gen(function* () {
      const takes = endpointOf(() => Effect.succeed(NUMBER))
      const ignores = endpointOf(() => Effect.succeed(`0x${"64".padStart(64, "0")}`))
      const refuses = endpointOf(() => Effect.fail(refusal))
      const { areTaken } = yield* BlockOverrides.make([takes, ignores, refuses])
      assert.deepStrictEqual(yield* Effect.forEach([takes, ignores, refuses], areTaken), [true, false, false])
      assert.deepStrictEqual(yield* Effect.forEach([takes, ignores, refuses], areTaken), [true, false, false])
      yield* TestClock.adjust(Duration.minutes(4))
      assert.deepStrictEqual(yield* Effect.forEach([takes, ignores, refuses], areTaken), [true, false, false])
      assert.deepStrictEqual([takes.calls, ignores.calls, refuses.calls], [1, 2, 2])
      yield* TestClock.adjust(Duration.minutes(55))
      assert.deepStrictEqual(yield* Effect.forEach([takes, ignores, refuses], areTaken), [true, false, false])
      assert.deepStrictEqual([takes.calls, ignores.calls, refuses.calls], [1, 3, 3], "the others may take them by now")
      yield* TestClock.adjust(Duration.minutes(2))
      yield* areTaken(takes)
      assert.strictEqual(takes.calls, 2)
    })
  )

  it.effect("are asked for again after one refusal", () =>
    Effect.gen(function* () {
      let isRefused = true
      const endpoint = endpointOf(() => (isRefused ? Effect.fail(refusal) : Effect.succeed(NUMBER)))
      const { areTaken } = yield* BlockOverrides.make([endpoint])
      assert.isFalse(yield* areTaken(endpoint))
      isRefused = false
      assert.isTrue(yield* areTaken(endpoint))
    })
  )

  it.effect("are left out while a node does not answer, and asked for again", () =>
    Effect.gen(function* () {
      let isDown = true
      const endpoint = endpointOf(() =>
        isDown ? Effect.fail(new EndpointFailed({ endpoint: "node", detail: "down" })) : Effect.succeed(NUMBER)
      )
      const { areTaken } = yield* BlockOverrides.make([endpoint])
      assert.isFalse(yield* areTaken(endpoint))
      isDown = false
      assert.isTrue(yield* areTaken(endpoint))
    })
  )
})
