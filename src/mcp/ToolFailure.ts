/** A tool's failure, as a model reads it: what happened, and what to do next. */
import { Schema, SchemaIssue } from "effect"
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

/** What any call of a service can fail with, besides what its endpoint means by a status. */
interface ServiceError {
  readonly _tag: string
  readonly retryAfterSeconds?: number
}

/**
 * The failure of a call that its tool has no better words for. `service` is the setting that names the service, `url` its value.
 */
export const ofServiceError =
  (service: "SERVICE_ORCHESTRATOR_URL" | "SERVICE_BUILDER_URL", url: string) =>
  (error: ServiceError): ToolFailure => {
    if (error._tag === "RateLimitExceeded") {
      return failure(
        "The service takes no more requests from here for now.",
        `wait ${error.retryAfterSeconds ?? 60} seconds, then call this tool again with the same arguments.`
      )
    }
    if (HttpClientError.isHttpClientError(error) && error.reason._tag === "TransportError") {
      return failure(
        `The service at ${url} does not answer.`,
        `check that it runs and that ${service} names it, then call this tool again with the same arguments.`
      )
    }
    if (["InternalError", "Unavailable", "UpstreamFailed"].includes(error._tag)) {
      return failure(
        "The service, or something behind it, failed.",
        "call this tool again in a minute with the same arguments; if it fails again, tell the service's operator."
      )
    }
    return failure(
      `The service at ${url} gave an answer that is not of its contract (${error._tag}).`,
      `check that ${service} names a sweep service of this version.`
    )
  }

const issues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Arguments that are not what a schema asks for: every problem on a line of its own, each naming its field. */
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
