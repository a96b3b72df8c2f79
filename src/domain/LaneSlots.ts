/** Places of a lane for transactions that no block includes. */

/** Pending transactions of a lane. Nodes keep 16 of a sender, and one place is left for a replacement. */
export const LANE_SLOTS = 15n

/**
 * True if a new transaction with this nonce is one of the lane's first `slots` pending ones. `chainNonce`: the lane's transaction count in
 * the newest block.
 */
export const hasSlot = (nonce: bigint, chainNonce: bigint, slots = LANE_SLOTS): boolean => nonce - chainNonce < slots
