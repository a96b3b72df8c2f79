/**
 * Waits for the end of an intent or a sweep: follows the service's event stream, and polls if there is none or it breaks. The rules stand in
 * `core`; this module does the requests and the pauses.
 */
import { makeChangeFilter, makeSweepChangeFilter } from "../core/Changes.ts"
import { isEventStream, makeStateReader, SILENCE_MILLIS } from "../core/EventStream.ts"
import { pauseAfterFailedPoll, pauseAfterPoll, type PollPauses } from "../core/Polling.ts"
import { isSweepEnded, type Sweep } from "../model/Batch.ts"
import { WaitTimeoutError } from "../model/Errors.ts"
import { type Intent, isEnded } from "../model/Intent.ts"
import { readSweep } from "../wire/Batch.ts"
import { readIntent } from "../wire/Intent.ts"
import type { Read } from "../wire/Reader.ts"
import type { Http } from "./Http.ts"
import { failureOf } from "./Retrying.ts"
import { anySignal, sleep } from "./Sleep.ts"

export interface WaitOptions<State = Intent> {
  /** Ends the wait, which then rejects with the signal's reason. */
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

const DEFAULT_TIMEOUT_MILLIS = 900_000

/** A resource whose states are waited for. */
interface Resource<State> {
  /** Path of all resources of this kind. */
  readonly path: string
  readonly read: Read<State>
  readonly isEnded: (state: State) => boolean
  readonly makeChangeFilter: () => (state: State) => boolean
}

const INTENT: Resource<Intent> = { path: "/intents", read: readIntent, isEnded, makeChangeFilter }

const SWEEP: Resource<Sweep> = {
  path: "/sweeps",
  read: readSweep,
  isEnded: isSweepEnded,
  makeChangeFilter: makeSweepChangeFilter
}

interface Wait<State> {
  readonly http: Http
  readonly resource: Resource<State>
  readonly id: string
  readonly signal: AbortSignal
  /** Called with every state, repeated ones included. */
  readonly seen: (state: State) => void
}

const pathOf = <State>({ id, resource }: Wait<State>): string => `${resource.path}/${encodeURIComponent(id)}`

const poll = async <State>(wait: Wait<State>, pauses: PollPauses | undefined): Promise<State> => {
  const { http, resource, seen, signal } = wait
  for (let polled = 1; ; polled++) {
    let pause: number | undefined = pauseAfterPoll(polled, pauses)
    try {
      const state = await http.get(pathOf(wait), resource.read, { signal })
      seen(state)
      if (resource.isEnded(state)) return state
    } catch (error) {
      pause = pauseAfterFailedPoll(failureOf(error), polled, pauses)
      if (pause === undefined) throw error
    }
    await sleep(pause, signal)
  }
}

const decoded = <State>(read: Read<State>, value: unknown): State | undefined => {
  try {
    return read(value, "")
  } catch {
    return undefined
  }
}

/** Yields the states of the event stream. Ends without an error if there is no stream, it breaks, or it falls silent. */
async function* streamedStates<State extends { readonly id: string }>(wait: Wait<State>): AsyncGenerator<State> {
  const { http, id, resource, signal } = wait
  const silence = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const alive = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), SILENCE_MILLIS)
  }
  try {
    alive()
    const response = await http.open(`${pathOf(wait)}/events`, "text/event-stream", anySignal(signal, silence.signal))
    if (response.body === null || !isEventStream(response.status, response.headers.get("content-type"))) {
      await response.body?.cancel()
      return
    }
    const read = makeStateReader(id, (value) => decoded(resource.read, value))
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

/** Follows the event stream. Resolves with undefined if it ends before the resource does. */
const follow = async <State extends { readonly id: string }>(wait: Wait<State>): Promise<State | undefined> => {
  for await (const state of streamedStates(wait)) {
    wait.seen(state)
    if (wait.resource.isEnded(state)) return state
  }
  return undefined
}

const waitFor = async <State extends Intent | Sweep>(
  resource: Resource<State>,
  http: Http,
  id: string,
  options: WaitOptions<State>
): Promise<State> => {
  const timeoutMillis = options.timeoutMillis ?? DEFAULT_TIMEOUT_MILLIS
  const timeout = AbortSignal.timeout(timeoutMillis)
  const signal = anySignal(options.signal, timeout)
  const isChange = resource.makeChangeFilter()
  let last: State | undefined
  const seen = (state: State) => {
    last = state
    if (isChange(state)) options.onProgress?.(state)
  }
  const wait: Wait<State> = { http, resource, id, seen, signal }
  try {
    return (options.events === false ? undefined : await follow(wait)) ?? (await poll(wait, options.pollMillis))
  } catch (error) {
    options.signal?.throwIfAborted()
    if (timeout.aborted) throw new WaitTimeoutError(id, timeoutMillis, last)
    throw error
  }
}

/**
 * Resolves with the intent once it is `delivered` or `failed`.
 *
 * @throws {WaitTimeoutError} if it did not end in time
 * @throws {NotFoundError} if the id is unknown
 */
export const waitForIntent = (http: Http, id: string, options: WaitOptions = {}): Promise<Intent> =>
  waitFor(INTENT, http, id, options)

/**
 * Resolves with the sweep once all its intents are `delivered` or `failed`.
 *
 * @throws {WaitTimeoutError} if it did not end in time
 * @throws {NotFoundError} if the id is unknown
 */
export const waitForSweep = (http: Http, id: string, options: WaitOptions<Sweep> = {}): Promise<Sweep> =>
  waitFor(SWEEP, http, id, options)
