/** Puts example messages into the OpenAPI document, as they travel (schemas know them only decoded). */
import { OpenApi } from "effect/http-api"

type Json = Readonly<Record<string, unknown>>

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null

const at = (value: unknown, key: string): Json => {
  const inner = isJson(value) ? value[key] : undefined
  return isJson(inner) ? inner : {}
}

const withExample = (message: Json, example: unknown): Json => {
  const content = at(message, "content")
  return { ...message, content: { ...content, "application/json": { ...at(content, "application/json"), example } } }
}

/** Annotations of an endpoint with an example of its request body and of its success, whose status is given. */
export const documented = (options: {
  readonly summary: string
  readonly description: string
  readonly request?: unknown
  readonly response?: { readonly status: number; readonly body: unknown }
}) =>
  OpenApi.annotations({
    summary: options.summary,
    description: options.description,
    transform: (operation: Json) => {
      const responses = at(operation, "responses")
      return {
        ...operation,
        ...(options.request === undefined
          ? {}
          : { requestBody: withExample(at(operation, "requestBody"), options.request) }),
        ...(options.response === undefined
          ? {}
          : {
              responses: {
                ...responses,
                [options.response.status]: withExample(
                  at(responses, String(options.response.status)),
                  options.response.body
                )
              }
            })
      }
    }
  })
