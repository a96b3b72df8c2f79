import { assert, it } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import * as MemoryWebhookTransport from "../../../../src/adapters/memory/builder/WebhookTransport.ts"
import { WebhookTransport } from "../../../../src/ports/builder/WebhookTransport.ts"
import { Endpoint, webhookTransportSuite } from "../../../ports/builder/WebhookTransport.suite.ts"

const endpoint = Layer.effect(
  Endpoint,
  Effect.map(MemoryWebhookTransport.WebhookTransportState, (state) => ({
    url: "https://hook.example.com/sweeps?x=1",
    received: Effect.map(Ref.get(state), ({ posted }) => posted),
    answer: (answer) => Ref.update(state, (before) => ({ ...before, answer }))
  }))
)

webhookTransportSuite("memory", endpoint.pipe(Layer.provideMerge(MemoryWebhookTransport.layer)))

it.effect("accepts no http URL", () =>
  Effect.gen(function* () {
    const { check } = yield* WebhookTransport
    assert.strictEqual((yield* Effect.flip(check("http://example.com")))._tag, "UnacceptableUrl")
  }).pipe(Effect.provide(MemoryWebhookTransport.layer))
)
