/** A service that falls silent does not hold up a tool call. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { bare, call, textOf } from "./inProcess.ts"

const ID = "6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b4a"

/** Calls a tool whose request is answered by `answer`. Returns once the request is sent, with the signal of its connection. */
const calling = Effect.fnUntraced(function* (
  name: string,
  args: Record<string, unknown>,
  answer: Effect.Effect<Response>
) {
  const sent = yield* Deferred.make<AbortSignal>()
  const network = Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request, _, signal) =>
      Effect.andThen(
        Deferred.succeed(sent, signal),
        Effect.map(answer, (response) => HttpClientResponse.fromWeb(request, response))
      )
    )
  )
  const call_ = yield* Effect.forkChild(call(bare, name, args, network))
  return { call: call_, signal: yield* Deferred.await(sent) }
})

/** A response whose body stops in the middle. */
const halfSent = Effect.sync(() => {
  const body = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode('{"id":')) })
  return new Response(body, { headers: { "content-type": "application/json" } })
})

describe("a request of a tool", () => {
  it.effect("ends 30 seconds after it was sent, with its connection, if headers or body do not arrive", () =>
    Effect.gen(function* () {
      for (const answer of [Effect.never, halfSent]) {
        const { call, signal } = yield* calling("get_intent_status", { id: ID }, answer)
        yield* TestClock.adjust("29999 millis")
        assert.isFalse(signal.aborted)
        assert.isUndefined(call.pollUnsafe())
        yield* TestClock.adjust("1 millis")
        assert.isTrue(signal.aborted)
        const result = yield* Fiber.join(call)
        assert.isTrue(result.isError)
        assert.include(textOf(result), "does not respond")
      }
    })
  )

  it.effect("that submits may have been accepted if it ends so", () =>
    Effect.gen(function* () {
      const sweep = { quoteIds: [ID], signature: "0x12", authorizations: [] }
      const { call } = yield* calling("submit_sweep", sweep, Effect.never)
      yield* TestClock.adjust("30 seconds")
      assert.include(textOf(yield* Fiber.join(call)), "may have been submitted")
    })
  )

  it.effect("returns a response that arrives in time", () =>
    Effect.gen(function* () {
      const notFound = Effect.sync(() => Response.json({ error: "not found" }, { status: 404 }))
      const { call } = yield* calling("get_intent_status", { id: ID }, Effect.delay(notFound, "29 seconds"))
      yield* TestClock.adjust("29 seconds")
      assert.include(textOf(yield* Fiber.join(call)), `There is no intent ${ID}`)
    })
  )
})
