/** One HTTP exchange with a JSON-RPC endpoint. The caller interprets the reply. */
import { Clock, Duration, Effect, Semaphore } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import * as Body from "../../body/Body.ts"
import { EndpointFailed } from "./JsonRpc.ts"
import * as RateLimits from "./RateLimits.ts"
import * as UrlSecrets from "./UrlSecrets.ts"

export interface Reply {
  /** HTTP status. */
  readonly status: number
  /** Parsed body; undefined if it is not JSON. */
  readonly body: unknown
  /** Header `Retry-After` in milliseconds from now, if the reply has a valid one. */
  readonly retryAfterMillis?: number | undefined
}

export interface Transport {
  /** Host of the URL only, since the rest of an RPC URL often contains an API key. */
  readonly name: string
  readonly post: (body: unknown) => Effect.Effect<Reply, EndpointFailed>
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Requests of one endpoint under way at a time. A process has a limited number of outgoing requests (Bun: 256 by default), so an
 * endpoint that accepts requests and answers none would otherwise take the places of all others.
 */
const PLACES = 32

/** Largest body of an answer, in bytes. geth limits that of a batch to 25 MB. */
const MAX_BYTES = 67_108_864

/** Fails without a reply within `timeout`, in which a request may also wait for its place. Does not retry. */
export const make = (client: HttpClient.HttpClient, url: string, timeout: Duration.Input): Transport => {
  const limit = Duration.fromInputUnsafe(timeout)
  const name = UrlSecrets.hostOf(url)
  const hide = UrlSecrets.hiding(url)
  const places = Semaphore.makeUnsafe(PLACES)
  const failed = (detail: string) => new EndpointFailed({ endpoint: name, detail })
  const post: Transport["post"] = (body) =>
    client.execute(HttpClientRequest.post(url).pipe(HttpClientRequest.bodyJsonUnsafe(body))).pipe(
      Effect.flatMap((response) =>
        Effect.flatMap(Body.text(response, MAX_BYTES), (said): Effect.Effect<Reply> => {
          const { headers, status } = response
          const retryAfter = headers["retry-after"]
          const body = parsed(hide(said))
          if (retryAfter === undefined) return Effect.succeed({ status, body })
          return Effect.map(Clock.currentTimeMillis, (now) => ({
            status,
            body,
            retryAfterMillis: RateLimits.retryAfter(retryAfter, now)
          }))
        })
      ),
      // The client's spans and errors contain the URL, and with it an API key. So both are dropped.
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
      // A redirect would lead the request elsewhere than the operator said.
      Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
      Effect.mapError((error) => failed(error._tag === "BodyTooLong" ? error.message : error.reason._tag)),
      places.withPermit,
      Effect.timeoutOrElse({
        duration: limit,
        orElse: () => Effect.fail(failed(`no answer within ${Duration.toMillis(limit)} ms`))
      })
    )
  return { name, post }
}
