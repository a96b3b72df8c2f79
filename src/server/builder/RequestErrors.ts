/** The two ways in which this backend answers a malformed request (spec, "Errors"): one code, or every problem. */
import { Effect, Layer, type SchemaIssue } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { BadRequest, InvalidRequest } from "../../api/builder/Errors.ts"
import { DetailedBody, SignInBody, StructurallyValidated } from "../../api/builder/Middleware.ts"
import * as JsonBody from "../shared/JsonBody.ts"
import { type Problem, problems } from "../shared/SchemaMessages.ts"

const problemView = ({ message, path }: Problem) => ({ path: path.map(String), message })

const invalidRequest = (issues: ReadonlyArray<ReturnType<typeof problemView>>) =>
  new InvalidRequest({ error: { message: "invalid request", issues } })

const everyProblem = (issue: SchemaIssue.Issue) => invalidRequest(problems(issue, []).map(problemView))

const parameters = HttpApiMiddleware.layerSchemaErrorTransform(StructurallyValidated, (error) =>
  Effect.fail(error.kind === "Body" || error.kind === "ResponseHeaders" ? error : everyProblem(error.cause.issue))
)

const detailedBody = Layer.effect(
  DetailedBody,
  JsonBody.make({
    notJson: () => invalidRequest([{ path: [], message: "invalid JSON body" }]),
    invalid: everyProblem
  })
)

const signInBody = Layer.effect(
  SignInBody,
  JsonBody.make({
    notJson: () => new BadRequest(),
    invalid: () => new BadRequest()
  })
)

export const layer = Layer.mergeAll(parameters, detailedBody, signInBody)
