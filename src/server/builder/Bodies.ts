/** Request bodies, with the two ways in which this backend says that one is wrong (spec, "Errors"). */
import { Effect, Schema, type SchemaIssue } from "effect"
import { BadRequest, InvalidRequest } from "../../api/builder/Errors.ts"
import * as JsonBody from "../shared/JsonBody.ts"
import { type Problem, problems } from "../shared/SchemaMessages.ts"

const problemView = ({ message, path }: Problem) => ({ path: path.map(String), message })

/** Every problem of a request, each naming its field. */
export const invalidRequest = (issue: SchemaIssue.Issue): InvalidRequest =>
  new InvalidRequest({ error: { message: "invalid request", issues: problems(issue, []).map(problemView) } })

const notJson = () =>
  new InvalidRequest({ error: { message: "invalid request", issues: [{ path: [], message: "invalid JSON body" }] } })

/** For sign-in: `bad_request` whatever is wrong. */
export const terse = <A, I>(schema: Schema.Codec<A, I>, maxBytes: number) => {
  const parse = Schema.decodeUnknownEffect(schema)
  return JsonBody.read(maxBytes).pipe(
    Effect.flatMap(parse),
    Effect.catchTags({
      InvalidJsonBody: () => Effect.fail(new BadRequest()),
      SchemaError: () => Effect.fail(new BadRequest())
    })
  )
}

/** For admin routes: every problem. */
export const detailed = <A, I>(schema: Schema.Codec<A, I>, maxBytes: number) => {
  const parse = Schema.decodeUnknownEffect(schema, { errors: "all" })
  return JsonBody.read(maxBytes).pipe(
    Effect.flatMap(parse),
    Effect.catchTags({
      InvalidJsonBody: () => Effect.fail(notJson()),
      SchemaError: ({ issue }) => Effect.fail(invalidRequest(issue))
    })
  )
}
