/**
 * {@link BuilderAttribution} over the builder backend's `POST /attribute` (spec). The key is in a header, never in a body. With the
 * backend's token the requests are not counted, so that an orchestrator can ask for each quote: a rotated or suspended key then
 * stops attributing at once.
 */
import { Cache, Context, Duration, Effect, Exit, identity, Layer, Option, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { sha256, stringToHex } from "viem"
import { Attribution } from "../../domain/Builder.ts"
import { AttributionUnavailable, BuilderAttribution } from "../../ports/orchestrator/BuilderAttribution.ts"
import * as Exchange from "./Exchange.ts"

export interface Options {
  /** Base URL of the builder backend. */
  readonly builderUrl: string
  /** Token of the backend for machines. Without it the backend limits the requests of this client. */
  readonly token?: Redacted.Redacted
  readonly timeout?: Duration.Input
  /** Time for which an answer is cached. A rotated key or a changed markup takes effect within it. Default: no cache. */
  readonly cacheLifetime?: Duration.Input
}

/** Maximum number of cached keys. It is bounded, because anyone can send invented keys. */
const CACHE_CAPACITY = 10_000

/** The key of the lookup in progress. The cache holds only hashes of keys, so that no key outlives its request. */
class ApiKey extends Context.Service<ApiKey, Redacted.Redacted>()(
  "sweep/adapters/http/BuilderAttributionHttp/ApiKey"
) {}

const readAttribution = Exchange.json(Attribution)

const readUnattributed = Exchange.json(Schema.Struct({ error: Schema.Literal("unattributed") }))

export const make = Effect.fnUntraced(function* (options: Options) {
  const client = yield* HttpClient.HttpClient
  const timeout = options.timeout ?? Duration.seconds(3)
  const request = HttpClientRequest.post("/attribute").pipe(
    HttpClientRequest.prependUrl(options.builderUrl),
    HttpClientRequest.acceptJson,
    options.token === undefined ? identity : HttpClientRequest.bearerToken(options.token)
  )

  const ask = Effect.fnUntraced(
    function* (apiKey: Redacted.Redacted) {
      const withKey = HttpClientRequest.setHeader(request, "x-api-key", Redacted.value(apiKey))
      return yield* Exchange.exchange(client, withKey, timeout, (response) => {
        if (response.status === 200) return Effect.asSome(readAttribution(response))
        // Another server at the URL knows no key either, and its 404 says nothing about one.
        return response.status === 404
          ? Effect.as(readUnattributed(response), Option.none())
          : Effect.fail(Exchange.unexpected(response))
      })
    },
    Effect.mapError((error) => new AttributionUnavailable({ detail: error.message }))
  )

  const cacheLifetime = Duration.fromInputUnsafe(options.cacheLifetime ?? Duration.zero)
  // An answer on its way may be older than the rotation of its key, so no other caller shares it.
  if (Duration.isZero(cacheLifetime)) {
    return BuilderAttribution.of({ resolve: Effect.fn("BuilderAttribution.resolve")(ask) })
  }
  const answers = yield* Cache.makeWith<string, Option.Option<Attribution>, AttributionUnavailable, ApiKey, "lookup">(
    (_hash) => Effect.flatMap(ApiKey, ask),
    {
      capacity: CACHE_CAPACITY,
      requireServicesAt: "lookup",
      timeToLive: (exit) => (Exit.isSuccess(exit) ? cacheLifetime : Duration.zero)
    }
  )

  const resolve = Effect.fn("BuilderAttribution.resolve")(function* (apiKey: Redacted.Redacted) {
    const hash = sha256(stringToHex(Redacted.value(apiKey)))
    return yield* Effect.provideService(Cache.get(answers, hash), ApiKey, apiKey)
  })

  return BuilderAttribution.of({ resolve })
})

export const layer = (options: Options) => Layer.effect(BuilderAttribution, make(options))
