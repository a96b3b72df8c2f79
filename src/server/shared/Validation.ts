/** Malformed path and query parameters: 422 with every problem found. A failure to encode our own answer stays a defect. */
import { Effect } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { ValidationFailed } from "../../api/shared/Errors.ts"
import { Validated } from "../../api/shared/Middleware.ts"
import * as SchemaMessages from "./SchemaMessages.ts"

export const layer = HttpApiMiddleware.layerSchemaErrorTransform(Validated, (error) => {
  switch (error.kind) {
    case "Body":
    case "ResponseHeaders":
      return Effect.fail(error)
    default:
      return Effect.fail(
        new ValidationFailed({ error: SchemaMessages.format(error.cause.issue, error.kind.toLowerCase()) })
      )
  }
})
