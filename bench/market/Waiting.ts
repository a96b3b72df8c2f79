/** Measures when this process waits for nodes and outside services: from each request by `fetch` until its whole answer has arrived. */

interface Interval {
  readonly from: number
  readonly to: number
}

export interface Waiting {
  /** `fetch` that is not measured. */
  readonly fetch: typeof globalThis.fetch
  /** Milliseconds in which at least one request was under way between two moments of `performance.now()`. */
  readonly between: (from: number, to: number) => number
  /** Forgets all requests that have ended. */
  readonly forget: () => void
}

/** Length of the union of intervals within bounds. */
export const covered = (intervals: ReadonlyArray<Interval>, from: number, to: number): number => {
  let [total, end] = [0, from]
  for (const each of intervals.toSorted((a, b) => a.from - b.from)) {
    const [start, stop] = [Math.max(each.from, end), Math.min(each.to, to)]
    if (stop <= start) continue
    total += stop - start
    end = stop
  }
  return total
}

/**
 * Replaces `globalThis.fetch` for the rest of the process. Call it before anything else uses `fetch`. `latencyMillis`: time that each answer
 * takes longer, as if nodes and services were far away.
 */
export const install = (latencyMillis = 0): Waiting => {
  const original = globalThis.fetch
  let ended: Array<Interval> = []
  const measured = async (...[input, init]: Parameters<typeof original>): Promise<Response> => {
    const from = performance.now()
    try {
      const response = await original(input, init)
      if (latencyMillis > 0) await Bun.sleep(latencyMillis)
      const body = response.body === null ? null : await response.arrayBuffer()
      return new Response(body, { status: response.status, headers: response.headers })
    } finally {
      ended.push({ from, to: performance.now() })
    }
  }
  globalThis.fetch = Object.assign(measured, { preconnect: original.preconnect })
  return {
    fetch: original,
    between: (from, to) => covered(ended, from, to),
    forget: () => {
      ended = []
    }
  }
}
