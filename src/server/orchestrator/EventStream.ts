/**
 * Server-sent events (WHATWG HTML, "Server-sent events"): the current state at once, then each later state. The stream ends after the
 * final state. Each event holds the whole state, so a client that reconnects misses nothing, and `Last-Event-ID` matters only at the
 * end.
 */
import { Effect, Option, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { RateLimitExceeded, Unavailable } from "../../api/shared/Errors.ts"
import * as ClientAddress from "../shared/ClientAddress.ts"
import { mask } from "../shared/Masked.ts"
import { ServerSettings } from "../shared/ServerSettings.ts"

/** Maximum number of open streams of one client. Clients with unknown addresses share one limit, as with requests. */
const STREAMS_PER_CLIENT = 100

/** Maximum number of open streams of all clients of one IPv6 site, which has 65,536 networks that are clients. */
const STREAMS_PER_SITE = 500

/** Maximum number of open streams of all clients. Streams of intents and those of sweeps have a limit each. */
const STREAMS = 5_000

/** Proxies close idle connections, commonly after a minute. */
const HEARTBEAT = "15 seconds"

/** Milliseconds that a client waits before it reconnects. */
const RETRY_MILLIS = 1_000

/** `Retry-After` of a client with too many streams, any of which may end at any time. */
const RETRY_AFTER_SECONDS = 5

/** One event: the whole state. */
export interface Told {
  /** Sent back as `Last-Event-ID` when a client reconnects. */
  readonly id: string
  /** JSON. */
  readonly data: string
  /** True if no other state follows. */
  readonly isFinal: boolean
}

const event = ({ data, id }: Told): string => `id: ${id}\ndata: ${data}\n\n`

/** A comment, which clients ignore. */
const BEAT = ":\n\n"

const NO_MORE = HttpServerResponse.empty({ status: 204 })

/** Sent with `Retry-After`, as all responses of this status. */
const full = mask(() => new Unavailable())

/** Keys under which a stream of a client is counted, each with its maximum number of open streams. */
const limitsOf = (client: string): ReadonlyArray<readonly [string, number]> => [
  [client, STREAMS_PER_CLIENT],
  ...Option.toArray(ClientAddress.siteKey(client)).map((site) => [site, STREAMS_PER_SITE] as const)
]

/** Makes `respond(current, told)`: the stream of `told`, which begins with the current state. `most`: open streams of all clients. */
export const makeWith = Effect.fnUntraced(function* (most: number) {
  const { trustedProxyHops } = yield* ServerSettings
  const open = new Map<string, number>()
  let all = 0

  const begin = Effect.fnUntraced(function* (limits: ReturnType<typeof limitsOf>) {
    const isFull = limits.some(([key, limit]) => (open.get(key) ?? 0) >= limit)
    if (isFull) return yield* new RateLimitExceeded({ retryAfterSeconds: RETRY_AFTER_SECONDS })
    if (all >= most) return yield* full({ _tag: "TooManyStreams", message: `${most} event streams are open` })
    all += 1
    for (const [key] of limits) open.set(key, (open.get(key) ?? 0) + 1)
  })

  /** Counts a stream of the client until the response ends. */
  const counted = (client: string) => {
    const limits = limitsOf(client)
    return Effect.acquireRelease(begin(limits), () =>
      Effect.sync(() => {
        all -= 1
        for (const [key] of limits) {
          const streams = open.get(key) ?? 1
          if (streams === 1) open.delete(key)
          else open.set(key, streams - 1)
        }
      })
    )
  }

  return Effect.fnUntraced(function* (current: Told, told: Stream.Stream<Told>) {
    const request = yield* HttpServerRequest.HttpServerRequest
    // A browser reconnects after every end, except after a 204 (WHATWG HTML, 9.2.3).
    if (current.isFinal && request.headers["last-event-id"] === current.id) return NO_MORE
    yield* counted(ClientAddress.fromRequest(request, trustedProxyHops))
    const events = told.pipe(
      Stream.map(event),
      Stream.prepend([`retry: ${RETRY_MILLIS}\n\n`]),
      Stream.merge(
        Stream.drop(
          Stream.map(Stream.tick(HEARTBEAT), () => BEAT),
          1
        ),
        { haltStrategy: "left" }
      )
    )
    return HttpServerResponse.stream(Stream.encodeText(events), {
      contentType: "text/event-stream",
      // Without it, nginx buffers events.
      headers: { "x-accel-buffering": "no" }
    })
  })
})

/** {@link makeWith} the limit of a service. */
export const make = makeWith(STREAMS)
