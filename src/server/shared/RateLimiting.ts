/**
 * Counts requests per client and window (spec, "Limits") before anything else is done with them. If the store fails, requests
 * pass: availability matters more than the limit.
 */
import { Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { RateLimiter } from "effect/persistence"
import { RateLimitExceeded } from "../../api/shared/Errors.ts"
import { CountedIn, RateLimited } from "../../api/shared/Middleware.ts"
import { OperatorsUncounted } from "../../api/shared/OperatorsUncounted.ts"
import { SitesCounted } from "../../api/shared/SitesCounted.ts"
import type { RateLimitPolicy } from "../../domain/RateLimit.ts"
import * as ClientAddress from "./ClientAddress.ts"
import { continued } from "./ContinuedTrace.ts"
import * as OperatorAuth from "./OperatorAuth.ts"
import * as RateLimits from "./RateLimits.ts"
import { retryAfterSeconds } from "./RetryAfter.ts"
import { type RateLimitWindow, ServerSettings } from "./ServerSettings.ts"

const policyOf = (options: {
  readonly endpoint: HttpApiEndpoint.Top
  readonly group: HttpApiGroup.Top
}): Option.Option<RateLimitPolicy> =>
  Option.orElse(Context.getOption(options.endpoint.annotations, CountedIn), () =>
    Context.getOption(options.group.annotations, CountedIn)
  )

/** Clients of one IPv6 site may together make this many times the requests of one client to groups with {@link SitesCounted}. */
const COUNTED_SITE_FACTOR = 10

/** The same for all other groups. A site has 65,536 clients, which could fill the database together. */
const SITE_FACTOR = 100

const BEARER = "Bearer "

/** True for a request that came with the operator's token to a group that does not count operators. */
export class ByOperator extends Context.Reference<boolean>("sweep/server/ByOperator", { defaultValue: () => false }) {}

const seconds = (duration: Duration.Duration): number => Math.ceil(Duration.toSeconds(duration))

/** Name of a policy in headers. The orchestrator has only one policy. */
const policyName = (policy: RateLimitPolicy): string => (policy === "orchestrator" ? "default" : policy)

/** Adds `RateLimit-Policy` and, if known, `RateLimit` to the response (draft-ietf-httpapi-ratelimit-headers). */
const tellLimits = (
  policy: RateLimitPolicy,
  { limit, windowMillis }: RateLimitWindow,
  left?: { readonly remaining: number; readonly resetAfter: Duration.Duration }
) => {
  const name = `"${policyName(policy)}"`
  const headers = {
    "ratelimit-policy": `${name};q=${limit};w=${seconds(Duration.millis(windowMillis))}`,
    ...(left === undefined ? {} : { ratelimit: `${name};r=${left.remaining};t=${seconds(left.resetAfter)}` })
  }
  return HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, headers))
  )
}

export const layer = Layer.effect(
  RateLimited,
  Effect.gen(function* () {
    const limiter = yield* RateLimiter.RateLimiter
    const { trustedProxyHops } = yield* ServerSettings
    const windowOf = yield* RateLimits.make
    const admit = yield* OperatorAuth.makeAdmit
    const warnOfIgnoredHeader = yield* ClientAddress.makeWarning

    /** True for an operator's request to an endpoint that does not count operators. A wrong token is a guess here too. */
    const isUncounted = (group: HttpApiGroup.Top, authorization: string | undefined) =>
      authorization?.startsWith(BEARER) === true && Context.get(group.annotations, OperatorsUncounted)
        ? admit(Redacted.make(authorization.slice(BEARER.length))).pipe(
            Effect.as(true),
            Effect.catchTag("Unauthorized", () => Effect.succeed(false))
          )
        : Effect.succeed(false)

    /** The middleware of a policy. */
    const counted = <E, R>(
      handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
      group: HttpApiGroup.Top,
      policy: RateLimitPolicy
    ) => {
      const refuse = Effect.fnUntraced(function* (window: RateLimitWindow, error: RateLimiter.RateLimiterError) {
        if (error.reason._tag === "RateLimitExceeded") {
          const { retryAfter } = error.reason
          yield* tellLimits(policy, window, { remaining: 0, resetAfter: retryAfter })
          return yield* new RateLimitExceeded({ retryAfterSeconds: retryAfterSeconds(retryAfter) })
        }
        yield* tellLimits(policy, window)
        yield* Effect.logWarning("the rate limit store failed; the request was not limited", error)
      })
      const count = (request: HttpServerRequest.HttpServerRequest) =>
        Effect.flatMap(windowOf(policy), (window) => {
          const client = ClientAddress.fromRequest(request, trustedProxyHops)
          const consume = (of: string, limit: number) =>
            limiter.consume({ key: `${policy}:${of}`, limit, window: Duration.millis(window.windowMillis) })
          const site = Option.match(ClientAddress.siteKey(client), {
            onNone: () => Effect.void,
            onSome: (of) =>
              Context.get(group.annotations, SitesCounted)
                ? consume(of, COUNTED_SITE_FACTOR * window.limit)
                : consume(`others:${of}`, SITE_FACTOR * window.limit)
          })
          return Effect.catch(
            Effect.flatMap(Effect.tap(consume(client, window.limit), site), (left) => tellLimits(policy, window, left)),
            (error) => refuse(window, error)
          )
        })
      return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.flatMap(isUncounted(group, request.headers["authorization"]), (isFree) =>
          isFree
            ? continued(Effect.provideService(handler, ByOperator, true))
            : warnOfIgnoredHeader(request).pipe(Effect.andThen(count(request)), Effect.andThen(handler))
        )
      )
    }

    return (handler, options) =>
      Option.match(policyOf(options), {
        onNone: () => Effect.die(new Error(`${options.endpoint.path} is rate limited and names no window`)),
        onSome: (policy) => counted(handler, options.group, policy)
      })
  })
)

/** The middleware with counts in the given store. */
export const layerWithStore = <E, R>(store: Layer.Layer<RateLimiter.RateLimiterStore, E, R>) =>
  layer.pipe(Layer.provide(RateLimiter.layer), Layer.provide(store))
