/**
 * Waits for the end of an intent: follows the service's event stream, and polls if there is none or it breaks. The rules stand in
 * `core`; this module does the requests and the pauses.
 */
import { makeChangeFilter } from "../core/Changes.ts"
import { isEventStream, makeStateReader, SILENCE_MILLIS } from "../core/EventStream.ts"
import { pauseAfterFailedPoll, pauseAfterPoll, type PollPauses } from "../core/Polling.ts"
import { MalformedAnswerError, WaitTimeoutError } from "../model/Errors.ts"
import { type Intent, isEnded } from "../model/Intent.ts"
import { readIntent } from "../wire/Intent.ts"
import type { Http } from "./Http.ts"
import { failureOf } from "./Retrying.ts"
import { sleep } from "./Sleep.ts"

export interface WaitOptions {
  /** Ends the wait, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Called with the first known state, and after every change. */
  readonly onProgress?: (intent: Intent) => void
  /** Timeout in milliseconds. Default: 15 minutes. */
  readonly timeoutMillis?: number
  /** Pauses between polls, in milliseconds. Default: 500 at first, 3000 at most. */
  readonly pollMillis?: PollPauses
  /** False to poll even if the service has an event stream. Default: true. */
  readonly events?: boolean
}

const DEFAULT_TIMEOUT_MILLIS = 900_000

const pathOf = (id: string): string => `/intents/${encodeURIComponent(id)}`

interface Wait {
  readonly http: Http
  readonly id: string
  readonly signal: AbortSignal
  /** Called with every state, repeated ones included. */
  readonly seen: (intent: Intent) => void
}

const poll = async ({ http, id, seen, signal }: Wait, pauses: PollPauses | undefined): Promise<Intent> => {
  for (let polled = 1; ; polled++) {
    let pause: number | undefined = pauseAfterPoll(polled, pauses)
    try {
      const intent = readIntent(await http.get(pathOf(id), { signal }))
      seen(intent)
      if (isEnded(intent)) return intent
    } catch (error) {
      pause = pauseAfterFailedPoll(failureOf(error), polled, pauses)
      if (pause === undefined) throw error
    }
    await sleep(pause, signal)
  }
}

const decodeIntent = (value: unknown): Intent | undefined => {
  try {
    return readIntent(value)
  } catch (error) {
    if (error instanceof MalformedAnswerError) return undefined
    throw error
  }
}

/** Yields the states of the event stream. Ends without an error if there is no stream, it breaks, or it falls silent. */
async function* streamedStates({ http, id, signal }: Wait): AsyncGenerator<Intent> {
  const silence = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const alive = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), SILENCE_MILLIS)
  }
  try {
    alive()
    const response = await http.open(
      `${pathOf(id)}/events`,
      "text/event-stream",
      AbortSignal.any([signal, silence.signal])
    )
    if (response.body === null || !isEventStream(response.status, response.headers.get("content-type"))) {
      await response.body?.cancel()
      return
    }
    const read = makeStateReader(id, decodeIntent)
    const decoder = new TextDecoder()
    const chunks = response.body.getReader()
    try {
      for (let chunk = await chunks.read(); !chunk.done; chunk = await chunks.read()) {
        alive()
        yield* read(decoder.decode(chunk.value, { stream: true }))
      }
    } finally {
      await chunks.cancel().catch(() => undefined)
    }
  } catch {
    // Polling takes over.
  } finally {
    clearTimeout(timer)
    silence.abort()
  }
}

/** Follows the event stream. Resolves with undefined if it ends before the intent does. */
const follow = async (wait: Wait): Promise<Intent | undefined> => {
  for await (const intent of streamedStates(wait)) {
    wait.seen(intent)
    if (isEnded(intent)) return intent
  }
  return undefined
}

/**
 * Resolves with the intent once it is `delivered` or `failed`.
 *
 * @throws {WaitTimeoutError} if it did not end in time
 * @throws {NotFoundError} if the id is unknown
 */
export const waitForIntent = async (http: Http, id: string, options: WaitOptions = {}): Promise<Intent> => {
  const timeoutMillis = options.timeoutMillis ?? DEFAULT_TIMEOUT_MILLIS
  const timeout = AbortSignal.timeout(timeoutMillis)
  const signal = options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout])
  const isChange = makeChangeFilter()
  let last: Intent | undefined
  const seen = (intent: Intent) => {
    last = intent
    if (isChange(intent)) options.onProgress?.(intent)
  }
  const wait: Wait = { http, id, seen, signal }
  try {
    return (options.events === false ? undefined : await follow(wait)) ?? (await poll(wait, options.pollMillis))
  } catch (error) {
    options.signal?.throwIfAborted()
    if (timeout.aborted) throw new WaitTimeoutError(id, timeoutMillis, last)
    throw error
  }
}
