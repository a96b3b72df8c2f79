/**
 * Following an intent to its end: by the service's event stream where there is one, else by polling that starts quickly, slows
 * down to the specification's three seconds, and keeps to the rate limit.
 */
import { patience, sleep } from "./attempts.ts"
import { MalformedAnswerError, WaitTimeoutError } from "./errors.ts"
import type { Http } from "./http.ts"
import type { Intent } from "./types.ts"
import { readIntent } from "./wire.ts"

export interface WaitOptions {
  /** Ends the wait, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Called with the intent as first seen, and after every change. */
  readonly onProgress?: (intent: Intent) => void
  /** How long to wait; 15 minutes unless told. */
  readonly timeoutMillis?: number
  /** Pauses between polls: the first, and the longest. 500 and 3000 unless told. */
  readonly pollMillis?: { readonly first: number; readonly longest: number }
  /** Whether to use the service's event stream where it has one; `true` unless told. */
  readonly events?: boolean
}

const DEFAULT_TIMEOUT_MILLIS = 900_000
const DEFAULT_POLL = { first: 500, longest: 3_000 }
const SLOWDOWN = 1.4

/** A stream that says nothing for so long, not even a comment, is taken for dead. */
const SILENCE_MILLIS = 20_000

export const isEnded = ({ status }: Intent): boolean => status === "delivered" || status === "failed"

const path = (id: string): string => `/intents/${encodeURIComponent(id)}`

/** Polls until the intent has ended. */
const poll = async (
  http: Http,
  id: string,
  { first, longest }: { readonly first: number; readonly longest: number },
  signal: AbortSignal,
  seen: (intent: Intent) => void
): Promise<Intent> => {
  let pause = first
  while (true) {
    let next = pause
    try {
      const intent = readIntent(await http.get(path(id), { signal }))
      seen(intent)
      if (isEnded(intent)) return intent
    } catch (error) {
      const wait = patience(error, longest)
      if (wait === undefined) throw error
      next = Math.max(wait, pause)
    }
    await sleep(next, signal)
    pause = Math.min(pause * SLOWDOWN, longest)
  }
}

/** The data of each event of a stream (WHATWG HTML, "Server-sent events"); comments and other fields are left out. */
async function* eventData(body: ReadableStream<Uint8Array>, alive: () => void): AsyncGenerator<string> {
  const chunks = body.getReader()
  const decoder = new TextDecoder()
  let rest = ""
  let data: Array<string> = []
  try {
    while (true) {
      const { done, value } = await chunks.read()
      if (done) return
      alive()
      rest += decoder.decode(value, { stream: true })
      const lines = rest.split(/\r\n|\n|\r/)
      rest = lines.pop() ?? ""
      for (const line of lines) {
        if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""))
        else if (line === "" && data.length > 0) {
          yield data.join("\n")
          data = []
        }
      }
    }
  } finally {
    await chunks.cancel().catch(() => undefined)
  }
}

const asIntent = (data: string, id: string): Intent | undefined => {
  try {
    const intent = readIntent(JSON.parse(data))
    return intent.id === id ? intent : undefined
  } catch (error) {
    if (error instanceof MalformedAnswerError || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** What the event stream says of the intent. Ends, and never throws, when there is no stream, it stops, or it falls silent. */
async function* streamed(http: Http, id: string, signal: AbortSignal): AsyncGenerator<Intent> {
  const stalled = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const alive = () => {
    clearTimeout(timer)
    timer = setTimeout(() => stalled.abort(), SILENCE_MILLIS)
  }
  try {
    alive()
    const either = AbortSignal.any([signal, stalled.signal])
    const response = await http.open(`${path(id)}/events`, "text/event-stream", either)
    const isStream = response.ok && response.headers.get("content-type")?.startsWith("text/event-stream") === true
    if (!isStream || response.body === null) {
      await response.body?.cancel()
      return
    }
    for await (const data of eventData(response.body, alive)) {
      const intent = asIntent(data, id)
      if (intent !== undefined) yield intent
    }
  } catch {
    // Whatever is wrong with the stream, polling tells.
  } finally {
    clearTimeout(timer)
    stalled.abort()
  }
}

/** Follows the event stream; undefined when it ends before the intent does. */
const follow = async (
  http: Http,
  id: string,
  signal: AbortSignal,
  seen: (intent: Intent) => void
): Promise<Intent | undefined> => {
  for await (const intent of streamed(http, id, signal)) {
    seen(intent)
    if (isEnded(intent)) return intent
  }
  return undefined
}

/** Resolves with the intent once it is `delivered` or `failed`. */
export const waitForIntent = async (http: Http, id: string, options: WaitOptions = {}): Promise<Intent> => {
  const timeoutMillis = options.timeoutMillis ?? DEFAULT_TIMEOUT_MILLIS
  const timeout = AbortSignal.timeout(timeoutMillis)
  const signal = options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout])
  let last: Intent | undefined
  const seen = (intent: Intent) => {
    const changed =
      last === undefined ||
      last.status !== intent.status ||
      last.txHash !== intent.txHash ||
      last.deliveryTxHash !== intent.deliveryTxHash
    last = intent
    if (changed) options.onProgress?.(intent)
  }
  try {
    const streamed = options.events === false ? undefined : await follow(http, id, signal, seen)
    return streamed ?? (await poll(http, id, options.pollMillis ?? DEFAULT_POLL, signal, seen))
  } catch (error) {
    options.signal?.throwIfAborted()
    if (timeout.aborted) throw new WaitTimeoutError(id, timeoutMillis, last)
    throw error
  }
}
