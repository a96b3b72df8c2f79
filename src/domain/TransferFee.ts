/**
 * Fees that token contracts take from transfers. No interface tells them in advance. A rehearsal shows what arrives, and a quote counts
 * from that.
 */
import { BPS, lessBps, mulDivUp } from "./Amount.ts"

/** Part of `sent` that did not arrive, in basis points, rounded up, since tokens round their fees down. 0 if all of it arrived. */
export const takenBps = (sent: bigint, arrived: bigint): number => {
  if (arrived >= sent) return 0
  return arrived <= 0n ? Number(BPS) : Number(mulDivUp(sent - arrived, BPS, sent))
}

/** Least part of a route's output that counts as taken by tokens, in basis points. Less may be a price that moved meanwhile. */
export const NOTABLE_BPS = 10

/**
 * Least output with which an order is rehearsed to find out what arrives: lower than any amount that is still offered. At least 1,
 * since an order must have a minimum.
 */
export const rehearsedMinimum = (promised: bigint, maxFeeBps: number): bigint => {
  const least = lessBps(promised, maxFeeBps)
  return least > 1n ? least : 1n
}

/** Price of a token whose amounts lose `feeBps` before they are money, rounded down to at least 1. */
export const priceAfter = (usd: bigint, feeBps: number): bigint => {
  const left = lessBps(usd, feeBps)
  return left > 1n ? left : 1n
}
