/** Shares of a budget that networks of clients may spend while it runs low, so that one of them leaves requests to all others. */
import * as LatestMap from "../../domain/LatestMap.ts"

/** Part of the burst, and of the restored requests, that is the share of one network. */
const PART = 4

/** Networks whose spending is remembered. */
const CAPACITY = 10_000

interface Share {
  /** Requests left, with the fraction that is restored already. */
  readonly left: number
  /** UNIX milliseconds. */
  readonly atMs: number
}

/**
 * Makes `take(network, nowMs)`, which spends one request of a network's share, and returns 0. If none is left, it returns the milliseconds
 * until one is. `restoredEveryMillis`: time in which the budget restores a request.
 */
export const make = (burst: number, restoredEveryMillis: number) => {
  const most = Math.ceil(burst / PART)
  const everyMillis = restoredEveryMillis * PART
  const shares = LatestMap.make<string, Share>(CAPACITY)

  return (network: string, nowMs: number): number => {
    const before = shares.get(network) ?? { left: most, atMs: nowMs }
    const left = Math.min(most, before.left + Math.max(0, nowMs - before.atMs) / everyMillis)
    const isSpent = left < 1
    shares.set(network, { left: isSpent ? left : left - 1, atMs: nowMs })
    return isSpent ? Math.ceil((1 - left) * everyMillis) : 0
  }
}
