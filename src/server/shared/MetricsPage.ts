/**
 * `GET /metrics`: the metrics of the process in the text format of Prometheus, for the bearer of `METRICS_TOKEN` alone. They tell
 * about balances and losses, so the route is closed without a token.
 */
import { Effect, Redacted } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import type { RateLimitExceeded } from "../../api/shared/Errors.ts"
import * as OperatorAuth from "./OperatorAuth.ts"
import { ServerSettings } from "./ServerSettings.ts"
import * as WrongTokens from "./WrongTokens.ts"

/** Every path that is answered here. */
export const PATHS = ["/metrics"] as const

/** True for the pattern of a route of this page. */
export const isHere = (pattern: string | undefined): boolean => PATHS.some((path) => path === pattern)

const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

const unauthorized = HttpServerResponse.jsonUnsafe(
  { error: "unauthorized" },
  { status: 401, headers: { "www-authenticate": "Bearer" } }
)

const notFound = HttpServerResponse.jsonUnsafe({ error: "not found" }, { status: 404 })

/**
 * True if the request names a path exactly. The router also finds `/metrics/` and `/metrics;x`, which a proxy that closes the path may
 * pass on.
 */
const isExact = (target: string): boolean => isHere(target.split("?", 1)[0])

const tooMany = ({ retryAfterSeconds }: RateLimitExceeded) =>
  HttpServerResponse.jsonUnsafe(
    { error: "rate limit exceeded" },
    { status: 429, headers: { "retry-after": String(retryAfterSeconds) } }
  )

const SCHEME = /^Bearer +/i

const credentialOf = ({ headers }: HttpServerRequest.HttpServerRequest): Redacted.Redacted =>
  Redacted.make((headers.authorization ?? "").replace(SCHEME, ""))

const page = Effect.map(PrometheusMetrics.format(), (text) =>
  HttpServerResponse.text(text, { contentType: CONTENT_TYPE })
)

/** Needs `ServerSettings` and a `RateLimiter`. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const token = (yield* ServerSettings).metricsToken
    const isRight = yield* OperatorAuth.comparing(token)
    const judge = yield* WrongTokens.make
    const answer = Effect.fnUntraced(
      function* (request: HttpServerRequest.HttpServerRequest) {
        if (!isExact(request.url)) return notFound
        const credential = credentialOf(request)
        // Without a credential, or a token to guess, nothing is guessed.
        if (token === undefined || Redacted.value(credential) === "") return unauthorized
        yield* judge(yield* isRight(credential))
        return yield* page
      },
      Effect.catchTags({
        Unauthorized: () => Effect.succeed(unauthorized),
        RateLimitExceeded: (refused) => Effect.succeed(tooMany(refused))
      })
    )
    yield* router.add("GET", "/metrics", answer)
  })
)
