/** Timers: pauses, and signals that end a request or a wait. */
import { UsageError } from "../model/Errors.ts"

/** Longest delay of a timer: 24 days. Node and Bun refuse a longer one, or end it at once. */
const LONGEST_MILLIS = 2 ** 31 - 1

/** Returns a delay that every platform's timers take: whole milliseconds, 24 days at most. */
export const timerMillis = (millis: number): number => Math.min(Math.ceil(millis), LONGEST_MILLIS)

/**
 * Refuses a timeout that no timer can have.
 *
 * @throws {UsageError} if it is negative or not a number
 */
export const checkTimeout = (timeoutMillis: number | undefined): void => {
  if (timeoutMillis !== undefined && !(timeoutMillis >= 0)) {
    throw new UsageError(`timeoutMillis is ${timeoutMillis}: set it to a number of milliseconds, 0 or more`)
  }
}

/** Returns a signal that aborts after a time. */
export const timeoutSignal = (millis: number): AbortSignal => AbortSignal.timeout(timerMillis(millis))

/** Returns a signal that aborts with the first of two. */
export const anySignal = (given: AbortSignal | undefined, other: AbortSignal): AbortSignal =>
  given === undefined ? other : AbortSignal.any([given, other])

/** Resolves after a pause. Rejects with the signal's reason as soon as it is aborted. */
export const sleep = (millis: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, timerMillis(millis))
    signal?.addEventListener("abort", stop, { once: true })
  })

/** Resolves as the promise does. Rejects with the signal's reason as soon as it is aborted, and leaves the promise to itself. */
export const until = <A>(signal: AbortSignal, promise: Promise<A>): Promise<A> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener("abort", stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop))
  })
