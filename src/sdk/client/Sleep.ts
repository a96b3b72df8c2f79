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
    }, millis)
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
