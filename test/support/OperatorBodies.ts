/** Routes of an OpenAPI document that take a body of an operator. */
import type { OpenApi } from "effect/http-api"

export interface OperatorBody {
  readonly method: string
  /** With parameters in braces. */
  readonly path: string
  /** The documented request, as JSON. */
  readonly example: string
}

const METHODS = ["post", "put", "patch", "delete"] as const

/** Credentials of operators, and of machines with their token. */
const CREDENTIALS = ["operatorToken", "consoleToken"]

/** All of them, so that a new route is among them. */
export const operatorBodies = (document: OpenApi.OpenAPISpec): ReadonlyArray<OperatorBody> =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      const content = operation?.requestBody?.content["application/json"]
      const isOfOperator = operation?.security.some((each) => CREDENTIALS.some((name) => name in each)) === true
      return content === undefined || !isOfOperator
        ? []
        : [{ method: method.toUpperCase(), path, example: JSON.stringify(Reflect.get(content, "example")) }]
    })
  )
