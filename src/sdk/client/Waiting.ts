/**
 * Waits for the end of an intent or a sweep: follows the service's event stream, and polls if there is none or it breaks. The rules stand in
 * `core`; this module does the requests and the pauses.
 */
import { makeChangeFilter } from "../core/Changes.ts"
import { isEventStream, makeStateReader, SILENCE_MILLIS } from "../core/EventStream.ts"
import { pauseAfterFailedPoll, pauseAfterPoll, type PollPauses } from "../core/Polling.ts"
import { isEnded, type Sweep } from "../model/Batch.ts"
import { WaitTimeoutError } from "../model/Errors.ts"
import type { Intent } from "../model/Intent.ts"
import { readSweep } from "../wire/Batch.ts"
import { readIntent } from "../wire/Intent.ts"
import type { Read } from "../wire/Reader.ts"
import type { Http } from "./Http.ts"
import { failureOf } from "./Retrying.ts"
import { anySignal, checkTimeout, sleep, timeoutSignal, timerMillis } from "./Sleep.ts"

export interface WaitOptions<State = Intent> {
  /** Ends the wait, which then rejects with the signal's reason. `sweep` and `sweepAll` reject with a `SweepUnfinishedError` once they submit. */
  readonly signal?: AbortSignal | undefined
  /** Called with the first known state, and after every change. */
  readonly onProgress?: (state: State) => void
  /** Timeout in milliseconds. Default: 15 minutes. */
  readonly timeoutMillis?: number
  /** Pauses between polls, in milliseconds. Default: 500 at first, 3000 at most. */
  readonly pollMillis?: PollPauses
  /** False to poll even if the service has an event stream. Default: true. */
  readonly events?: boolean
}

/** A resource whose states are waited for. */
interface Resource<State> {
  /** Path of all resources of this kind. */
  readonly path: string
  readonly read: Read<State>
}

export const INTENT: Resource<Intent> = { path: "/intents", read: readIntent }

export const SWEEP: Resource<Sweep> = { path: "/sweeps", read: readSweep }

interface Wait<State> {
  readonly http: Http
  readonly id: string
  readonly path: string
  readonly read: Read<State>
  readonly signal: AbortSignal
  /** Called with every state, repeated ones included. */
  readonly seen: (state: State) => void
}

const poll = async <State extends Intent | Sweep>(
  { http, path, read, seen, signal }: Wait<State>,
  pauses: PollPauses | undefined
): Promise<State> => {
  for (let polled = 1; ; polled++) {
    let pause: number | undefined = pauseAfterPoll(polled, pauses)
    try {
      const state = await http.get(path, read, { signal })
      seen(state)
      if (isEnded(state)) return state
    } catch (error) {
      pause = pauseAfterFailedPoll(failureOf(error), polled, pauses)
      if (pause === undefined) throw error
    }
    await sleep(pause, signal)
  }
}

/** Yields the states of the event stream. Ends without an error if there is no stream, it breaks, or it falls silent. */
async function* streamedStates<State extends Intent | Sweep>({
  http,
  id,
  path,
  read,
  signal
}: Wait<State>): AsyncGenerator<State> {
  const silence = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const alive = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), SILENCE_MILLIS)
  }
  try {
    alive()
    const response = await http.open(`${path}/events`, "text/event-stream", anySignal(signal, silence.signal))
    if (response.body === null || !isEventStream(response.status, response.headers.get("content-type"))) return
    const statesIn = makeStateReader(id, read)
    const decoder = new TextDecoder()
    const chunks = response.body.getReader()
    for (let chunk = await chunks.read(); !chunk.done; chunk = await chunks.read()) {
      alive()
      yield* statesIn(decoder.decode(chunk.value, { stream: true }))
    }
  } catch {
    // Polling takes over.
  } finally {
    clearTimeout(timer)
    // Closes the stream.
    silence.abort()
  }
}

/** Follows the event stream. Resolves with undefined if it ends before the resource does. */
const follow = async <State extends Intent | Sweep>(wait: Wait<State>): Promise<State | undefined> => {
  for await (const state of streamedStates(wait)) {
    wait.seen(state)
    if (isEnded(state)) return state
  }
  return undefined
}

/**
 * Resolves with an intent or a sweep once it has ended.
 *
 * @throws {UsageError} if the timeout is negative or not a number
 * @throws {WaitTimeoutError} if it did not end in time
 * @throws {NotFoundError} if the id is unknown
 */
export const waitFor = async <State extends Intent | Sweep>(
  http: Http,
  { path, read }: Resource<State>,
  id: string,
  options: WaitOptions<State> = {}
): Promise<State> => {
  checkTimeout(options.timeoutMillis)
  const timeoutMillis = timerMillis(options.timeoutMillis ?? 900_000)
  const timeout = timeoutSignal(timeoutMillis)
  const signal = anySignal(options.signal, timeout)
  const isChange = makeChangeFilter()
  let last: State | undefined
  const seen = (state: State) => {
    last = state
    if (isChange(state)) options.onProgress?.(state)
  }
  const wait: Wait<State> = { http, id, path: `${path}/${encodeURIComponent(id)}`, read, seen, signal }
  try {
    return (options.events === false ? undefined : await follow(wait)) ?? (await poll(wait, options.pollMillis))
  } catch (error) {
    options.signal?.throwIfAborted()
    if (timeout.aborted) throw new WaitTimeoutError(id, timeoutMillis, last)
    throw error
  }
}
