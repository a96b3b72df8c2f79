/**
 * Answers malformed requests with 422 and every problem found, as one text. A failure to encode the service's own response
 * stays a defect.
 */
import { Effect, Layer } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { InvalidJsonBody, ValidationFailed } from "../../api/shared/Errors.ts"
import * as Contract from "../../api/shared/Middleware.ts"
import * as JsonBody from "./JsonBody.ts"
import * as SchemaMessages from "./SchemaMessages.ts"

const parameters = HttpApiMiddleware.layerSchemaErrorTransform(Contract.Validated, (error) =>
  error.kind === "Body" || error.kind === "ResponseHeaders"
    ? Effect.fail(error)
    : Effect.fail(new ValidationFailed({ error: SchemaMessages.format(error.cause.issue, error.kind.toLowerCase()) }))
)

const body = Layer.effect(
  Contract.JsonBody,
  JsonBody.make<InvalidJsonBody | ValidationFailed>({
    notJson: () => new InvalidJsonBody(),
    invalid: (issue) => new ValidationFailed({ error: SchemaMessages.format(issue, "body") })
  })
)

export const layer = Layer.merge(parameters, body)
