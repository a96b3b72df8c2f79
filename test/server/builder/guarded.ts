/** Requests that middleware guards. */
import { HttpApi } from "effect/http-api"
import { BuilderApi } from "../../../src/api/builder/BuilderApi.ts"
import type { ConsoleOnly, ReadKeyOnly, SessionOnly } from "../../../src/api/builder/Middleware.ts"
import type { OperatorOnly } from "../../../src/api/shared/Middleware.ts"

/** `"METHOD /path"` of every endpoint that `protects` guards. */
export const guardedBy = (
  protects: typeof ConsoleOnly | typeof OperatorOnly | typeof ReadKeyOnly | typeof SessionOnly
): ReadonlyArray<string> => {
  const requests: Array<string> = []
  HttpApi.reflect(BuilderApi, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, middleware }) => {
      if ([...middleware].some(({ key }) => key === protects.key)) {
        requests.push(`${endpoint.method} ${endpoint.path.replace(":id", "x")}`)
      }
    }
  })
  return requests
}
