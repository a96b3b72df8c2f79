/**
 * One request to another service and its answer, under the rules that hold for all of them: an answer within a time limit,
 * no redirects (they would carry credentials elsewhere), no retries (the caller knows when), and errors whose text may be
 * logged: never a URL, a header or a body.
 */
import { Duration, Effect, Schema } from "effect"
import { FetchHttpClient, type HttpClient, type HttpClientRequest, HttpClientResponse } from "effect/http"

/** There is no usable answer. */
export class ExchangeFailed extends Schema.TaggedError<ExchangeFailed>()("ExchangeFailed", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/** Sends the request and hands the answer, whatever its status, to `use`; the limit spans both, the body included. */
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

/** As `JSON.parse` takes it. `context.source` is a number's own text, which the library types do not know yet. */
type JsonReviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown

/** Reads a JSON body of the given shape. */
export const json = <S extends Schema.Constraint>(schema: S, reviver?: JsonReviver) => {
  const read = HttpClientResponse.schemaBodyJson(schema, { reviver })
  return (response: HttpClientResponse.HttpClientResponse) =>
    Effect.mapError(
      read(response),
      () => new ExchangeFailed({ detail: `HTTP ${response.status} with a malformed body` })
    )
}

/** An answer that says nothing of what was asked. */
export const unexpected = (response: HttpClientResponse.HttpClientResponse) =>
  new ExchangeFailed({ detail: `HTTP ${response.status}` })
