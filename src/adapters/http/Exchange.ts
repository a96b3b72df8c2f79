/**
 * One HTTP request to another service, under rules that hold for all of them: a timeout, no redirects (which would send
 * credentials elsewhere), no retries (the caller decides), and errors whose text may be logged, so it has no URL, header or
 * body.
 */
import { Duration, Effect, Schema } from "effect"
import { FetchHttpClient, type HttpClient, type HttpClientRequest, HttpClientResponse } from "effect/http"

/** The request failed, timed out, or returned an unusable answer. */
export class ExchangeFailed extends Schema.TaggedError<ExchangeFailed>()("ExchangeFailed", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/** Sends the request and passes the response of any status to `use`. The timeout covers both, including the body. */
export const exchange = <A, E, R>(
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest,
  timeout: Duration.Input,
  use: (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | ExchangeFailed, R> =>
  client.execute(request).pipe(
    Effect.mapError((error) => new ExchangeFailed({ detail: error.reason._tag })),
    Effect.flatMap(use),
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () =>
        Effect.fail(
          new ExchangeFailed({ detail: `no answer within ${Duration.toMillis(Duration.fromInputUnsafe(timeout))} ms` })
        )
    })
  )

/** Reviver of `JSON.parse`. `context.source` is the source text of a number, which the library types do not declare yet. */
type JsonReviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown

/** Decodes a JSON body. */
export const json = <S extends Schema.Constraint>(schema: S, reviver?: JsonReviver) => {
  const read = HttpClientResponse.schemaBodyJson(schema, { reviver })
  return (response: HttpClientResponse.HttpClientResponse) =>
    Effect.mapError(
      read(response),
      () => new ExchangeFailed({ detail: `HTTP ${response.status} with a malformed body` })
    )
}

/** A response that does not answer the request. */
export const unexpected = (response: HttpClientResponse.HttpClientResponse) =>
  new ExchangeFailed({ detail: `HTTP ${response.status}` })
