/**
 * Sums up what the treasury's books lack after a restore: fees and sales of sweeps whose intents or submissions the database forgot.
 * Nothing books them later, since only the end of an intent does. Pure and total.
 */
import type * as Address from "./Address.ts"
import type { ChainId } from "./ChainId.ts"
import type { Hash } from "./Hex.ts"
import type { IntentStatus } from "./Intent.ts"
import type { SettledSweep } from "./LostSweeps.ts"

/** Sums of a token, in its smallest unit. */
export interface MissingSums {
  readonly chainId: ChainId
  readonly token: Address.Address
  /** Fees of sweeps, without those of sales. */
  readonly collected: bigint
  /** Amount that sales swapped, without their fees, which return to the seller. */
  readonly sold: bigint
}

/**
 * The sums that are missing, by chain and token. `statuses` has the orders of the intents that the database still has. An intent that it
 * has as quoted was submitted in the lost time, so nothing follows it.
 */
export const missing = (
  sweeps: ReadonlyArray<SettledSweep>,
  statuses: ReadonlyMap<Hash, IntentStatus>
): ReadonlyArray<MissingSums> => {
  const sums = new Map<string, MissingSums>()
  for (const { amountIn, chainId, feeAmount, feeToken: token, isOwnSale = false, orderHash } of sweeps) {
    if ((statuses.get(orderHash) ?? "quoted") !== "quoted") continue
    const key = `${chainId}:${token}`
    const { collected, sold } = sums.get(key) ?? { collected: 0n, sold: 0n }
    sums.set(key, {
      chainId,
      token,
      collected: isOwnSale ? collected : collected + feeAmount,
      sold: isOwnSale ? sold + amountIn - feeAmount : sold
    })
  }
  return [...sums.values()].filter(({ collected, sold }) => collected > 0n || sold > 0n)
}
