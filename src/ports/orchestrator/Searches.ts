/** Searches of logs about an intent that take several looks. */

/** Block from which each unfinished search of logs about an intent continues. */
export interface Searches {
  /** Its settlement on the source chain, from old to new. */
  readonly settlement?: bigint
  /** Other settlements of its owner on the source chain, from old to new. */
  readonly otherSweeps?: bigint
  /** Cancellations of its owner on the source chain, from old to new. */
  readonly cancellations?: bigint
  /** The bridge's fill on the destination chain, from new to old. */
  readonly fill?: bigint
}
