/** Resolves after a pause. Rejects with the signal's reason as soon as it is aborted. */
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
