/** HTTP requests to the service: JSON in both directions, and a typed error for every response that is not a success. */
import { parsed } from "../core/Json.ts"
import type { RetryOptions } from "../core/Retry.ts"
import { errorOfAnswer } from "../model/ApiErrors.ts"
import { MalformedAnswerError, NetworkError } from "../model/Errors.ts"
import type { Read } from "../wire/Reader.ts"
import type { KeyedRequestOptions, RequestOptions } from "./RequestOptions.ts"
import { withRetries } from "./Retrying.ts"
import { anySignal, checkTimeout, timeoutSignal } from "./Sleep.ts"

/** `fetch`, or a function with its signature. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface Http {
  readonly get: <A>(path: string, read: Read<A>, options?: RequestOptions) => Promise<A>
  /** Sends a body. Retries use the same idempotency key. */
  readonly post: <A>(path: string, body: unknown, read: Read<A>, options?: KeyedRequestOptions) => Promise<A>
  /** Returns the response whatever its status. */
  readonly open: (path: string, accept: string, signal: AbortSignal) => Promise<Response>
}

const reasonOf = (body: unknown): string => {
  const { error } = Object(body) as { readonly error?: unknown }
  return typeof error === "string" ? error : ""
}

const JSON_TYPE = "application/json"

/** Reads `Retry-After` in whole seconds. Returns undefined if it is missing or a date. */
const wholeSeconds = (header: string | undefined): number | undefined => {
  const seconds = Number(header)
  return Number.isSafeInteger(seconds) && seconds > 0 ? seconds : undefined
}

/** Makes a random key of 128 bits. `crypto.randomUUID` is not available to pages without https. */
const randomKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-")

export const makeHttp = ({
  fetch,
  newIdempotencyKey = randomKey,
  orchestratorUrl,
  retry,
  timeoutMillis = 30_000
}: {
  readonly orchestratorUrl: string
  readonly fetch: Fetch
  readonly timeoutMillis?: number
  readonly retry?: RetryOptions
  readonly newIdempotencyKey?: () => string
}): Http => {
  checkTimeout(timeoutMillis)
  const base = orchestratorUrl.replace(/\/+$/, "")

  const send = async <A>(
    path: string,
    read: Read<A>,
    { signal }: RequestOptions,
    init: { readonly method: "GET" | "POST"; readonly headers?: Record<string, string>; readonly body?: string }
  ): Promise<A> => {
    const url = base + path
    const headers = { ...init.headers, accept: JSON_TYPE }
    // Before the request: a platform without such signals is no network failure.
    const ended = anySignal(signal, timeoutSignal(timeoutMillis))
    let response: Response
    let body: unknown
    try {
      response = await fetch(url, { ...init, headers, signal: ended })
      body = parsed(await response.text())
    } catch (cause) {
      signal?.throwIfAborted()
      throw new NetworkError(url, cause)
    }
    if (response.ok) {
      if (body === undefined) throw new MalformedAnswerError("", "JSON")
      return read(body)
    }
    const header = (name: string) => response.headers.get(name) ?? undefined
    throw errorOfAnswer({
      status: response.status,
      reason: reasonOf(body),
      requestId: header("x-request-id"),
      retryAfterSeconds: wholeSeconds(header("retry-after")),
      sweepReason: header("sweep-reason")
    })
  }

  return {
    get: (path, read, options = {}) => send(path, read, options, { method: "GET" }),
    post: (path, body, read, options = {}) => {
      const { idempotencyKey = newIdempotencyKey(), signal } = options
      const headers = { "content-type": JSON_TYPE, "idempotency-key": idempotencyKey }
      const init = { method: "POST", headers, body: JSON.stringify(body) } as const
      return withRetries(() => send(path, read, options, init), retry, signal)
    },
    open: (path, accept, signal) => fetch(base + path, { method: "GET", headers: { accept }, signal })
  }
}
