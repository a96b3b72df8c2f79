/** Requests to the service: JSON both ways, and every answer that is no success as a typed error. */
import { persistently, randomKey, type RetryOptions } from "./attempts.ts"
import { MalformedAnswerError, NetworkError, ofAnswer } from "./errors.ts"
import type { KeyedRequestOptions, RequestOptions } from "./types.ts"

/** `fetch`, or anything that is called like it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface Http {
  readonly get: (path: string, options?: RequestOptions) => Promise<unknown>
  /** Sent again, under one idempotency key, until there is an answer that counts or the attempts are used up. */
  readonly post: (path: string, body: unknown, options?: KeyedRequestOptions) => Promise<unknown>
  /** The answer as it comes, of whatever status. */
  readonly open: (path: string, accept: string, signal: AbortSignal) => Promise<Response>
}

/** `RequestInit.signal` of what is there; none when the caller gave none and there is no limit. */
const limited = (signal: AbortSignal | undefined, timeoutMillis: number): AbortSignal => {
  const timeout = AbortSignal.timeout(timeoutMillis)
  return signal === undefined ? timeout : AbortSignal.any([signal, timeout])
}

const reasonOf = (body: unknown): string => {
  const error: unknown = typeof body === "object" && body !== null && "error" in body ? body.error : undefined
  return typeof error === "string" ? error : ""
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `Retry-After` in whole seconds; undefined where it is missing or a date. */
const retryAfter = (response: Response): number | undefined => {
  const seconds = Number(response.headers.get("retry-after") ?? "")
  return Number.isSafeInteger(seconds) && seconds > 0 ? seconds : undefined
}

export const makeHttp = (options: {
  readonly baseUrl: string
  readonly fetch: Fetch
  readonly timeoutMillis: number
  readonly retry?: RetryOptions | undefined
  readonly newIdempotencyKey?: (() => string) | undefined
}): Http => {
  const { fetch, newIdempotencyKey = randomKey, retry = {}, timeoutMillis } = options
  const base = options.baseUrl.replace(/\/+$/, "")

  const send = async (path: string, init: RequestInit, signal: AbortSignal | undefined): Promise<unknown> => {
    const url = `${base}${path}`
    const exchange = async () => {
      const response = await fetch(url, { ...init, signal: limited(signal, timeoutMillis) })
      return { response, text: await response.text() }
    }
    const { response, text } = await exchange().catch((cause: unknown) => {
      signal?.throwIfAborted()
      throw new NetworkError(url, cause)
    })
    const body = parsed(text)
    if (response.ok) {
      if (body === undefined) throw new MalformedAnswerError("", "JSON")
      return body
    }
    throw ofAnswer({
      status: response.status,
      reason: reasonOf(body),
      requestId: response.headers.get("x-request-id") ?? undefined,
      retryAfterSeconds: retryAfter(response)
    })
  }

  const accept = { accept: "application/json" }
  return {
    get: (path, { signal } = {}) => send(path, { method: "GET", headers: accept }, signal),
    post: (path, body, { idempotencyKey = newIdempotencyKey(), signal } = {}) => {
      const headers = { ...accept, "content-type": "application/json", "idempotency-key": idempotencyKey }
      const init = { method: "POST", headers, body: JSON.stringify(body) }
      return persistently(() => send(path, init, signal), retry, signal)
    },
    open: (path, accept, signal) => fetch(`${base}${path}`, { method: "GET", headers: { accept }, signal })
  }
}
