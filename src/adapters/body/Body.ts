/** Bodies of HTTP responses, of bounded size, so that a hostile service cannot fill the memory. */
import { Effect, Schema, Stream } from "effect"
import type { HttpClientError, HttpClientResponse } from "effect/http"

/** The body is longer than the reader allows. */
export class BodyTooLong extends Schema.TaggedError<BodyTooLong>()("BodyTooLong", { maxBytes: Schema.Number }) {
  override get message(): string {
    return `answer above ${this.maxBytes} bytes`
  }
}

/** True if the header states the length of the body itself. A compressed or chunked body may be longer. */
const isOfStatedLength = ({ headers }: HttpClientResponse.HttpClientResponse): boolean =>
  headers["content-length"] !== undefined &&
  headers["content-encoding"] === undefined &&
  headers["transfer-encoding"] === undefined

/** The body as text. Fails as soon as it is longer than `maxBytes`. */
export const text = (
  response: HttpClientResponse.HttpClientResponse,
  maxBytes: number
): Effect.Effect<string, BodyTooLong | HttpClientError.HttpClientError> => {
  const tooLong = Effect.fail(new BodyTooLong({ maxBytes }))
  if (Number(response.headers["content-length"] ?? 0) > maxBytes) return tooLong
  // A stream takes 40 µs more.
  if (isOfStatedLength(response)) return response.text
  const decoder = new TextDecoder()
  let length = 0
  return response.stream.pipe(
    Stream.mapEffect((bytes) => {
      length += bytes.byteLength
      return length > maxBytes ? tooLong : Effect.succeed(decoder.decode(bytes, { stream: true }))
    }),
    Stream.runFold(
      () => "",
      (read, part) => read + part
    ),
    Effect.map((read) => read + decoder.decode()),
    Effect.catchReason("HttpClientError", "EmptyBodyError", () => Effect.succeed(""))
  )
}
