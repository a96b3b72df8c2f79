/**
 * Following an intent to its end with Effect: by the service's event stream, and by polling where there is none or it breaks.
 */
import { Effect, Option, Schedule, Schema, Stream } from "effect"
import { Sse } from "effect/encoding"
import type { HttpClientResponse } from "effect/http"
import { IntentView } from "../api/orchestrator/Schemas.ts"
import { isTerminal } from "../domain/Intent.ts"
import { patience } from "./effectAttempts.ts"

type Intent = typeof IntentView.Type

/** A stream that says nothing for so long, not even a comment, is taken for dead. */
const SILENCE = "20 seconds"

/** Quickly at first, then as often as the specification says. */
const polling = Schedule.min([Schedule.exponential("500 millis", 1.4), Schedule.spaced("3 seconds")])

const PAUSE_MILLIS = 3_000

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(IntentView))

/**
 * The data of each event of a chunk of text. The contract's own decoder ends a stream at its `retry` line, with which a browser
 * learns when to come again; here polling takes over where a stream ends.
 */
const makeReader = () => {
  let data: Array<string> = []
  const parser = Sse.makeParser((event) => {
    if (event._tag === "Event") data.push(event.data)
  })
  return (text: string): ReadonlyArray<string> => {
    parser.feed(text)
    const read = data
    data = []
    return read
  }
}

const isStream = (response: HttpClientResponse.HttpClientResponse): boolean =>
  response.status === 200 && response.headers["content-type"]?.startsWith("text/event-stream") === true

/** What the event stream says of the intent. Ends, and never fails, when there is no stream, it stops, or it falls silent. */
const streamed = <E>(opened: Effect.Effect<HttpClientResponse.HttpClientResponse, E>, id: string) =>
  Effect.map(Effect.timeout(opened, SILENCE), (response) =>
    isStream(response) ? Stream.timeout(response.stream, SILENCE) : Stream.empty
  ).pipe(
    Stream.unwrap,
    Stream.decodeText,
    Stream.mapAccum(makeReader, (read, text) => [read, read(text).flatMap((data) => Option.toArray(decode(data)))]),
    Stream.filter((intent) => intent.id === id),
    Stream.catch(() => Stream.empty)
  )

interface Trouble {
  readonly _tag: string
  readonly retryAfterSeconds?: number
}

/** Asks until there is an answer; fails only with what will not pass. */
const patiently = <E extends Trouble>(status: Effect.Effect<Intent, E>): Effect.Effect<Intent, E> =>
  status.pipe(
    Effect.catch((error) => {
      const wait = patience(error, PAUSE_MILLIS)
      return wait === undefined ? Effect.fail(error) : Effect.andThen(Effect.sleep(wait), patiently(status))
    })
  )

/** The intent once it has ended. `status` asks for it once, `opened` for its event stream. */
export const waitForIntent = Effect.fnUntraced(function* <E extends Trouble, EventsError>(
  id: string,
  options: {
    readonly status: Effect.Effect<Intent, E>
    readonly opened: Effect.Effect<HttpClientResponse.HttpClientResponse, EventsError>
    /** Run with the intent as first seen, and after every change. */
    readonly onProgress: (intent: Intent) => Effect.Effect<void>
  }
) {
  let last: Intent | undefined
  const seen = (intent: Intent) => {
    const changed =
      last?.status !== intent.status || last.txHash !== intent.txHash || last.deliveryTxHash !== intent.deliveryTxHash
    last = intent
    return changed ? options.onProgress(intent) : Effect.void
  }
  const ended = yield* streamed(options.opened, id).pipe(
    Stream.tap(seen),
    Stream.filter(({ status }) => isTerminal(status)),
    Stream.runHead
  )
  if (Option.isSome(ended)) return ended.value
  return yield* Effect.repeat(Effect.tap(patiently(options.status), seen), {
    schedule: polling,
    until: ({ status }) => isTerminal(status)
  })
})
