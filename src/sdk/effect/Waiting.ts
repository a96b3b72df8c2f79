/**
 * Waits for the end of an intent: follows the service's event stream, and polls if there is none or it breaks. The rules stand in
 * `core`; this module does the requests and the pauses.
 */
import { Effect, Option, Schema, Stream } from "effect"
import type { HttpClientResponse } from "effect/http"
import { IntentView } from "../../api/orchestrator/Schemas.ts"
import { makeChangeFilter } from "../core/Changes.ts"
import { isEventStream, makeStateReader, SILENCE_MILLIS } from "../core/EventStream.ts"
import { pauseAfterFailedPoll, pauseAfterPoll } from "../core/Polling.ts"
import { isEnded } from "../model/Intent.ts"
import { failureOf, type TaggedFailure } from "./Retrying.ts"

type Intent = typeof IntentView.Type

const decode = Schema.decodeUnknownOption(IntentView)
const decodeIntent = (value: unknown): Intent | undefined => Option.getOrUndefined(decode(value))

/** Emits the states of the event stream. Ends without an error if there is no stream, it breaks, or it falls silent. */
const streamedStates = <E>(opened: Effect.Effect<HttpClientResponse.HttpClientResponse, E>, id: string) =>
  Effect.map(Effect.timeout(opened, SILENCE_MILLIS), (response) =>
    isEventStream(response.status, response.headers["content-type"])
      ? Stream.timeout(response.stream, SILENCE_MILLIS)
      : Stream.empty
  ).pipe(
    Stream.unwrap,
    Stream.decodeText,
    Stream.mapAccum(
      () => makeStateReader(id, decodeIntent),
      (read, text) => [read, read(text)]
    ),
    Stream.catch(() => Stream.empty)
  )

const poll = <E extends TaggedFailure>(
  status: Effect.Effect<Intent, E>,
  seen: (intent: Intent) => Effect.Effect<void>
): Effect.Effect<Intent, E> => {
  const pollAgain = (polled: number): Effect.Effect<Intent, E> =>
    Effect.matchEffect(status, {
      onSuccess: (intent) => {
        const next = Effect.suspend(() => pollAgain(polled + 1))
        const rest = isEnded(intent) ? Effect.succeed(intent) : Effect.delay(next, pauseAfterPoll(polled))
        return Effect.andThen(seen(intent), rest)
      },
      onFailure: (error) => {
        const pause = pauseAfterFailedPoll(failureOf(error), polled)
        return pause === undefined ? Effect.fail(error) : Effect.delay(pollAgain(polled + 1), pause)
      }
    })
  return pollAgain(1)
}

/** Succeeds with the intent once it is `delivered` or `failed`. */
export const waitForIntent = Effect.fnUntraced(function* <E extends TaggedFailure, EventsError>(
  id: string,
  options: {
    /** Requests the state once. */
    readonly status: Effect.Effect<Intent, E>
    /** Opens the event stream. */
    readonly opened: Effect.Effect<HttpClientResponse.HttpClientResponse, EventsError>
    /** Run with the first known state, and after every change. */
    readonly onProgress: (intent: Intent) => Effect.Effect<void>
  }
) {
  const isChange = makeChangeFilter()
  const seen = (intent: Intent) => Effect.suspend(() => (isChange(intent) ? options.onProgress(intent) : Effect.void))
  const ended = yield* streamedStates(options.opened, id).pipe(Stream.tap(seen), Stream.filter(isEnded), Stream.runHead)
  return Option.isSome(ended) ? ended.value : yield* poll(options.status, seen)
})
