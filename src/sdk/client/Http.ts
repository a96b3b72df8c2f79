/** HTTP requests to the service: JSON in both directions, and a typed error for every response that is not a success. */
import type { RetryOptions } from "../core/Retry.ts"
import { errorOfAnswer } from "../model/ApiErrors.ts"
import { MalformedAnswerError, NetworkError } from "../model/Errors.ts"
import type { KeyedRequestOptions, RequestOptions } from "./RequestOptions.ts"
import { withRetries } from "./Retrying.ts"

/** `fetch`, or a function with its signature. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface Http {
  readonly get: (path: string, options?: RequestOptions) => Promise<unknown>
  /** Sends a body. Retries use the same idempotency key. */
  readonly post: (path: string, body: unknown, options?: KeyedRequestOptions) => Promise<unknown>
  /** Returns the response whatever its status. */
  readonly open: (path: string, accept: string, signal: AbortSignal) => Promise<Response>
}

const withTimeout = (signal: AbortSignal | undefined, timeoutMillis: number): AbortSignal => {
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

/** Reads `Retry-After` in whole seconds. Returns undefined if it is missing or a date. */
const retryAfter = (response: Response): number | undefined => {
  const seconds = Number(response.headers.get("retry-after") ?? "")
  return Number.isSafeInteger(seconds) && seconds > 0 ? seconds : undefined
}

/** Makes a random key of 128 bits. `crypto.randomUUID` is not available to pages without https. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

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
      const response = await fetch(url, { ...init, signal: withTimeout(signal, timeoutMillis) })
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
    throw errorOfAnswer({
      status: response.status,
      reason: reasonOf(body),
      requestId: response.headers.get("x-request-id") ?? undefined,
      retryAfterSeconds: retryAfter(response),
      sweepReason: response.headers.get("sweep-reason") ?? undefined
    })
  }

  const accept = { accept: "application/json" }
  return {
    get: (path, { signal } = {}) => send(path, { method: "GET", headers: accept }, signal),
    post: (path, body, { idempotencyKey = newIdempotencyKey(), signal } = {}) => {
      const headers = { ...accept, "content-type": "application/json", "idempotency-key": idempotencyKey }
      const init = { method: "POST", headers, body: JSON.stringify(body) }
      return withRetries(() => send(path, init, signal), retry, signal)
    },
    open: (path, accept, signal) => fetch(`${base}${path}`, { method: "GET", headers: { accept }, signal })
  }
}
