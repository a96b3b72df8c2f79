/** Requests that try `eth_getLogs` again at an endpoint that has switched it off. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { EndpointFailed, RateLimited, type RpcFailure } from "../../../../src/adapters/evm/rpc/JsonRpc.ts"
import * as Paced from "../../../../src/adapters/evm/rpc/Paced.ts"
import * as RefusedMethod from "../../../../src/adapters/evm/rpc/RefusedMethod.ts"
import { at } from "../../../../src/ports/shared/Priority.ts"
import { runOut } from "./refusingNodes.ts"

describe("a probe of a method that is switched off", () => {
  const limited = new RateLimited({ endpoint: "one", detail: "limit exceeded", retryAfterMillis: undefined })

  /** An endpoint that has switched logs off, at the time at which they are tried again. */
  const switchedOff = Effect.gen(function* () {
    let logs: Effect.Effect<unknown, RpcFailure> = Effect.fail(limited)
    let sent = 0
    const endpoint = yield* Paced.make(
      {
        name: "one",
        request: (method) =>
          Effect.suspend(() => {
            if (method !== RefusedMethod.METHOD) return Effect.succeed("0x1")
            sent += 1
            return logs
          }),
        requestAll: () => Effect.succeed([])
      },
      { requestsPerSecond: 5 },
      1
    )
    const other = endpoint.request("eth_blockNumber", [])
    const read = Effect.result(endpoint.request(RefusedMethod.METHOD, []))
    for (let refusal = 0; refusal < 3; refusal++) {
      const asking = yield* Effect.forkChild(Effect.andThen(read, other))
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(asking)
    }
    assert.strictEqual((yield* read)._tag, "Failure")
    assert.strictEqual(sent, 3, "it is switched off")
    yield* TestClock.adjust("1 minute")
    return {
      other,
      read,
      sent: () => sent,
      replies: (reply: Effect.Effect<unknown, RpcFailure>) => {
        logs = reply
      }
    }
  })

  /** The method is asked for, and answered, a second later. */
  const triedAgain = Effect.fnUntraced(function* (the: Effect.Success<typeof switchedOff>) {
    the.replies(Effect.succeed([]))
    const before = the.sent()
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* the.read)._tag, "Success")
    assert.strictEqual(the.sent(), before + 1)
  })

  it.effect("that the budget refuses is made by the next request", () =>
    Effect.gen(function* () {
      const the = yield* switchedOff
      const others = yield* Effect.forkChild(
        at("quote")(
          Effect.forEach(
            Array.from({ length: 13 }, () => the.other),
            (other) => other,
            { concurrency: "unbounded", discard: true }
          )
        )
      )
      yield* TestClock.adjust(1)
      const refused = yield* at("portfolio")(the.read)
      assert.include(refused._tag === "Failure" ? refused.failure.message : "", "budget")
      assert.strictEqual(the.sent(), 3, "it is not sent")
      yield* runOut(others)
      yield* triedAgain(the)
    })
  )

  it.effect("that is interrupted, and was the only one until then, is made by the next request", () =>
    Effect.gen(function* () {
      const the = yield* switchedOff
      the.replies(Effect.never)
      const probe = yield* Effect.forkChild(the.read)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* the.read)._tag, "Failure")
      assert.strictEqual(the.sent(), 4)
      yield* Fiber.interrupt(probe)
      yield* triedAgain(the)
    })
  )

  it.effect("that the endpoint does not answer is made again a second later", () =>
    Effect.gen(function* () {
      const the = yield* switchedOff
      the.replies(Effect.fail(new EndpointFailed({ endpoint: "one", detail: "connection refused" })))
      yield* the.read
      yield* the.read
      assert.strictEqual(the.sent(), 4)
      yield* triedAgain(the)
    })
  )

  it.effect("that is refused is not made again for a minute", () =>
    Effect.gen(function* () {
      const the = yield* switchedOff
      yield* the.read
      yield* TestClock.adjust("59 seconds")
      yield* the.read
      assert.strictEqual(the.sent(), 4)
    })
  )
})
