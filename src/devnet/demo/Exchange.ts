/** One HTTP request of an ordinary client, which shares no code with the services. */
import { Effect, Schema } from "effect"
import { HttpClient, type HttpClientRequest } from "effect/http"

/** A service returned an error status or a body of an unexpected shape. */
export class UnexpectedAnswer extends Schema.TaggedError<UnexpectedAnswer>()("UnexpectedAnswer", {
  request: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.request}: ${this.detail}`
  }
}

export const make = Effect.gen(function* () {
  const http = yield* HttpClient.HttpClient
  return <A, I>(
    request: HttpClientRequest.HttpClientRequest,
    answer: Schema.Codec<A, I>
  ): Effect.Effect<A, UnexpectedAnswer> =>
    Effect.gen(function* () {
      const response = yield* http.execute(request)
      const body = yield* response.text
      if (response.status >= 300) return yield* Effect.fail(new Error(`${response.status} ${body}`))
      return yield* Schema.decodeEffect(Schema.fromJsonString(answer))(body)
    }).pipe(
      Effect.mapError(
        (error) => new UnexpectedAnswer({ request: `${request.method} ${request.url}`, detail: error.message })
      )
    )
})
