/**
 * Sends the owner's signatures. The same arguments are the same request for the service, so that a repeated call gets the first
 * response. A failure that leaves the outcome unknown is never reported as a refusal: the owner would sign again, and both sweeps
 * would settle.
 */
import { Effect, Ref } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { sha256 } from "viem"
import { OrchestratorApi } from "../api/orchestrator/OrchestratorApi.ts"
import { failure, ofServiceError, type ServiceError, type ToolFailure } from "./ToolFailure.ts"

type Client = HttpApiClient.ForApi<typeof OrchestratorApi>

/** Pause before a repeated call, in seconds, if the response names none. Quotes live for 120 seconds. */
const PAUSE_SECONDS = 15

/** Errors that the service returns before it handles a submission, or with which it refuses it. */
const NOT_SUBMITTED: ReadonlySet<string> = new Set(["RateLimitExceeded", "Refused", "BodyTooLarge", "InvalidJsonBody"])

/** Adds an `Idempotency-Key` that depends on the body alone. Nobody can guess it, because the body has the ids of quotes. */
const keyed = (request: HttpClientRequest.HttpClientRequest): HttpClientRequest.HttpClientRequest =>
  request.body._tag === "Uint8Array"
    ? HttpClientRequest.setHeader(request, "idempotency-key", sha256(request.body.body).slice("0x".length))
    : request

/** `Retry-After` in seconds. */
const secondsOf = (header: string | undefined): number | undefined =>
  header !== undefined && /^[0-9]{1,9}$/.test(header) ? Number(header) : undefined

const happened = (error: ServiceError, url: string): string => {
  if (HttpClientError.isHttpClientError(error) && error.reason._tag === "TransportError") {
    return `The service at ${url} does not respond.`
  }
  switch (error._tag) {
    case "IdempotencyKeyInUse":
      return "An earlier call with the same arguments is in progress."
    case "InternalError":
    case "Unavailable":
      return "The service failed."
    default:
      return `The response of ${url} does not follow the service's contract (${error._tag}).`
  }
}

interface Options<A, E extends ServiceError> {
  /** Name of the tool. */
  readonly tool: string
  /** Names the ids of the submitted quotes in a sentence. */
  readonly ids: string
  readonly send: (client: Client) => Effect.Effect<A, E>
  /** Explains a refusal of the service. Undefined for any other error. */
  readonly explain: (error: E, pause: string) => ToolFailure | undefined
}

/** Makes `submit(options)`. */
export const make = Effect.fnUntraced(function* (baseUrl: string) {
  const http = HttpClient.mapRequest(yield* HttpClient.HttpClient, keyed)
  const ofOrchestrator = ofServiceError("SERVICE_ORCHESTRATOR_URL", baseUrl)

  const unknown = (error: ServiceError, tool: string, ids: string, seconds: number) =>
    failure(
      `${happened(error, baseUrl)} The sweep may have been submitted.`,
      `call get_intent_status for ${ids}. Any status but \`quoted\` means that it was submitted: follow it, and do not have the owner ` +
        `sign again. If all are \`quoted\`, call ${tool} again with the same arguments after ${seconds} seconds: a ` +
        "repeated call submits nothing twice. If get_intent_status fails too, check that the service runs and that " +
        "SERVICE_ORCHESTRATOR_URL is its URL."
    )

  return Effect.fnUntraced(function* <A, E extends ServiceError>({ explain, ids, send, tool }: Options<A, E>) {
    // The contract's client does not hand over this header of most errors.
    const named = yield* Ref.make<number | undefined>(undefined)
    const client = yield* HttpApiClient.makeWith(OrchestratorApi, {
      baseUrl,
      httpClient: HttpClient.tap(http, ({ headers }) => Ref.set(named, secondsOf(headers["retry-after"])))
    })
    return yield* Effect.catch(send(client), (error) =>
      Effect.flatMap(Ref.get(named), (seconds) => {
        const pause = seconds === undefined ? "in a few seconds" : `after ${seconds} seconds`
        const explained = explain(error, pause)
        if (explained !== undefined) return Effect.fail(explained)
        return Effect.fail(
          NOT_SUBMITTED.has(error._tag) ? ofOrchestrator(error) : unknown(error, tool, ids, seconds ?? PAUSE_SECONDS)
        )
      })
    )
  })
})
