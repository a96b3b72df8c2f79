/** Fees of a transaction that an operator sends with an account of their own. Pure. */
import * as FeeBump from "./FeeBump.ts"

/** Fees of the chain in wei per gas, within the operator's bounds. */
export interface Market extends FeeBump.GasFees {
  readonly baseFeePerGas: bigint
}

/** `emergency`: the transaction must be mined at any price of gas, so `maxFeePerGasWei` does not bind it. */
export type Urgency = "ordinary" | "emergency"

/** Fees of the chain for a transaction of this urgency. The cap of an emergency is twice the base fee, whatever the chain's limit is. */
export const marketFor = ({ baseFeePerGas, maxFeePerGas, maxPriorityFeePerGas }: Market, urgency: Urgency): Market => {
  const unlimited = 2n * baseFeePerGas + maxPriorityFeePerGas
  return {
    baseFeePerGas,
    maxPriorityFeePerGas,
    maxFeePerGas: urgency === "emergency" && unlimited > maxFeePerGas ? unlimited : maxFeePerGas
  }
}

/**
 * Fees of an emergency that take the place of a pending transaction which a node prefers to `previous`; undefined if they would be above
 * four times the market's. The whole fee is its tip: the tip of the pending transaction may be far above the market's, and small steps
 * would never reach it.
 */
export const replacing = (previous: FeeBump.GasFees, market: Market): FeeBump.GasFees | undefined => {
  const { maxFeePerGas } = FeeBump.raise(previous, market)
  const next = { maxFeePerGas, maxPriorityFeePerGas: maxFeePerGas }
  return FeeBump.isWorthwhile(next, market, undefined) ? next : undefined
}
