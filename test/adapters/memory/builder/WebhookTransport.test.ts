import { assert, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import * as MemoryWebhookTransport from "../../../../src/adapters/memory/builder/WebhookTransport.ts"
import { WebhookTransport } from "../../../../src/ports/builder/WebhookTransport.ts"

const request = { url: "https://example.com/hook", headers: { "webhook-id": "1" }, body: "{}" }

it.effect("keeps every request, and responds as the test says", () =>
  Effect.gen(function* () {
    const transport = yield* WebhookTransport
    const state = yield* MemoryWebhookTransport.WebhookTransportState
    assert.deepStrictEqual(yield* transport.post(request), { statusCode: 204, response: "" })
    yield* Ref.update(state, (before) => ({ ...before, answer: { statusCode: 500, response: "no" } }))
    assert.deepStrictEqual(yield* transport.post(request), { statusCode: 500, response: "no" })
    yield* Ref.update(state, (before) => ({ ...before, answer: undefined }))
    assert.strictEqual((yield* Effect.flip(transport.post(request)))._tag, "SendFailed")
    assert.deepStrictEqual((yield* Ref.get(state)).posted, [request, request, request])
  }).pipe(Effect.provide(MemoryWebhookTransport.layer))
)

it.effect("accepts https URLs only", () =>
  Effect.gen(function* () {
    const transport = yield* WebhookTransport
    yield* transport.check(request.url)
    assert.strictEqual((yield* Effect.flip(transport.check("http://example.com")))._tag, "UnacceptableUrl")
  }).pipe(Effect.provide(MemoryWebhookTransport.layer))
)
