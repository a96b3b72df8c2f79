/**
 * JSON request bodies: read within a size limit, decoded by the contract's payload schema, and answered by one error body per
 * service when they are malformed (spec, "Errors").
 *
 * Any content type is accepted as long as the body parses as JSON: clients often send none, or `text/plain`, which spares
 * browsers a preflight. An empty body is not JSON. A body over the limit is refused without being held in memory, even when
 * the client did not declare its length.
 */
import { Context, Effect, Option, type SchemaIssue, Stream } from "effect"
import { Headers, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { type HttpApiEndpoint, HttpApiError } from "effect/http-api"
import { BodyTooLarge, InvalidJsonBody } from "../../api/shared/Errors.ts"
import { BodyLimit } from "../../api/shared/Middleware.ts"
import * as RequestDeadline from "./RequestDeadline.ts"
import { ServerSettings } from "./ServerSettings.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** The body, once an outer middleware has read it: it can be read only once. */
export class BodyText extends Context.Reference<string | undefined>("sweep/server/BodyText", {
  defaultValue: () => undefined
}) {}

const declaredLength = (request: Request): number | undefined => {
  const header = request.headers["content-length"]
  return header !== undefined && /^[0-9]+$/.test(header) ? Number(header) : undefined
}

/** Reads a body of unknown length until it ends or exceeds the limit. A request without a body has no stream to read. */
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

/** Reads the body of an endpoint's requests as text, within the endpoint's limit. */
export const text = Effect.map(ServerSettings, ({ maxBodyBytes }) => (endpoint: HttpApiEndpoint.Top) => {
  const limit = Option.getOrElse(Context.getOption(endpoint.annotations, BodyLimit), () => maxBodyBytes)
  return (request: Request) =>
    Effect.flatMap(BodyText, (known) =>
      known === undefined ? RequestDeadline.readingBody(readText(request, limit)) : Effect.succeed(known)
    )
})

/** Half of a surrogate pair is not a character. It can arrive only as an escape, since decoding UTF-8 replaces the rest. */
const SURROGATE = /\\u[dD][89a-fA-F]/

/** Walks without recursion, because a body may be nested deeper than the stack. */
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

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** I-JSON (RFC 7493): databases and signatures have no text with unpaired surrogates. */
const isJson = (body: string): boolean => {
  const json = parse(body)
  return json !== undefined && isWellFormed(json)
}

const JSON_TYPE = "application/json"

/** True if the contract's decoder can use the request as it is: it picks a codec by content type and reads `text` again. */
const isReadable = (request: Request): boolean => {
  const type = request.headers["content-type"]
  return (type === undefined || type === JSON_TYPE) && declaredLength(request) !== undefined
}

/** A request with JSON of which the body was read. */
const asJson = (request: Request, body: string): Request =>
  Object.defineProperty(request.modify({ headers: Headers.set(request.headers, "content-type", JSON_TYPE) }), "text", {
    value: Effect.succeed(body)
  })

/** The error bodies of malformed requests. */
export interface Malformed<E> {
  readonly notJson: () => E
  readonly invalid: (issue: SchemaIssue.Issue) => E
}

/** Implements a body middleware of the contract. It must be the innermost one of its endpoint. */
export const make = <Invalid>(malformed: Malformed<Invalid>) =>
  Effect.map(
    text,
    (textOf) =>
      <E>(handler: Effect.Effect<Response, E>, { endpoint }: { readonly endpoint: HttpApiEndpoint.Top }) => {
        const readBody = textOf(endpoint)
        const notJson = Effect.suspend(() => Effect.fail(malformed.notJson()))
        const refusal = (error: E, body: string) => {
          if (!HttpApiError.HttpApiSchemaError.is(error) || error.kind !== "Payload") return error
          return isJson(body) ? malformed.invalid(error.cause.issue) : malformed.notJson()
        }
        return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
          readBody(request).pipe(
            Effect.catchTag("InvalidJsonBody", () => notJson),
            Effect.flatMap((body) => {
              // The decoder refuses text that is not JSON, but accepts unpaired surrogates.
              if (SURROGATE.test(body) && !isJson(body)) return notJson
              return (
                isReadable(request)
                  ? handler
                  : Effect.provideService(handler, HttpServerRequest.HttpServerRequest, asJson(request, body))
              ).pipe(Effect.mapError((error) => refusal(error, body)))
            })
          )
        )
      }
  )
