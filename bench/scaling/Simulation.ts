/** Small simulations of queues that the formulas of `Model.ts` are compared with. Times in milliseconds. */
import { BATCH, LANE_SLOTS, MEASURED, PREPARATION_SECONDS, PREPARED_AT_ONCE } from "./Model.ts"

/** Numbers from 0 to below 1 that a seed determines. */
export const random = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Times of a Poisson process. */
const arrivals = (count: number, perSecond: number, next: () => number): ReadonlyArray<number> => {
  let at = 0
  return Array.from({ length: count }, () => (at += (-Math.log(1 - next()) * 1_000) / perSecond))
}

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

/**
 * One event loop that serves all of its work in turns of a millisecond, as programs do that wait often. Returns how many times its own
 * length a piece of work takes on average.
 */
export const eventLoop = (usedShare: number, workMillis: number, count: number, seed: number): number => {
  const next = random(seed)
  const waiting = [...arrivals(count, (usedShare * 1_000) / workMillis, next)]
  const open: Array<{ readonly since: number; left: number }> = []
  const taken: Array<number> = []
  let now = 0
  let arrived = 0
  while (taken.length < count) {
    while (arrived < count && (waiting[arrived] ?? 0) <= now) {
      // Lengths of work differ, as those of quotes do.
      open.push({ since: waiting[arrived] ?? 0, left: -Math.log(1 - next()) * workMillis })
      arrived++
    }
    const work = open.shift()
    if (work === undefined) {
      now = waiting[arrived] ?? now
      continue
    }
    const turn = Math.min(1, work.left)
    now += turn
    work.left -= turn
    if (work.left > 0) open.push(work)
    else taken.push(now - work.since)
  }
  return mean(taken) / workMillis
}

/**
 * A lane that fills transactions with what waits, has as many pending as it may, and gets each into a block after `inclusionMillis`.
 * Returns the sweeps that still wait at the end, as a share of all.
 */
export const laneBacklog = (perSecond: number, inclusionMillis: number, count: number, seed: number): number => {
  const times = arrivals(count, perSecond, random(seed))
  const end = times.at(-1) ?? 0
  const pending: Array<number> = []
  let [sent, arrived] = [0, 0]
  const turn = (PREPARATION_SECONDS * 1_000) / PREPARED_AT_ONCE
  // A batch is ready in each turn.
  for (let now = 0; now <= end; now += turn) {
    while (arrived < count && (times[arrived] ?? 0) <= now) arrived++
    while ((pending[0] ?? Number.POSITIVE_INFINITY) <= now) pending.shift()
    // A full batch goes at once. Another waits for company while the lane has transactions under way.
    const batch = Math.min(BATCH, arrived - sent)
    if (batch === 0 || pending.length >= (batch === BATCH ? LANE_SLOTS : LANE_SLOTS / 2)) continue
    sent += batch
    pending.push(now + inclusionMillis)
  }
  return (count - sent) / count
}

/** Stations of a sweep in a flood, in turn, with their share of the station's time for it. */
const PATH = [
  ["driver", 1],
  ["orchestrator", 0.5],
  ["postgres", 0.4],
  ["orchestrator", 0.3],
  ["node", 1],
  ["postgres", 0.6],
  ["orchestrator", 0.2]
] as const

/**
 * A flood of sweeps on a machine: the orchestrator, the node and the driver have one thread each, PostgreSQL has more, and all share the
 * cores. Returns sweeps per second.
 */
export const flood = (count: number, cores: number): number => {
  const threads = { driver: 1, orchestrator: 1, postgres: cores, node: 1 }
  const running: Array<{ readonly until: number; readonly sweep: number }> = []
  const step = Array.from({ length: count }, () => 0)
  const queue = Array.from({ length: count }, (_, sweep) => sweep)
  const busy = { driver: 0, orchestrator: 0, postgres: 0, node: 0 }
  let [now, done] = [0, 0]
  const stationOf = (sweep: number) => PATH[step[sweep] ?? 0] ?? PATH[0]
  while (done < count) {
    for (let at = 0; at < queue.length && running.length < cores;) {
      const sweep = queue[at] ?? 0
      const [station, share] = stationOf(sweep)
      if (busy[station] >= threads[station]) {
        at++
        continue
      }
      queue.splice(at, 1)
      busy[station]++
      running.push({ until: now + MEASURED.sweep[station] * share, sweep })
    }
    running.sort((a, b) => b.until - a.until)
    const ended = running.pop()
    if (ended === undefined) break
    now = ended.until
    busy[stationOf(ended.sweep)[0]]--
    const reached = (step[ended.sweep] ?? 0) + 1
    step[ended.sweep] = reached
    if (reached === PATH.length) done++
    else queue.push(ended.sweep)
  }
  return (count * 1_000) / now
}
