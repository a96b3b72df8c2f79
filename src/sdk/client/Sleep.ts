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
