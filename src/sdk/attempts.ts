/** What to do about trouble that passes: wait, and ask again. */
import { IdempotencyKeyInUseError, NetworkError, RateLimitedError, ServiceError } from "./errors.ts"

export interface RetryOptions {
  /** How often a request is sent at most; 4 unless told, and 1 sends it once. */
  readonly attempts?: number
  /** The pause before the second attempt, doubled before each further one; 500 unless told. */
  readonly pauseMillis?: number
}

export const DEFAULT_RETRY = { attempts: 4, pauseMillis: 500 } as const

/** Whoever asks for more is not waited for: the service's own window is a minute, and a quote lives for two. */
export const LONGEST_WAIT_MILLIS = 60_000

/** Sleeps, or throws the signal's reason as soon as it is aborted. */
export const sleep = (millis: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, millis)
    if (signal?.aborted === true) stop()
    else signal?.addEventListener("abort", stop, { once: true })
  })

/** How long to wait after a failure that may pass: as long as it says, else `pause`. Undefined for one that will not pass. */
export const patience = (error: unknown, pause: number): number | undefined => {
  if (error instanceof RateLimitedError || error instanceof IdempotencyKeyInUseError) {
    return error.retryAfterSeconds * 1000
  }
  return error instanceof NetworkError || error instanceof ServiceError ? pause : undefined
}

/** Asks until there is an answer that counts; rejects with the last failure when the attempts are used up. */
export const persistently = async <A>(
  ask: () => Promise<A>,
  options: RetryOptions,
  signal: AbortSignal | undefined
): Promise<A> => {
  const { attempts = DEFAULT_RETRY.attempts, pauseMillis = DEFAULT_RETRY.pauseMillis } = options
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask()
    } catch (error) {
      const wait = patience(error, pauseMillis * 2 ** (attempt - 1))
      if (wait === undefined || wait > LONGEST_WAIT_MILLIS || attempt >= attempts) throw error
      await sleep(wait, signal)
    }
  }
}

/** A key that nobody can guess. `crypto.randomUUID` would be shorter, and pages without https have none. */
export const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")
