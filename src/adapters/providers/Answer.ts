/** Answers of providers: bodies of bounded size, decoded by schemas. Errors name the place of a mistake and none of the body's values. */
import { Effect, Schema, SchemaIssue } from "effect"
import type { Headers, HttpClientError, HttpClientResponse } from "effect/http"
import * as Body from "../body/Body.ts"
import { ProviderUnavailable } from "./ProviderUnavailable.ts"

export interface Answer {
  /** Name of the provider that answered. */
  readonly provider: string
  /** HTTP status. */
  readonly status: number
  readonly headers: Headers.Headers
  readonly body: string
}

/** Failure of a request that was sent. */
export const failed = (
  provider: string,
  detail: string,
  more: Pick<typeof ProviderUnavailable.Type, "blame" | "isOutage" | "retryAfterMillis"> = {}
) => new ProviderUnavailable({ provider, detail, reason: "failed", ...more })

/** The body as text. Fails as soon as it is longer than `maxBytes`. */
export const readBody = (
  provider: string,
  response: HttpClientResponse.HttpClientResponse,
  maxBytes: number
): Effect.Effect<string, ProviderUnavailable | HttpClientError.HttpClientError> =>
  Effect.catchTag(Body.text(response, maxBytes), "BodyTooLong", () =>
    Effect.fail(failed(provider, `HTTP ${response.status} with a body above ${maxBytes} bytes`, { blame: "size" }))
  )

/** Reviver of `JSON.parse`. `context.source` is the source text of a number, which the library types do not declare yet. */
export type JsonReviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown

const describeIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Keys of a path can be the provider's own text. */
const PLAIN_KEY = /^\w{1,40}$/

/** The place of the first mistake, such as `data.amountOut`. Empty if it is the whole body. */
const placeOf = (issue: SchemaIssue.Issue): string =>
  (describeIssues(issue).issues[0]?.path ?? [])
    .slice(0, 8)
    .map((segment) => String(typeof segment === "object" ? segment.key : segment))
    .map((key) => (PLAIN_KEY.test(key) ? key : "?"))
    .join(".")

const malformed = ({ provider, status }: Answer, place: string) =>
  failed(provider, `HTTP ${status} with a malformed body${place === "" ? "" : ` at ${place}`}`)

/** Makes the decoder of answers whose body is JSON of a schema. */
export const json = <A, I>(schema: Schema.Codec<A, I>, reviver?: JsonReviver) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return (answer: Answer): Effect.Effect<A, ProviderUnavailable> =>
    Effect.try({
      try: () => JSON.parse(answer.body, reviver) as unknown,
      catch: () => malformed(answer, "")
    }).pipe(Effect.flatMap((body) => Effect.mapError(decode(body), (error) => malformed(answer, placeOf(error.issue)))))
}

/** The answer has a status that the reader does not expect. */
export const unexpected = ({ provider, status }: Answer) => failed(provider, `HTTP ${status}`)
