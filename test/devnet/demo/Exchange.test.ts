import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as Exchange from "../../../src/devnet/demo/Exchange.ts"

const Answer = Schema.Struct({ id: Schema.String })

/** Answers requests with these responses in order, the last one from then on. */
const answering = (...responses: ReadonlyArray<() => Response>) => {
  let asked = 0
  const layer = Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request) =>
      Effect.sync(() => {
        const respond = responses[Math.min(asked, responses.length - 1)]
        asked += 1
        return HttpClientResponse.fromWeb(request, respond?.() ?? new Response())
      })
    )
  )
  return { layer, asked: () => asked }
}

const busy = (status: number) => () =>
  new Response('{"error":"chain unavailable"}', { status, headers: { "retry-after": "2" } })
const well = () => new Response('{"id":"a"}')

const sent = Effect.flatMap(Exchange.make, (send) => send(HttpClientRequest.post("http://127.0.0.1/quote"), Answer))

describe("Exchange", () => {
  for (const status of [429, 503]) {
    it.effect(`sends a request again when a ${status} says that it may`, () =>
      Effect.gen(function* () {
        const { asked, layer } = answering(busy(status), busy(status), well)
        const fiber = yield* Effect.forkChild(Effect.provide(sent, layer))
        yield* TestClock.adjust("3999 millis")
        assert.strictEqual(asked(), 2)
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual(yield* Fiber.join(fiber), { id: "a" })
      })
    )
  }

  it.effect("gives up on a service that stays busy", () =>
    Effect.gen(function* () {
      const { asked, layer } = answering(busy(503))
      const fiber = yield* Effect.forkChild(Effect.flip(Effect.provide(sent, layer)))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(
        (yield* Fiber.join(fiber)).message,
        'POST http://127.0.0.1/quote: 503 {"error":"chain unavailable"}'
      )
      assert.strictEqual(asked(), 6)
    })
  )

  it.effect("sends nothing again that was refused for good", () =>
    Effect.gen(function* () {
      const { asked, layer } = answering(() => new Response('{"error":"internal error"}', { status: 422 }), well)
      const { message } = yield* Effect.flip(Effect.provide(sent, layer))
      assert.strictEqual(message, 'POST http://127.0.0.1/quote: 422 {"error":"internal error"}')
      assert.strictEqual(asked(), 1)
    })
  )
})
