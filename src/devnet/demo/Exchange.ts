/** One HTTP request of an ordinary client, which shares no code with the services. */
import { Effect, Option, Schema } from "effect"
import { HttpClient, type HttpClientRequest, type HttpClientResponse } from "effect/http"

/** A service returned an error status or a body of an unexpected shape. */
export class UnexpectedAnswer extends Schema.TaggedError<UnexpectedAnswer>()("UnexpectedAnswer", {
  request: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.request}: ${this.detail}`
  }
}

/** Requests are sent again this often while a service is busy, as on a slow machine. */
const RETRIES = 5

/** A service is busy, and says when to ask again. */
class Busy extends Schema.TaggedError<Busy>()("Busy", { message: Schema.String, retryAfterSeconds: Schema.Int }) {}

/** Seconds after which a refused request may be sent again: those of `Retry-After`. */
const retryAfter = ({ headers, status }: HttpClientResponse.HttpClientResponse): Option.Option<number> =>
  status === 429 || status === 503
    ? Schema.decodeUnknownOption(Schema.NumberFromString.check(Schema.isInt()))(headers["retry-after"])
    : Option.none()

export const make = Effect.gen(function* () {
  const http = yield* HttpClient.HttpClient
  return <A, I>(
    request: HttpClientRequest.HttpClientRequest,
    answer: Schema.Codec<A, I>
  ): Effect.Effect<A, UnexpectedAnswer> =>
    Effect.gen(function* () {
      const response = yield* http.execute(request)
      const body = yield* response.text
      if (response.status >= 300) {
        const message = `${response.status} ${body}`
        return yield* Option.match(retryAfter(response), {
          onNone: () => Effect.fail(new Error(message)),
          onSome: (retryAfterSeconds) => Effect.fail(new Busy({ message, retryAfterSeconds }))
        })
      }
      return yield* Schema.decodeEffect(Schema.fromJsonString(answer))(body)
    }).pipe(
      Effect.retry({
        times: RETRIES,
        while: (error) =>
          error instanceof Busy
            ? Effect.as(Effect.sleep(`${error.retryAfterSeconds} seconds`), true)
            : Effect.succeed(false)
      }),
      Effect.mapError(
        (error) => new UnexpectedAnswer({ request: `${request.method} ${request.url}`, detail: error.message })
      )
    )
})
