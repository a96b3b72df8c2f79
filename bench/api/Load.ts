/** Two ways to load a server: at its own pace, and at a pace that does not care how it copes. */
import type { Pool } from "./HttpConnections.ts"

export interface OpenFigures {
  readonly offeredPerSecond: number
  readonly answered: number
  /** Not sent, since so many before them were unanswered. */
  readonly dropped: number
  /** Answered with another status than expected, or not at all. */
  readonly failed: number
  /** Number of responses by status. */
  readonly statuses: Readonly<Record<number, number>>
  /** From when a request was to be sent to its answer. */
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
  readonly maxMs: number
}

/** Unanswered requests at which new ones are dropped. */
const MAX_UNANSWERED = 5_000

/** Numbers in (0, 1] that follow from the seed (mulberry32). */
const randoms = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 1) / 2 ** 32
  }
}

/** When requests are to be sent, in milliseconds from the start: a Poisson process. */
const schedule = (count: number, perSecond: number, seed: number): ReadonlyArray<number> => {
  const random = randoms(seed)
  let at = 0
  return Array.from({ length: count }, () => {
    at -= (Math.log(random()) * 1_000) / perSecond
    return at
  })
}

const quantile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN

/** Sends each request at its time, whatever became of those before, so that a stall is felt by all that fall into it. */
export const open = async (
  pool: Pool,
  requests: ReadonlyArray<string>,
  options: { readonly perSecond: number; readonly seed: number; readonly expected: number }
): Promise<OpenFigures> => {
  const times = schedule(requests.length, options.perSecond, options.seed)
  const latencies: Array<number> = []
  const statuses: Record<number, number> = {}
  const answers: Array<Promise<void>> = []
  let [unanswered, dropped, failed] = [0, 0, 0]
  const started = performance.now()
  const send = async (request: string, due: number) => {
    unanswered++
    try {
      const { status } = await pool.ask(request)
      latencies.push(performance.now() - started - due)
      statuses[status] = (statuses[status] ?? 0) + 1
      if (status !== options.expected) failed++
    } catch {
      failed++
    }
    unanswered--
  }
  for (const [index, request] of requests.entries()) {
    const due = times[index] ?? 0
    const early = due - (performance.now() - started)
    if (early > 0) await Bun.sleep(Math.ceil(early))
    if (unanswered >= MAX_UNANSWERED) dropped++
    else answers.push(send(request, due))
  }
  await Promise.all(answers)
  latencies.sort((a, b) => a - b)
  return {
    offeredPerSecond: options.perSecond,
    answered: latencies.length,
    dropped,
    failed,
    statuses,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    p999Ms: quantile(latencies, 0.999),
    maxMs: latencies.at(-1) ?? Number.NaN
  }
}

/** Answers per second with every connection busy all the time. */
export const closed = async (pool: Pool, request: (index: number) => string, seconds: number): Promise<number> => {
  const started = performance.now()
  const until = started + seconds * 1_000
  let answered = 0
  const connection = async () => {
    while (performance.now() < until) {
      await pool.ask(request(answered))
      answered++
    }
  }
  await Promise.all(Array.from({ length: pool.size }, connection))
  return (answered * 1_000) / (performance.now() - started)
}
