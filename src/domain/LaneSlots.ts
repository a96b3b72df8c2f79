/** Places of a lane for transactions that no block includes, and nonces that none of them has. */

/** Pending transactions of a lane. Nodes keep 16 of a sender, and one place is left for a replacement. */
export const LANE_SLOTS = 15n

/**
 * True if a new transaction with this nonce is one of the lane's first `slots` pending ones. `chainNonce`: the lane's transaction count in
 * the newest block.
 */
export const hasSlot = (nonce: bigint, chainNonce: bigint, slots = LANE_SLOTS): boolean => nonce - chainNonce < slots

/** Nonces of a lane in the database. */
export interface StoredNonces {
  /** One more than the highest nonce that was allocated. */
  readonly next: bigint
  /** Nonces of stored transactions, at least those of the lane's slots. */
  readonly taken: ReadonlyArray<bigint>
  /** Highest nonce of a transaction that was mined. Absent if none was. */
  readonly lastMined?: bigint | undefined
}

/**
 * Lowest nonce of the lane's slots that no transaction has, although later nonces are allocated. No later transaction can be mined before
 * it is used. Undefined if there is none, or if a later transaction was mined: then the transaction count is out of date.
 */
export const missedNonce = (
  { lastMined, next, taken }: StoredNonces,
  chainNonce: bigint,
  slots = LANE_SLOTS
): bigint | undefined => {
  const known = new Set(taken)
  let nonce = chainNonce
  while (known.has(nonce)) nonce += 1n
  if (nonce >= next || !hasSlot(nonce, chainNonce, slots)) return undefined
  return lastMined !== undefined && lastMined >= nonce ? undefined : nonce
}

/** True if two endpoints may show these transaction counts of a lane at the same time, because one of them is some blocks behind. */
export const mayBothHold = (one: bigint, other: bigint): boolean => hasSlot(one, other) && hasSlot(other, one)
