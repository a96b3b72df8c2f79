/**
 * Wraps every request in an id, a time limit, log annotations, one access log line, CORS and security headers, and answers
 * with an `{ error }` body if no handler did. Never logs bodies, queries or headers.
 */
import { Cause, Clock, Effect, Layer, Option, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpMiddleware, HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { MASKED } from "../../api/shared/Errors.ts"
import { HTTP_DURATION, HTTP_REQUESTS } from "../../telemetry/metrics/Http.ts"
import * as RequestDeadline from "./RequestDeadline.ts"
import * as RequestId from "./RequestId.ts"
import type { RouteTable } from "./RouteTable.ts"

type Response = HttpServerResponse.HttpServerResponse
type Wrap = <E, R>(
  app: Effect.Effect<Response, E, R>
) => Effect.Effect<Response, E, R | HttpServerRequest.HttpServerRequest>

/** CORS for any origin, without credentials, because no response depends on the browser's user. */
export const openCors: Wrap = HttpMiddleware.cors({
  allowedMethods: ["GET", "HEAD", "POST"],
  exposedHeaders: [
    "ETag",
    "Idempotent-Replayed",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "Sweep-Reason",
    "X-Request-Id"
  ],
  maxAge: 86_400
})

type Headers = Readonly<Record<string, string>>

const error = (status: number, text: string, headers: Headers = {}): Response =>
  HttpServerResponse.jsonUnsafe({ error: text }, { status, headers })

const DEFAULT_HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
}

/** Seconds after which a client may repeat a request that could not be served. */
const RETRY_AFTER_SECONDS = "1"

const withDefaultHeaders = (response: Response, requestId: string, unavailable: () => Headers): Response =>
  HttpServerResponse.setHeaders(response, {
    ...DEFAULT_HEADERS,
    ...(response.status === 503 ? { "retry-after": RETRY_AFTER_SECONDS, ...unavailable() } : {}),
    ...response.headers,
    [RequestId.HEADER]: requestId
  })

const isRouteNotFound = (failure: unknown): boolean =>
  HttpServerError.isHttpServerError(failure) && failure.reason._tag === "RouteNotFound"

/** Answers what the handlers left unanswered, except for interrupted requests: their clients are gone. */
const answerFailures = ({ elsewhere, routes }: Options, request: HttpServerRequest.HttpServerRequest): Wrap =>
  Effect.catchCause((cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
    if (Option.exists(Cause.findErrorOption(cause), isRouteNotFound)) {
      const known = routes.find(request.url)
      const otherProcess = known === undefined ? elsewhere?.(request.url) : undefined
      if (otherProcess !== undefined) return Effect.succeed(error(503, otherProcess))
      return Effect.succeed(
        known === undefined
          ? error(404, "not found")
          : error(405, "method not allowed", { allow: [...known.methods].join(", ") })
      )
    }
    return Effect.as(Effect.logError("unexpected failure", cause), error(500, MASKED))
  })

/** A connection whose request has not arrived completely cannot be used for another one. */
const requestTimeout = error(408, "request timed out", { connection: "close" })

/** Answers requests whose body or response takes too long. */
const answerLate =
  (limited: RequestDeadline.Limited): Wrap =>
  (app) =>
    Effect.flatMap(limited(app), (outcome) => {
      if (Result.isSuccess(outcome)) return Effect.succeed(outcome.success)
      return outcome.failure === "body"
        ? Effect.succeed(requestTimeout)
        : Effect.as(Effect.logWarning("no response within the time limit"), error(503, MASKED))
    })

const path = (request: HttpServerRequest.HttpServerRequest): string => request.url.split(/[?#;]/, 1)[0] ?? ""

const accessLog = (request: HttpServerRequest.HttpServerRequest, status: number, durationMs: number) =>
  Effect.logInfo("request").pipe(
    Effect.annotateLogs({ method: request.method, path: path(request), status, durationMs })
  )

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/** Counts by patterns and known methods only, since a client chooses the path and the method. */
const count = (
  routes: RouteTable,
  { method, url }: HttpServerRequest.HttpServerRequest,
  status: number,
  ms: number
) => {
  const route = routes.find(url)?.pattern ?? "unmatched"
  const labels = { route, method: METHODS.has(method) ? method : "other", status: String(status) }
  return Effect.andThen(HTTP_REQUESTS.record(1, labels), HTTP_DURATION.record(ms / 1_000, { route }))
}

/** nginx's status for a client that left before the response. */
const CLIENT_CLOSED_REQUEST = 499

export interface Options {
  readonly routes: RouteTable
  /** CORS policy of a request. Without one, the response has no CORS headers. */
  readonly cors: (request: HttpServerRequest.HttpServerRequest) => Wrap | undefined
  /** Headers of a 503, beside `Retry-After`. Default: none. */
  readonly unavailable?: (request: HttpServerRequest.HttpServerRequest) => Headers
  /** Error text for the target of a request that only other processes of the service answer. It is answered with 503. Default: none. */
  readonly elsewhere?: (url: string) => string | undefined
}

const make = (
  options: Options,
  random: SecureRandom.SecureRandom["Service"],
  limited: RequestDeadline.Limited
): Wrap => {
  const requestId = RequestId.make(random)
  const inTime = answerLate(limited)
  return <E, R>(app: Effect.Effect<Response, E, R>) => {
    const timed = inTime(app)
    const answer = (request: HttpServerRequest.HttpServerRequest, id: string) =>
      Clock.clockWith((clock) => {
        const start = clock.currentTimeNanosUnsafe()
        const ended = (status: number) =>
          Effect.suspend(() => {
            const durationMs = Number((clock.currentTimeNanosUnsafe() - start) / 1_000n) / 1_000
            return Effect.andThen(
              count(options.routes, request, status, durationMs),
              accessLog(request, status, durationMs)
            )
          })
        const answered = answerFailures(options, request)(timed)
        const cors = options.cors(request)
        return (cors === undefined ? answered : cors(answered)).pipe(
          Effect.flatMap((plain) => {
            const response = withDefaultHeaders(plain, id, () => options.unavailable?.(request) ?? {})
            return Effect.as(ended(response.status), response)
          }),
          Effect.onInterrupt(() => ended(CLIENT_CLOSED_REQUEST)),
          Effect.annotateLogs({ requestId: id })
        )
      })
    return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      Effect.flatMap(requestId(request), (id) => answer(request, id))
    )
  }
}

export const layer = (options: Options) =>
  HttpRouter.middleware(
    Effect.gen(function* () {
      return make(options, yield* SecureRandom.SecureRandom, yield* RequestDeadline.make)
    }),
    { global: true }
  ).pipe(Layer.provide(SecureRandom.layerWebCrypto))
