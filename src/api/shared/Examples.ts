/** Adds example messages in their encoded form to the OpenAPI document. Schemas hold decoded examples only. */
import { OpenApi } from "effect/http-api"
import { SWEEP_REASON, UNAVAILABLE } from "./Errors.ts"

type Json = Readonly<Record<string, unknown>>

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null

const at = (value: unknown, key: string): Json => {
  const inner = isJson(value) ? value[key] : undefined
  return isJson(inner) ? inner : {}
}

const withExample = (message: Json, example: unknown, contentType = "application/json"): Json => {
  const content = at(message, "content")
  return { ...message, content: { ...content, [contentType]: { ...at(content, contentType), example } } }
}

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "1 to 255 printable ASCII characters, chosen by the client and not guessable, such as a UUID. Within 24 hours, for quotes within one hour, the same request under the same key receives the first response again (`Idempotent-Replayed: true`). Responses with 5xx and 429 are not stored.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
  example: "8e03978e-40d5-43dd-bc93-6894a57f9324"
}

const REPLAYED = {
  description: "`true` if this is the response to an earlier request with the same `Idempotency-Key`",
  schema: { type: "string", enum: ["true"] }
}

const RETRY_SOON = {
  description: "Seconds to wait while the first request is in progress",
  schema: { type: "integer", minimum: 1 }
}

const RETRY_LATER = {
  description: "Seconds after which the request may be repeated",
  schema: { type: "integer", minimum: 1 }
}

const UNAVAILABLE_NOW = { description: SWEEP_REASON, schema: { type: "string", enum: [UNAVAILABLE] } }

const withHeader = (message: Json, name: string, header: Json): Json => ({
  ...message,
  headers: { ...at(message, "headers"), [name]: header }
})

const parametersOf = ({ parameters }: Json): ReadonlyArray<unknown> => (Array.isArray(parameters) ? parameters : [])

const withIdempotency = (operation: Json): Json => {
  const responses = Object.entries(at(operation, "responses")).map(([status, response]): [string, unknown] => {
    if (!isJson(response)) return [status, response]
    const answered =
      Number(status) < 500 && status !== "429" ? withHeader(response, "Idempotent-Replayed", REPLAYED) : response
    if (status === "409") return [status, withHeader(answered, "Retry-After", RETRY_SOON)]
    return [
      status,
      status === "503"
        ? withHeader(withHeader(answered, "Retry-After", RETRY_LATER), "Sweep-Reason", UNAVAILABLE_NOW)
        : answered
    ]
  })
  return {
    ...operation,
    parameters: [...parametersOf(operation), IDEMPOTENCY_KEY],
    responses: Object.fromEntries(responses)
  }
}

/** Annotates an endpoint with its texts, and with examples of its request body and its success. */
export const documented = (options: {
  readonly summary: string
  readonly description: string
  readonly request?: unknown
  readonly response?: {
    readonly status: number
    readonly body: unknown
    /** Default: application/json. */
    readonly contentType?: string
  }
  /** True if it answers 304 to `If-None-Match`. */
  readonly revalidates?: boolean
  /** True if it takes an `Idempotency-Key`. */
  readonly idempotent?: boolean
  /** Parameters that the contract does not declare. */
  readonly parameters?: ReadonlyArray<Json>
}) =>
  OpenApi.annotations({
    summary: options.summary,
    description: options.description,
    transform: (generated: Json) => {
      const operation = options.idempotent === true ? withIdempotency(generated) : generated
      const responses = {
        ...at(operation, "responses"),
        ...(options.revalidates === true ? { 304: { description: "Not modified since the given `ETag`" } } : {})
      }
      return {
        ...operation,
        ...(options.parameters === undefined
          ? {}
          : { parameters: [...parametersOf(operation), ...options.parameters] }),
        ...(options.request === undefined
          ? {}
          : { requestBody: withExample(at(operation, "requestBody"), options.request) }),
        ...(options.response === undefined
          ? { responses }
          : {
              responses: {
                ...responses,
                [options.response.status]: withExample(
                  at(responses, String(options.response.status)),
                  options.response.body,
                  options.response.contentType
                )
              }
            })
      }
    }
  })
