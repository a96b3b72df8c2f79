/**
 * Reads JSON request bodies. Any content type is taken as long as the body parses as JSON, since clients often send none or
 * `text/plain` (which spares browsers a preflight); an empty body is not JSON. Longer bodies than the settings allow are
 * refused without being held in memory, whether or not the client said how long they are.
 */
import { Effect, Schema, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import { BodyTooLarge, InvalidJsonBody, ValidationFailed } from "../../api/shared/Errors.ts"
import * as SchemaMessages from "./SchemaMessages.ts"

type Request = HttpServerRequest.HttpServerRequest

const declaredLength = (request: Request): number | undefined => {
  const header = request.headers["content-length"]
  return header !== undefined && /^[0-9]+$/.test(header) ? Number(header) : undefined
}

/** A body of unknown length, read until it is over or too long. A request without a body has no stream to read. */
const readStream = Effect.fnUntraced(function* (request: Request, maxBytes: number) {
  const chunks: Array<Uint8Array> = []
  let size = 0
  yield* request.stream.pipe(
    Stream.mapError(() => new InvalidJsonBody()),
    Stream.runForEach((chunk) => {
      size += chunk.byteLength
      if (size > maxBytes) return Effect.fail(new BodyTooLarge())
      chunks.push(chunk)
      return Effect.void
    })
  )
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return new TextDecoder().decode(bytes)
})

const readText = (request: Request, maxBytes: number): Effect.Effect<string, BodyTooLarge | InvalidJsonBody> => {
  const length = declaredLength(request)
  if (length === undefined) return readStream(request, maxBytes)
  return length > maxBytes
    ? Effect.fail(new BodyTooLarge())
    : Effect.mapError(request.text, () => new InvalidJsonBody())
}

/** The body as it came, of at most `maxBytes`. It can be read once. */
export const text = (maxBytes: number) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => readText(request, maxBytes))

/** Half of a surrogate pair is no character, and can come only as an escape: what was no UTF-8 was replaced before. */
const SURROGATE = /\\u[dD][89a-fA-F]/

/** Without recursion: a body may be nested deeper than the stack. */
const isWellFormed = (json: unknown): boolean => {
  const open = [json]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === "string" && !value.isWellFormed()) return false
    if (typeof value !== "object" || value === null) continue
    for (const [key, member] of Object.entries(value)) {
      if (!key.isWellFormed()) return false
      open.push(member)
    }
  }
  return true
}

/** JSON as RFC 7493 (I-JSON) has it: databases and signatures know no text with unpaired surrogates. */
const parseJson = (body: string) =>
  Effect.try({
    try: (): unknown => JSON.parse(body),
    catch: () => new InvalidJsonBody()
  }).pipe(
    Effect.filterOrFail(
      (json) => !SURROGATE.test(body) || isWellFormed(json),
      () => new InvalidJsonBody()
    )
  )

/** The body as parsed JSON, of at most `maxBytes`. */
export const read = (maxBytes: number) => Effect.flatMap(text(maxBytes), parseJson)

/** Decodes a body by `schema`; unknown fields are ignored, and every problem is reported. */
export const decode = <A, I, RD, RE>(schema: Schema.Codec<A, I, RD, RE>) => {
  const decodeJson = Schema.decodeUnknownEffect(schema, { errors: "all" })
  return (body: string) =>
    Effect.flatMap(parseJson(body), (json) =>
      Effect.mapError(
        decodeJson(json),
        ({ issue }) => new ValidationFailed({ error: SchemaMessages.format(issue, "body") })
      )
    )
}
