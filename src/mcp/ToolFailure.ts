/** Failures of tools. The text says what happened and what to do next. */
import { Effect, Schema, SchemaIssue } from "effect"
import { HttpClientError } from "effect/http"

export class ToolFailure extends Schema.TaggedError<ToolFailure>()("ToolFailure", {
  problem: Schema.String,
  next: Schema.String
}) {
  override get message(): string {
    return `${this.problem} Next: ${this.next}`
  }
}

export const failure = (problem: string, next: string) => new ToolFailure({ problem, next })

/** An error that any endpoint of a service may return. */
export interface ServiceError {
  readonly _tag: string
  readonly retryAfterSeconds?: number
}

/**
 * Makes the failure for an error that the tool itself does not explain.
 *
 * @param service - setting that holds the service's URL
 * @param url - value of the setting
 */
export const ofServiceError =
  (service: "SERVICE_ORCHESTRATOR_URL" | "SERVICE_BUILDER_URL", url: string) =>
  (error: ServiceError): ToolFailure => {
    if (error._tag === "RateLimitExceeded") {
      return failure(
        "The service limits the rate of requests.",
        `wait ${error.retryAfterSeconds ?? 60} seconds, then call this tool again with the same arguments.`
      )
    }
    if (error.retryAfterSeconds !== undefined || error._tag === "ChainNotAnswering") {
      return failure(
        "The service cannot take such a sweep at the moment.",
        `call this tool again after ${error.retryAfterSeconds ?? 1} seconds with the same arguments.`
      )
    }
    if (HttpClientError.isHttpClientError(error) && error.reason._tag === "TransportError") {
      return failure(
        `The service at ${url} does not respond.`,
        `check that it runs and that ${service} is its URL, then call this tool again with the same arguments.`
      )
    }
    if (["InternalError", "Unavailable", "UpstreamFailed"].includes(error._tag)) {
      return failure(
        "The service failed.",
        "call this tool again in a minute with the same arguments. If it fails again, tell the service's operator."
      )
    }
    return failure(
      `The response of ${url} does not follow the service's contract (${error._tag}).`,
      `check that ${service} is the URL of a sweep service of this version.`
    )
  }

const issues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Makes the failure for malformed arguments, with one line per problem that names its field. */
export const malformed = (error: Schema.SchemaError): ToolFailure => {
  const problems = issues(error.issue).issues.map(({ message, path = [] }) => {
    const field = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".")
    return `- ${field === "" ? "arguments" : field}: ${message}`
  })
  return failure(
    ["The arguments are malformed.", ...problems, ""].join("\n"),
    "correct these and call this tool again."
  )
}

/** Decodes arguments that passed the tool's own schema by the contract's, which is stricter. */
export const decoded = <S extends Schema.Codec<unknown, unknown>>(schema: S, value: unknown) =>
  Effect.mapError(Schema.decodeUnknownEffect(schema, { errors: "all" })(value), malformed)
