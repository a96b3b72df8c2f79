/** Limits the time of every request of the tools, so that a silent service does not hold up a tool call. */
import { Effect, Layer } from "effect"
import { HttpClient, HttpClientError, type HttpClientResponse } from "effect/http"

/** Until the whole response has arrived. Shorter than the timeouts of MCP clients, which are 60 seconds or more. */
const LIMIT = "30 seconds"

const limited = HttpClient.transform(
  (received: Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>, request) =>
    received.pipe(
      // The response keeps the body that was read.
      Effect.tap(({ arrayBuffer }) => arrayBuffer),
      Effect.timeoutOrElse({
        duration: LIMIT,
        orElse: () =>
          Effect.fail(
            new HttpClientError.HttpClientError({
              reason: new HttpClientError.TransportError({ request, description: `no response within ${LIMIT}` })
            })
          )
      })
    )
)

/** Closes the connection of a request that has not ended. */
const closing = (client: HttpClient.HttpClient): HttpClient.HttpClient =>
  HttpClient.transformResponse(HttpClient.withScope(client), Effect.scoped)

/** Replaces the HTTP client by one with the limit. It reads the body at once: no tool reads a stream. */
export const layer = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, (client) => closing(limited(client)))
)
