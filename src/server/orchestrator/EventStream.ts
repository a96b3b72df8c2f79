/**
 * Server-sent events (WHATWG HTML, "Server-sent events"): the current state at once, then each later state. The stream ends after the
 * final state. Each event holds the whole state, so a client that reconnects misses nothing, and `Last-Event-ID` matters only at the
 * end.
 */
import { Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { RateLimitExceeded, Unavailable } from "../../api/shared/Errors.ts"
import * as ClientAddress from "../shared/ClientAddress.ts"
import { mask } from "../shared/Masked.ts"
import { ServerSettings } from "../shared/ServerSettings.ts"

/** Maximum number of open streams of one client. Clients with unknown addresses share one limit, as with requests. */
const STREAMS_PER_CLIENT = 100

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

/** Makes `respond(current, told)`: the stream of `told`, which begins with the current state. `most`: open streams of all clients. */
export const makeWith = Effect.fnUntraced(function* (most: number) {
  const { trustedProxyHops } = yield* ServerSettings
  const open = new Map<string, number>()
  let all = 0

  const begin = Effect.fnUntraced(function* (client: string) {
    const streams = open.get(client) ?? 0
    if (streams >= STREAMS_PER_CLIENT) return yield* new RateLimitExceeded({ retryAfterSeconds: RETRY_AFTER_SECONDS })
    if (all >= most) return yield* full({ _tag: "TooManyStreams", message: `${most} event streams are open` })
    all += 1
    open.set(client, streams + 1)
  })

  /** Counts a stream of the client until the response ends. */
  const counted = (client: string) =>
    Effect.acquireRelease(begin(client), () =>
      Effect.sync(() => {
        all -= 1
        const streams = open.get(client) ?? 1
        if (streams === 1) open.delete(client)
        else open.set(client, streams - 1)
      })
    )

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
