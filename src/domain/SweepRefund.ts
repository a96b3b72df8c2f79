/** Gas that a sweep gets back for storage that it leaves cleared (EIP-3529). No call can measure it. */

/** A slot that was zero before the transaction and is zero again: 20,000 for setting it, less the 100 of a warm write. */
const RESTORED_ZERO = 19_900n

/** A slot that is cleared. */
const CLEARED = 4_800n

/** A slot that was set, changes and has its value again, such as a lock: 5,000 less the 2,100 of a cold and the 100 of a warm read. */
const RESTORED = 2_800n

export interface Sweep {
  /** The input is the native currency, which the sweep wraps. */
  readonly isNative: boolean
  /** In the smallest unit of the input. */
  readonly amountIn: bigint
  /** The owner's balance of the token that is spent, before a native input is wrapped. */
  readonly spendable: bigint
  /** Balances and allowances of others that the swap leaves empty as it found them. */
  readonly passing: number
  /** The sweep deposits into a bridge, whose pool takes and returns a lock. */
  readonly isBridged: boolean
}

/**
 * The allowance of the swap target is set and used up in one transaction. The balance is cleared if all of it is swept; that of the
 * wrapped token is zero again if it was zero before the input was wrapped.
 */
export const sweepRefund = ({ amountIn, isBridged, isNative, passing, spendable }: Sweep): bigint => {
  const restored = RESTORED_ZERO * BigInt(1 + passing) + (isBridged ? RESTORED : 0n)
  if (isNative) return spendable === 0n ? restored + RESTORED_ZERO : restored
  return spendable === amountIn ? restored + CLEARED : restored
}
