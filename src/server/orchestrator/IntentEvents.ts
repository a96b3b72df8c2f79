/**
 * An intent's states as server-sent events (WHATWG HTML, "Server-sent events"): the state that it has at once, each other one
 * as it comes, and the end of the stream after the last. Every event is a whole state, so a client that missed some has missed
 * nothing that counts, and `Last-Event-ID` matters only for the end.
 */
import { Effect, Schema, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { IntentView } from "../../api/orchestrator/Schemas.ts"
import { RateLimitExceeded } from "../../api/shared/Errors.ts"
import { isTerminal } from "../../domain/Intent.ts"
import type { IntentState } from "../../ports/orchestrator/Intents.ts"
import * as ClientAddress from "../shared/ClientAddress.ts"
import { ServerSettings } from "../shared/ServerSettings.ts"
import type { IntentStates } from "./IntentStates.ts"

/** Streams that one client may have open: as with requests, clients whose address is not known share them. */
const STREAMS_PER_CLIENT = 100

/** Proxies cut connections on which nothing happens, commonly after a minute. */
const HEARTBEAT = "15 seconds"

/** How long a client waits before it comes again after the stream broke, in milliseconds. */
const RETRY_MILLIS = 1_000

/** When to try again where a client has too many streams: one of them may end at any time. */
const RETRY_AFTER_SECONDS = 5

const encode = Schema.encodeSync(Schema.fromJsonString(IntentView))

const event = (state: IntentState): string => `id: ${state.status}\ndata: ${encode(state)}\n\n`

/** A comment, which clients ignore. */
const BEAT = ":\n\n"

const NO_MORE = HttpServerResponse.empty({ status: 204 })

/** Answers with the events of an intent whose state was just read. */
export const make = Effect.fnUntraced(function* (states: IntentStates) {
  const { trustedProxyHops } = yield* ServerSettings
  const open = new Map<string, number>()

  /** Takes one of the client's streams until the response is over. */
  const counted = (client: string) =>
    Effect.acquireRelease(
      Effect.suspend(() => {
        const streams = open.get(client) ?? 0
        if (streams >= STREAMS_PER_CLIENT) {
          return Effect.fail(new RateLimitExceeded({ retryAfterSeconds: RETRY_AFTER_SECONDS }))
        }
        return Effect.sync(() => open.set(client, streams + 1))
      }),
      () =>
        Effect.sync(() => {
          const streams = open.get(client) ?? 1
          if (streams === 1) open.delete(client)
          else open.set(client, streams - 1)
        })
    )

  return Effect.fnUntraced(function* (state: IntentState) {
    const request = yield* HttpServerRequest.HttpServerRequest
    // A browser comes again after every end. This answer alone tells it that there is nothing more (WHATWG HTML, 9.2.3).
    if (isTerminal(state.status) && request.headers["last-event-id"] === state.status) return NO_MORE
    yield* counted(ClientAddress.fromRequest(request, trustedProxyHops))
    const told = states.follow(state).pipe(
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
    return HttpServerResponse.stream(Stream.encodeText(told), {
      contentType: "text/event-stream",
      // Otherwise nginx collects events before it passes them on.
      headers: { "x-accel-buffering": "no" }
    })
  })
})
