/** Client of the orchestrator's operator routes, for operators' commands. */
import { Effect, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { OrchestratorApi } from "../api/orchestrator/OrchestratorApi.ts"
import { builder } from "../config/Builder.ts"
import * as ServiceLocation from "./ServiceLocation.ts"

/** The orchestrator rejected a request or cannot be reached. The message says what to do. */
export class OrchestratorCallFailed extends Schema.TaggedError<OrchestratorCallFailed>()("OrchestratorCallFailed", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

const service: ServiceLocation.Service = {
  name: "orchestrator",
  url: { name: "ORCHESTRATOR_URL", config: builder.orchestratorUrl.config },
  token: { name: "ORCHESTRATOR_ADMIN_TOKEN", config: builder.orchestratorToken.config },
  tokenOfService: "ORCH_ADMIN_TOKEN",
  local: ({ orchestratorAdminToken, orchestratorUrl }) => ({ url: orchestratorUrl, token: orchestratorAdminToken })
}

const WORDS: Readonly<Record<string, string>> = {
  Unauthorized: "the admin token is wrong. Set ORCHESTRATOR_ADMIN_TOKEN to the orchestrator's ORCH_ADMIN_TOKEN",
  Unavailable: "the orchestrator's database is unavailable. Try again later",
  InternalError: "the orchestrator failed. Its log has the cause"
}

const unreachable = (url: string, { reason }: HttpClientError.HttpClientError): string =>
  reason._tag === "TransportError"
    ? `the orchestrator does not answer at ${url}. Check that it is running and that ORCHESTRATOR_URL is correct`
    : `${url} does not answer like an orchestrator. Check ORCHESTRATOR_URL`

/** Any failure of a call of the typed client. */
export type Failure = { readonly _tag: string } | HttpClientError.HttpClientError

/** Explains a failure of the typed client for people. `words` explain errors of one route. */
export const explain = (url: string, failure: Failure, words: Readonly<Record<string, string>> = {}): string =>
  HttpClientError.isHttpClientError(failure)
    ? unreachable(url, failure)
    : (words[failure._tag] ??
      WORDS[failure._tag] ??
      `${url} returned an error that this version of the command does not know (${failure._tag})`)

const clientAt = ({ token, url }: ServiceLocation.Location) =>
  HttpApiClient.make(OrchestratorApi, {
    transformClient: HttpClient.mapRequest((request) =>
      request.pipe(HttpClientRequest.prependUrl(url), HttpClientRequest.bearerToken(token))
    )
  }).pipe(Effect.provide(FetchHttpClient.layer))

/** The operator routes' typed client. `explained` turns its failures into {@link OrchestratorCallFailed}. */
export const connect = Effect.gen(function* () {
  const where = yield* ServiceLocation.find(service)
  const { endpoints, lanes, limits, operator, pauses, rateLimits, stories, treasury } = yield* clientAt(where)
  const explained = <A, E extends Failure, R>(
    effect: Effect.Effect<A, E, R>,
    words: Readonly<Record<string, string>> | ((failure: Failure) => Readonly<Record<string, string>>) = {}
  ): Effect.Effect<A, OrchestratorCallFailed, R> =>
    Effect.mapError(effect, (failure) => {
      const chosen = typeof words === "function" ? words(failure) : words
      return new OrchestratorCallFailed({ detail: explain(where.url, failure, chosen) })
    })
  return { endpoints, lanes, limits, operator, pauses, rateLimits, stories, treasury, explained }
})
