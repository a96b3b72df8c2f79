/** Contract of every {@link WebhookTransport}. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, type Layer } from "effect"
import {
  type WebhookRequest,
  type WebhookResponse,
  WebhookTransport
} from "../../../src/ports/builder/WebhookTransport.ts"

/** The receiver of the requests. */
export class Endpoint extends Context.Service<
  Endpoint,
  {
    /** An https URL that leads to it. */
    readonly url: string
    /** Requests so far, oldest first, with the sent headers alone. */
    readonly received: Effect.Effect<ReadonlyArray<WebhookRequest>>
    /** Sets the response to later requests. Undefined: none. */
    readonly answer: (response: WebhookResponse | undefined) => Effect.Effect<void>
  }
>()("sweep/test/ports/Endpoint") {}

export const webhookTransportSuite = (name: string, environment: Layer.Layer<WebhookTransport | Endpoint>): void =>
  layer(environment, { excludeTestServices: true })(`WebhookTransport by ${name}`, (it) => {
    it.effect("sends a request as it is, and returns what came back", () =>
      Effect.gen(function* () {
        const transport = yield* WebhookTransport
        const { answer, received, url } = yield* Endpoint
        const request = { url, headers: { "content-type": "application/json", "webhook-id": "1" }, body: '{"ü":1}' }
        for (const response of [
          { statusCode: 201, response: "thanks" },
          { statusCode: 204, response: "" },
          { statusCode: 307, response: "elsewhere" },
          { statusCode: 410, response: "gone" },
          { statusCode: 503, response: '{"error":"busy"}' }
        ]) {
          yield* answer(response)
          const before = yield* received
          assert.deepStrictEqual(yield* transport.post(request), response)
          assert.deepStrictEqual(yield* received, [...before, request])
        }
      })
    )

    it.effect("fails if there is no response", () =>
      Effect.gen(function* () {
        const transport = yield* WebhookTransport
        const { answer, url } = yield* Endpoint
        yield* answer(undefined)
        const failed = yield* Effect.flip(transport.post({ url, headers: {}, body: "{}" }))
        assert.strictEqual(failed._tag, "SendFailed")
        assert.isAbove(failed.message.length, 0)
      })
    )

    it.effect("takes https URLs, and no other text", () =>
      Effect.gen(function* () {
        const transport = yield* WebhookTransport
        yield* transport.check((yield* Endpoint).url)
        for (const url of [
          "",
          "not a url",
          "ftp://example.com/",
          "https://user@example.com/",
          "https://example.com/#x"
        ]) {
          assert.strictEqual((yield* Effect.flip(transport.check(url)))._tag, "UnacceptableUrl", url)
        }
      })
    )
  })
