/** Expected time of a sweep, by the depths that the watcher waits for. Pure. */
import { type ChainMoney, confirmationsFor } from "./ChainMoney.ts"
import type { UsdPrice } from "./Fees.ts"

/** The times of a chain. */
export interface ChainTimes extends Pick<ChainMoney, "confirmationsByValue"> {
  readonly blockTimeMillis: number
  readonly confirmations: number
}

/** A sweep across chains, between its two ends. */
export interface Crossing {
  readonly destination: ChainTimes
  /** Expected seconds between the deposit and the fill. */
  readonly bridgeSeconds: number
}

const settleMillis = (chain: ChainTimes, value: UsdPrice | undefined): number =>
  confirmationsFor(chain, value) * chain.blockTimeMillis

/**
 * Seconds until a sweep is delivered. Across chains, the bridge fills while the source settles, and the fill settles in turn. `value` in
 * US dollars scaled by 10^18. An unknown one counts as above every rule.
 */
export const secondsUntilDelivery = (
  source: ChainTimes,
  value: UsdPrice | undefined,
  crossing: Crossing | undefined
): number => {
  const settled = settleMillis(source, value)
  if (crossing === undefined) return Math.ceil(settled / 1_000)
  const { bridgeSeconds, destination } = crossing
  const filled = source.blockTimeMillis + bridgeSeconds * 1_000 + settleMillis(destination, value)
  return Math.ceil(Math.max(settled, filled) / 1_000)
}
