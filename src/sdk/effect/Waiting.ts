/**
 * Waits for the end of an intent or a sweep: follows the service's event stream, and polls if there is none or it breaks. The rules stand in
 * `core`; this module does the requests and the pauses.
 */
import { Effect, Option, Schema, Stream } from "effect"
import type { HttpClientResponse } from "effect/http"
import { IntentView } from "../../api/orchestrator/Schemas.ts"
import { SweepView } from "../../api/orchestrator/SweepApi.ts"
import { makeChangeFilter } from "../core/Changes.ts"
import { isEventStream, makeStateReader, SILENCE_MILLIS } from "../core/EventStream.ts"
import { pauseAfterFailedPoll, pauseAfterPoll } from "../core/Polling.ts"
import { isEnded } from "../model/Batch.ts"
import { failureOf, type TaggedFailure } from "./Retrying.ts"

/** Reads a state. Returns undefined for a value that is none. */
type Decode<State> = (value: unknown) => State | undefined

const decodeIntent = Schema.decodeUnknownOption(IntentView)
const decodeSweep = Schema.decodeUnknownOption(SweepView)

export const INTENT: Decode<typeof IntentView.Type> = (value) => Option.getOrUndefined(decodeIntent(value))

export const SWEEP: Decode<typeof SweepView.Type> = (value) => Option.getOrUndefined(decodeSweep(value))

type AnyState = typeof IntentView.Type | typeof SweepView.Type

/** Emits the states of the event stream. Ends without an error if there is no stream, it breaks, or it falls silent. */
const streamedStates = <State extends { readonly id: string }, E>(
  opened: Effect.Effect<HttpClientResponse.HttpClientResponse, E>,
  id: string,
  decode: Decode<State>
) =>
  Effect.map(Effect.timeout(opened, SILENCE_MILLIS), (response) =>
    isEventStream(response.status, response.headers["content-type"])
      ? Stream.timeout(response.stream, SILENCE_MILLIS)
      : Stream.empty
  ).pipe(
    Stream.unwrap,
    Stream.decodeText,
    Stream.mapAccum(
      () => makeStateReader(id, decode),
      (read, text) => [read, read(text)]
    ),
    Stream.catch(() => Stream.empty)
  )

const poll = <State extends AnyState, E extends TaggedFailure>(
  status: Effect.Effect<State, E>,
  seen: (state: State) => Effect.Effect<void>
): Effect.Effect<State, E> => {
  const pollAgain = (polled: number): Effect.Effect<State, E> =>
    Effect.matchEffect(status, {
      onSuccess: (state) => {
        const next = Effect.suspend(() => pollAgain(polled + 1))
        const rest = isEnded(state) ? Effect.succeed(state) : Effect.delay(next, pauseAfterPoll(polled))
        return Effect.andThen(seen(state), rest)
      },
      onFailure: (error) => {
        const pause = pauseAfterFailedPoll(failureOf(error), polled)
        return pause === undefined ? Effect.fail(error) : Effect.delay(pollAgain(polled + 1), pause)
      }
    })
  return pollAgain(1)
}

/** Succeeds with an intent or a sweep once it has ended. */
export const waitForEnd = Effect.fnUntraced(function* <State extends AnyState, E extends TaggedFailure, EventsError>(
  id: string,
  decode: Decode<State>,
  options: {
    /** Requests the state once. */
    readonly status: Effect.Effect<State, E>
    /** Opens the event stream. */
    readonly opened: Effect.Effect<HttpClientResponse.HttpClientResponse, EventsError>
    /** Run with the first known state, and after every change. */
    readonly onProgress: (state: State) => Effect.Effect<void>
  }
) {
  const isChange = makeChangeFilter()
  const seen = (state: State) => Effect.suspend(() => (isChange(state) ? options.onProgress(state) : Effect.void))
  const ended = yield* streamedStates(options.opened, id, decode).pipe(
    Stream.tap(seen),
    Stream.filter(isEnded),
    Stream.runHead
  )
  return Option.isSome(ended) ? ended.value : yield* poll(options.status, seen)
})
